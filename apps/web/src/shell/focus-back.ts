import { type UIState, useUI } from '../page/ui-store.js';

/** The parts that come and go, by their selectors. */
const PANELS = '#sl-left, #sl-inspector, #sl-bottom-body, .sl-bottom-bar';

/** Frames that a panel may take to go, once it is to go: a busy page draws late. */
const MOST_FRAMES = 120;

/**
 * Returns the place for the focus of a panel that has gone between two states, if nothing better is known; null if none
 * has gone.
 */
export function gone(before: UIState, now: UIState): string | null {
  if (before.inspectorOpen && !now.inspectorOpen) return '#sl-main';
  if (before.left && !now.left) return `[data-testid=open-${before.left}]`;
  if (before.bottom && !now.bottom) return `[data-testid=tab-${before.bottom}]`;
  return null;
}

/**
 * Moves the focus back to its place before the panel when a panel with the focus closes. Returns a function that ends
 * it.
 */
export function keepFocus(): () => void {
  let outside: Element | null = null;
  let inside: Element | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    inside = target.closest(PANELS) ? target : null;
    if (!inside) outside = target;
  };
  // A user who presses into the graph has left the element with the focus.
  const onPress = ({ target }: PointerEvent) => {
    if (target instanceof Element && !target.closest(PANELS)) inside = null;
  };
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPress);
  const unsubscribe = useUI.subscribe((now, before) => {
    const otherwise = gone(before, now);
    if (!otherwise || !inside) return;
    const had = inside;
    let frames = 0;
    const look = () => {
      if (inside !== had) return;
      if (had.isConnected) {
        if (++frames < MOST_FRAMES) requestAnimationFrame(look);
        return;
      }
      if (document.activeElement !== document.body) return;
      const to = outside?.isConnected && outside !== document.body ? outside : document.querySelector(otherwise);
      if (to instanceof HTMLElement) to.focus({ preventScroll: true });
    };
    requestAnimationFrame(look);
  });
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPress);
    unsubscribe();
  };
}
