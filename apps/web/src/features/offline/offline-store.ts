import { create } from 'zustand';

/** The new version of the page that waits: `take` switches to it; null if there is none. */
export const useOffline = create<{ readonly take: (() => void) | null }>(() => ({ take: null }));
