import type { SessionReport } from '@syncloop/core/debug';
import type { Decisions, Micros } from '@syncloop/core/trace';
import { create } from 'zustand';
import { type Draft, FIRST_DRAFT } from './logic/draft.js';

/** The end of an exploration: all was tried, somebody stopped it, or its time was up. */
export type ExploreEnd = 'done' | 'stopped' | 'time';

/** An exploration that has ended. */
export interface Explored {
  readonly report: SessionReport;
  /** `info.id` of the session, and its branch: the findings are of no use elsewhere. */
  readonly session: string;
  readonly branch: number;
  readonly scenario: string;
  readonly from: { readonly time: Micros; readonly step: Decisions };
  /** Deviations of the branch itself, which each schedule has. */
  readonly own: SessionReport['findings'][number]['schedule']['deviations'];
  readonly ended: ExploreEnd;
}

export interface ExploreState {
  readonly draft: Draft;
  /** Set while one is under way. `since`: as `performance.now()`. */
  readonly running: { readonly since: number; readonly seconds: number } | null;
  readonly explored: Explored | null;
  /** The reason why it could not be started or followed. */
  readonly error: string;
  /** Grows by one when the focus is to go to the form. */
  readonly toForm: number;
}

export const useExplore = create<ExploreState>(() => ({
  draft: FIRST_DRAFT,
  running: null,
  explored: null,
  error: '',
  toForm: 0,
}));
