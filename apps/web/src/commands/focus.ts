import { flushSync } from 'react-dom';

/** Frames that something may take to come, once it is to come: a part of the page may have to be loaded first. */
const MOST_FRAMES = 120;
let awaited: symbol | null = null;

/** A command has sent the focus to something that is not there yet: letters typed meanwhile are meant for that. */
export const focusIsOnItsWay = (): boolean => awaited !== null;

/**
 * Gives the focus to what `show` brings into the page. It is drawn at once, so that the next key finds it; only parts
 * that have to be loaded first come later.
 */
export function focusOn(find: () => HTMLElement | null, show: () => void = () => {}): void {
  flushSync(show);
  const mine = Symbol();
  awaited = mine;
  let frames = 0;
  const look = () => {
    if (awaited !== mine) return;
    const found = find();
    if (!found && ++frames < MOST_FRAMES) {
      requestAnimationFrame(look);
      return;
    }
    awaited = null;
    found?.focus();
  };
  look();
}

/** Moves the focus to the graph, which takes all keys that no other element uses. */
export function focusStage(): void {
  if (typeof document === 'undefined') return;
  document.getElementById('sl-main')?.focus({ preventScroll: true });
}
