import { focusIsOnItsWay } from './focus.js';
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
  // Shift is part of typing "?" or "+"; only with letters and named keys is it a modifier of its own.
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

/** Keys that text fields handle themselves. */
const EDITING = /^Mod\+(Shift\+)?[ACVXYZ]$/;

/** Buttons that were pressed with the pointer, and that the keyboard has not come to since. */
const clicked = new WeakSet<Element>();
/** Keys that move the focus. */
const MOVING = new Set(['Tab', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

/** True if the element that has the focus wants this key for itself. */
function takenBy(target: Element | null, key: string): boolean {
  if (!target) return false;
  if (target.matches(TYPING)) return key !== 'Escape' && (!key.startsWith('Mod+') || EDITING.test(key));
  // A user who clicked something has finished with it; one who came to it by keyboard is about to press it.
  if (key === 'Space' && target.matches(PRESSABLE)) return target.matches('input') || !clicked.has(target);
  if (key.includes('Arrow') && target.closest('[role=tablist], [role=listbox], input[type=range]')) return true;
  return false;
}

/** Follows how the focus moves. Returns a function that ends it. */
function followClicks(): () => void {
  let moving = false;
  const onPress = ({ target }: PointerEvent) => {
    moving = false;
    const button = target instanceof Element ? target.closest(PRESSABLE) : null;
    if (button) clicked.add(button);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    moving = MOVING.has(key);
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (moving && target instanceof Element) clicked.delete(target);
  };
  window.addEventListener('pointerdown', onPress, true);
  window.addEventListener('keydown', onKey, true);
  window.addEventListener('focusin', onFocus, true);
  return () => {
    window.removeEventListener('pointerdown', onPress, true);
    window.removeEventListener('keydown', onKey, true);
    window.removeEventListener('focusin', onFocus, true);
  };
}

/** Listens for the keys of all commands. */
export function startHotkeys(): () => void {
  const endClicks = followClicks();
  // Some browsers press a button when Space is released, even if the press of the key was handled.
  let heldSpace = false;
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== ' ' || !heldSpace) return;
    heldSpace = false;
    event.preventDefault();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyOf(event);
    if (focusIsOnItsWay() && event.key.length === 1 && !key.startsWith('Mod+')) {
      event.preventDefault();
      return;
    }
    const id = commandForKey(key);
    // Within a shadow root, as the editor's, the event names only its host.
    if (!id || takenBy((event.composedPath()[0] ?? event.target) as Element | null, key)) return;
    if (document.querySelector('dialog[open]') && id !== 'view.close') return;
    event.preventDefault();
    heldSpace = key === 'Space';
    if (isAvailable(id)) runCommand(id as PlainCommandId);
  };
  window.addEventListener('keydown', onKey);
  window.addEventListener('keyup', onKeyUp);
  return () => {
    endClicks();
    window.removeEventListener('keydown', onKey);
    window.removeEventListener('keyup', onKeyUp);
  };
}
