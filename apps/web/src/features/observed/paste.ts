import { runCommand } from '../../commands/index.js';
import { HEAD_BYTES, kindOfFile } from '../../files/file-kind.js';
import { useUI } from '../../page/ui-store.js';

/** A line of klog or of the journal, roughly: opening it finds out its real form. */
const LOG_LINE = /^.{0,300}?[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ \S+:\d+\]|^\{.*"(caller|MESSAGE)":/m;
/** Shorter text is not looked at: a word of a line may be anything. */
const LOOKED_AT = 20_000;

/** Returns true if a text that was pasted is a log. */
export const looksLikeLog = (text: string): boolean => LOG_LINE.test(text.slice(0, LOOKED_AT));

const isManifest = (text: string): boolean =>
  ['manifest', 'scenario'].includes(kindOfFile(new TextEncoder().encode(text.slice(0, HEAD_BYTES))));

const typedInto = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/**
 * Opens logs and manifests that are pasted onto the page, as text or as files. What is pasted into a field is the
 * field's.
 */
export function takePastes(): void {
  document.addEventListener('paste', (event) => {
    const { clipboardData } = event;
    if (!clipboardData || event.defaultPrevented || typedInto(event.target) || useUI.getState().dialog) return;
    const files = [...clipboardData.files];
    const text = clipboardData.getData('text/plain');
    if (files.length > 0) runCommand('files.open', files);
    else if (looksLikeLog(text) || isManifest(text)) runCommand('file.open', new Blob([text]));
    else return;
    event.preventDefault();
  });
}
