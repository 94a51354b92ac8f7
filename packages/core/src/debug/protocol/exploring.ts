import type { ExploreFinding, ExploreReport } from '../explore/index.js';

/** How far an exploration has come. */
export interface Exploring {
  readonly schedules: number;
  /** At most this many will be run. */
  readonly of: number;
  readonly findings: number;
}

/** What an exploration found; `branch` is the way to it, where it could be made one. */
export interface SessionFinding extends ExploreFinding {
  readonly branch?: number;
}
export interface SessionReport extends Omit<ExploreReport, 'findings'> {
  readonly findings: readonly SessionFinding[];
}
