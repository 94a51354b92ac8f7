import { embedded } from './embedded.js';

/**
 * Remembers a value in this browser. A frame within another site's article stores and reads nothing. Storage may be
 * refused (private windows, sandboxed frames): then nothing is remembered and nothing breaks.
 */
export function remember(key: string, value: string, area: 'local' | 'session' = 'local'): void {
  if (embedded) return;
  try {
    (area === 'local' ? localStorage : sessionStorage).setItem(`syncloop.${key}`, value);
  } catch {
    // Refused or full: the setting lasts as long as the page.
  }
}

export function recall(key: string, area: 'local' | 'session' = 'local'): string | null {
  if (embedded) return null;
  try {
    return (area === 'local' ? localStorage : sessionStorage).getItem(`syncloop.${key}`);
  } catch {
    return null;
  }
}

export function forget(key: string, area: 'local' | 'session' = 'local'): void {
  try {
    (area === 'local' ? localStorage : sessionStorage).removeItem(`syncloop.${key}`);
  } catch {
    // Refused: nothing was stored.
  }
}

/** Keys of what a tab keeps for its own reload. */
export const TAB = { moment: 'moment', view: 'view' } as const;
/** Drops what this tab has kept for its reload. */
export function forgetTab(): void {
  forget(TAB.moment, 'session');
  forget(TAB.view, 'session');
}
