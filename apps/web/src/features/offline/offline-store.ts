import { create } from 'zustand';

/** Whether a new version of the page waits, and what takes it. */
export const useOffline = create<{ readonly take: (() => void) | null }>(() => ({ take: null }));
