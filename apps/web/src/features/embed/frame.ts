/** A frame's own ways: keys and wheel only while it has the focus, messages of the article around it. */

import { commandForKey, keyOf } from '../../commands/hotkeys.js';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { stopOnEscape } from '../long-work/stop-work.js';
import { FrameQueue, type FrameStatus, frameStatus } from './frame-api.js';
import { setValue } from './parameters-store.js';

/** Keys that a frame knows: to move in the run, and the graph's levels. */
const KEYS = /^(transport\.(toggle|step|back|toEnd|slower|faster)|view\.(level|fit|zoom)|lesson\.)/;
const TYPING = 'input:not([type=checkbox]):not([type=radio]), textarea, select';

export function startFrameKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyOf(event);
    const id = commandForKey(key);
    const target = event.target as Element | null;
    if (key === 'Escape' && stopOnEscape()) {
      event.preventDefault();
      return;
    }
    if (!id || !KEYS.test(id) || target?.closest(TYPING)) return;
    if (key === 'Space' && target?.closest('button, a, [role=button]')) return;
    event.preventDefault();
    if (isAvailable(id)) runCommand(id as 'transport.toggle');
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

/** The shortest interval at which the frame reports its position to the article, ms. */
const REPORT_MILLIS = 100;

/** Listens to the page around this frame, and reports the run's position to it. */
export function startMessages(parent: Window = window.parent): () => void {
  if (parent === window) return () => {};
  // Any page may have it: see frame-api.ts.
  const tell = (status: FrameStatus) => parent.postMessage(status, '*');
  const queue = new FrameQueue({
    ready: () => useSession.getState().phase === 'ready',
    perform: (command) => session.command(command),
    set: setValue,
    tell,
  });
  const onMessage = ({ source, data }: MessageEvent) => {
    if (source === parent) queue.take(data);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = '';
  const say = () => {
    timer = undefined;
    const { phase, run } = useSession.getState();
    if (phase !== 'ready') return;
    const status = frameStatus(run);
    const text = JSON.stringify(status);
    if (text === last) return;
    last = text;
    tell(status);
  };
  window.addEventListener('message', onMessage);
  const soon = () => {
    timer ??= setTimeout(say, REPORT_MILLIS);
  };
  const end = useSession.subscribe(soon);
  // The session may have come to its moment before anybody listened.
  soon();
  return () => {
    window.removeEventListener('message', onMessage);
    clearTimeout(timer);
    end();
  };
}

/**
 * Leaves the keyboard to the article: a frame that takes the focus by itself, as lessons and forms do, would take it
 * from the reader. Until somebody goes into the frame, nothing in it can be focused.
 */
export function keepFocusOut(): () => void {
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function (options) {
    if (document.hasFocus()) focus.call(this, options);
  };
  return () => {
    HTMLElement.prototype.focus = focus;
  };
}

/** Lets a reader scroll past the graph: it takes wheel and touch only once the frame has the focus. */
export function passBy(element: HTMLElement): () => void {
  const pass = (event: Event) => {
    if (!document.hasFocus()) event.stopPropagation();
  };
  const KINDS = ['wheel', 'touchstart', 'touchmove'] as const;
  for (const kind of KINDS) element.addEventListener(kind, pass, { capture: true, passive: true });
  const focused = () => {
    element.dataset.focused = String(document.hasFocus());
  };
  focused();
  window.addEventListener('focus', focused);
  window.addEventListener('blur', focused);
  return () => {
    for (const kind of KINDS) element.removeEventListener(kind, pass, { capture: true });
    window.removeEventListener('focus', focused);
    window.removeEventListener('blur', focused);
  };
}
