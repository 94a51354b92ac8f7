import { type UIState, useUI } from '../page/ui-store.js';

/** The parts that come and go, by their selectors. */
const PANELS = '#sl-left, #sl-inspector, #sl-bottom-body, .sl-bottom-bar';

/** Frames that a panel may take to go, once it is to go: a busy page draws late. */
const MOST_FRAMES = 120;

/** Which panels have gone from one state to the next; the place to go to instead, if nothing better is known. */
export function gone(before: UIState, now: UIState): string | null {
  if (before.inspectorOpen && !now.inspectorOpen) return '#sl-main';
  if (before.left && !now.left) return `[data-testid=open-${before.left}]`;
  if (before.bottom && !now.bottom) return `[data-testid=tab-${before.bottom}]`;
  return null;
}

/**
 * When a panel closes that has the focus, the focus goes back to where it was before it came into a panel, and not to
 * nowhere. Returns what ends it.
 */
export function keepFocus(): () => void {
  let outside: Element | null = null;
  let inside: Element | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    inside = target.closest(PANELS) ? target : null;
    if (!inside) outside = target;
  };
  // Whoever presses into the graph has left what had the focus.
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
