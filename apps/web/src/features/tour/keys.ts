/** Keys of the tour, which come before those of the page while it goes on. */
import { nextStop, previousStop, touring } from './tour-store.js';

const OWN = 'button, a, [role=button]';

/** Enter and → go on, ← goes back; not while somebody types or stands on a button. Returns what ends it. */
export function startTourKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!touring() || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const target = event.target as Element | null;
    const move =
      event.key === 'ArrowRight' || event.key === 'Enter' ? nextStop : event.key === 'ArrowLeft' ? previousStop : null;
    if (!move || target?.closest('input, textarea, select, dialog, [role=dialog]')) return;
    if (event.key === 'Enter' && target?.closest(OWN)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) void move();
  };
  window.addEventListener('keydown', onKey, true);
  return () => window.removeEventListener('keydown', onKey, true);
}
