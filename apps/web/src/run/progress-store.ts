import { create } from 'zustand';
import type { MessageKey } from '../i18n/index.js';

/** Something that takes its time. */
export interface Work {
  readonly id: number;
  /** The name of the work. */
  readonly title: MessageKey;
  /** The part of it that is done, 0 to 1; undefined: unknown. */
  readonly done?: number;
  /** Ends it early. */
  readonly cancel?: () => void;
}

/** The work under way that takes longer than a moment, the oldest first. */
export const useProgress = create<{ readonly work: readonly Work[] }>(() => ({ work: [] }));

/** Work is shown after this long (ms). */
export const SHOWN_AFTER = 300;
let last = 0;

export interface WorkOptions {
  readonly cancel?: () => void;
}

/**
 * Shows that something is under way, once it takes longer than one notices. `report`: how much of it is done, 0 to 1.
 */
export async function withProgress<T>(
  title: MessageKey,
  work: (report: (done: number) => void) => Promise<T>,
  { cancel }: WorkOptions = {},
): Promise<T> {
  const id = ++last;
  let done: number | undefined;
  const put = () => {
    const entry: Work = { id, title, ...(done !== undefined && { done }), ...(cancel && { cancel }) };
    useProgress.setState(({ work: all }) => ({
      work: all.some((w) => w.id === id) ? all.map((w) => (w.id === id ? entry : w)) : [...all, entry],
    }));
  };
  const timer = setTimeout(put, SHOWN_AFTER);
  try {
    return await work((now) => {
      done = Math.min(1, Math.max(0, now));
      if (useProgress.getState().work.some((w) => w.id === id)) put();
    });
  } finally {
    clearTimeout(timer);
    if (useProgress.getState().work.some((w) => w.id === id))
      useProgress.setState(({ work: all }) => ({ work: all.filter((w) => w.id !== id) }));
  }
}
