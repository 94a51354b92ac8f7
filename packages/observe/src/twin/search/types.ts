import type { Deviation } from '@syncloop/core/kernel';
import type { Decisions, Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Difference, TwinText, Verdict } from '../base/types.js';

/** The result of comparing a twin's records with the observed run. */
export interface Judged {
  /** Decisions that are the same. */
  readonly agreed: number;
  /** The differences, in the order of the observed run. */
  readonly differences: readonly Difference[];
  /** The whole verdict, if the judge is `judgeOf`. */
  readonly verdict?: Verdict;
}

/**
 * Compares a run of the twin with the observed one. `until`: how far the run has come on its clock. What the observed
 * kubelet did later may be reported as missing: the search passes over it.
 */
export type Judge = (records: readonly TraceRecord[], until: Micros) => Judged;

/** A schedule of the twin: a seed, and the choices that deviate from it. */
export interface TwinSchedule {
  readonly seed: number;
  readonly deviations: readonly Deviation[];
}

/** One choice that decided that the twin does what the observed kubelet did. */
export interface DecidingChoice {
  /**
   * `select`: which of the ready cases was taken. `goroutine`: which of the runnable goroutines went first. `jitter`:
   * none of both, but the durations and draws of this seed.
   */
  readonly kind: 'select' | 'goroutine' | 'jitter';
  /** The decision of the twin's run at which it was made; 0 for jitter. */
  readonly decision: Decisions;
  /** The twin's record that shows it; 0 for jitter. */
  readonly seq: Seq;
  /** On the twin's clock. */
  readonly time: Micros;
  /** The channel that was received from, or the goroutine that went first. */
  readonly taken: string;
  /** The options that were not taken. */
  readonly instead: readonly string[];
  /** "It happened because syncCh won over plegCh in the sync loop, 12.3 s after the start." */
  readonly text: TwinText;
}

/** The progress of a search. */
export interface TwinSearchReport {
  /** `agrees`: a schedule was found under which both runs do the same. `tried`: the budget has ended before. */
  readonly state: 'searching' | 'agrees' | 'tried';
  /** Nothing more is to be done, or the budget has ended: given more, the search goes on. */
  readonly ended: boolean;
  /** Runs of the twin, and how many of them were begun with another seed alone. */
  readonly tries: number;
  readonly seeds: number;
  /** Records that these runs have left. */
  readonly records: number;
  /** The result of the twin before the search; null until it has run. */
  readonly before: Judged | null;
  /** The best schedule so far, with its judgement; null until the first run has ended. */
  readonly best: (TwinSchedule & { readonly judged: Judged }) | null;
  /** Tries after which the best was found. */
  readonly foundAfter: number;
  /** The choices of the best schedule, smallest set, in the order of the run. */
  readonly choices: readonly DecidingChoice[];
  /** Each of the choices is needed: without any of them the runs diverge. False while that is unknown. */
  readonly minimal: boolean;
  /** The scenario with the best schedule in its section `run`: an ordinary file. */
  readonly text: string;
  readonly summary: TwinText;
}

/** The budget of a search. */
export interface TwinSearchBudget {
  /** Runs of the twin, those cut short too. Default 500. */
  readonly tries?: number;
  /** Records that all runs together may leave. Default: no limit. */
  readonly records?: number;
}
