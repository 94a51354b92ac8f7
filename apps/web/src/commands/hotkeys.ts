import { type CommandId, commandIds, commandOf, isAvailable, type PlainCommandId, runCommand } from './index.js';

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

interface KeyLike {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The combination that an event is, as commands name it. */
export function keyOf(event: KeyLike, mac = isMac): string {
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  let key = event.key === ' ' ? 'Space' : event.key;
  const letter = /^[a-z]$/i.test(key);
  if (letter) key = key.toUpperCase();
  // Shift is part of what makes "?" or "+"; only with letters and named keys is it a modifier of its own.
  const shift = event.shiftKey && (letter || key.length > 1);
  return [mod && 'Mod', other && 'Other', event.altKey && 'Alt', shift && 'Shift', key].filter(Boolean).join('+');
}

/** The command that a key belongs to. */
export function commandForKey(key: string): CommandId | undefined {
  return commandIds().find((id) => commandOf(id).keys?.includes(key));
}

/** Keys as people read them. */
export function keyLabel(key: string, mac = isMac): string {
  return key
    .split(/\+(?=.)/)
    .map((part) => ({ Mod: mac ? '⌘' : 'Ctrl', ArrowRight: '→', ArrowLeft: '←', Escape: 'Esc' })[part] ?? part)
    .join(mac ? ' ' : '+');
}

const TYPING = 'input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable=true]';
const PRESSABLE = 'button, a[href], summary, [role=button], [role=option], [role=tab], input[type=checkbox]';

/** What fields do with keys themselves. */
const EDITING = /^Mod\+(Shift\+)?[ACVXYZ]$/;

/** Whether the element that has the focus wants this key for itself. */
function takenBy(target: Element | null, key: string): boolean {
  if (!target) return false;
  if (target.matches(TYPING)) return key !== 'Escape' && (!key.startsWith('Mod+') || EDITING.test(key));
  if (key === 'Space' && target.matches(PRESSABLE)) return true;
  if (key.includes('Arrow') && target.closest('[role=tablist], [role=listbox], input[type=range]')) return true;
  return false;
}

/** Listens for the keys of all commands. */
export function startHotkeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyOf(event);
    const id = commandForKey(key);
    // Within a shadow root, as the editor's, the event names only its host.
    if (!id || takenBy((event.composedPath()[0] ?? event.target) as Element | null, key)) return;
    if (document.querySelector('dialog[open]') && id !== 'view.close') return;
    event.preventDefault();
    if (isAvailable(id)) runCommand(id as PlainCommandId);
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}
