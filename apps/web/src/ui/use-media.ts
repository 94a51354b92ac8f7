import { useSyncExternalStore } from 'react';

/**
 * Below this the page is a phone's: one column, and panels are sheets over the graph. The style sheets say the same.
 */
export const PHONE = '(max-width: 760px)';

/** Returns true if a media query holds; false if there is no window. */
export function matches(query: string): boolean {
  return typeof matchMedia === 'function' && matchMedia(query).matches;
}

/** Returns true if people asked their system for less motion. */
export function reducedMotion(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (then) => {
      const list = matchMedia(query);
      list.addEventListener('change', then);
      return () => list.removeEventListener('change', then);
    },
    () => matches(query),
    () => false,
  );
}
