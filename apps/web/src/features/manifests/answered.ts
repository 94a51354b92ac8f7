import { create } from 'zustand';

/** The number of answers about images that were sent: who shows what images do asks again when it changes. */
export const useAnswered = create<{ readonly sent: number }>(() => ({ sent: 0 }));
