import type { ExploreFinding, ExploreReport } from '../explore/index.js';

/** The progress of an exploration. */
export interface Exploring {
  readonly schedules: number;
  /** At most this many will be run. */
  readonly of: number;
  readonly findings: number;
}

/** A finding of an exploration; `branch` is the way to it, if it could be made one. */
export interface SessionFinding extends ExploreFinding {
  readonly branch?: number;
}
export interface SessionReport extends Omit<ExploreReport, 'findings'> {
  readonly findings: readonly SessionFinding[];
}
