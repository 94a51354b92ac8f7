import type { PlainCommandId } from '../commands/index.js';
import type { MessageKey } from '../i18n/index.js';

/** A line of a menu. An unavailable one is shown greyed; `when` returns whether it is there at all. */
export interface MenuItem {
  readonly id: PlainCommandId;
  /** Instead of the command's own title. */
  readonly title?: MessageKey;
  readonly when?: () => boolean;
  /** A state that is on or off. */
  readonly checked?: () => boolean;
  /** True for one of several items of which one is on. */
  readonly radio?: boolean;
}
export interface MenuGroup {
  readonly title?: MessageKey;
  readonly items: readonly MenuItem[];
}

/**
 * Returns the item that a key goes to, from the one at `at` (-1: none); null for other keys. Letters go to the next
 * item that begins so.
 */
export function nextItem(names: readonly string[], at: number, key: string): number | null {
  const n = names.length;
  if (n === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % n;
    case 'ArrowUp':
      return at < 0 ? n - 1 : (at - 1 + n) % n;
    case 'Home':
      return 0;
    case 'End':
      return n - 1;
  }
  if ([...key].length !== 1 || key === ' ') return null;
  for (let i = 1; i <= n; i++) {
    const to = (Math.max(at, -1) + i) % n;
    if (names[to]?.trim().toLowerCase().startsWith(key.toLowerCase())) return to;
  }
  return null;
}
