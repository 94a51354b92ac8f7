import type { Seq } from '@syncloop/core/trace';
import type { BranchVerdict, PreventAnswer, TwinAnswer } from '@syncloop/observe/twin/session';
import { create } from 'zustand';

export interface TwinStore {
  readonly answer: TwinAnswer | null;
  /** The index of the difference that was gone to last; -1: none yet. */
  readonly at: number;
  /** A branch of the twin that was compared with the observed run. */
  readonly branch: { readonly id: number; readonly name: string; readonly verdict: BranchVerdict } | null;
}
/** The changes that were run to prevent an incident of the observed run. */
export interface PreventionStore {
  /** The incident's id; null: nothing was run. */
  readonly of: string | null;
  /** The record at which it began. */
  readonly begin: Seq;
  readonly answer: PreventAnswer | null;
}
export const NO_PREVENTION: PreventionStore = { of: null, begin: 0, answer: null };
export const usePrevention = create<PreventionStore>(() => NO_PREVENTION);

export const NO_TWIN: TwinStore = { answer: null, at: -1, branch: null };

export const useTwin = create<TwinStore>(() => NO_TWIN);
