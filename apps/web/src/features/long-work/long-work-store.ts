import { create } from 'zustand';
import type { MessageKey } from '../../i18n/index.js';

/** Work that takes so long that the page shows it. */
export interface LongWork {
  readonly title: MessageKey;
  /** The time since the request, whole seconds. */
  readonly seconds: number;
  /** Seconds for which the session has not reacted to anything; 0 while it does. */
  readonly silent: number;
  /** The run's progress: the decisions made, their total if it is known, and the run's clock in µs. */
  readonly steps: number;
  readonly of?: number;
  readonly time: number;
  readonly stopping: boolean;
}

/** An answer to a question. */
export interface Choice {
  readonly id: string;
  readonly label: MessageKey;
  readonly run: () => void;
}
/** A question once work was ended for certain, or before unfinished work is done again. */
export interface LongWorkQuestion {
  readonly title: MessageKey;
  readonly text: MessageKey;
  /** The first is proposed, the last leaves things as they are. */
  readonly choices: readonly Choice[];
}

export const useLongWork = create<{ readonly held: LongWork | null; readonly question: LongWorkQuestion | null }>(
  () => ({
    held: null,
    question: null,
  }),
);
