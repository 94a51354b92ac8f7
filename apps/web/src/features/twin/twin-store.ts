import type { Verdict } from '@syncloop/observe/twin';
import type { TwinAnswer } from '@syncloop/observe/twin/session';
import { create } from 'zustand';

export interface TwinStore {
  readonly answer: TwinAnswer | null;
  /** The index of the difference that was gone to last; -1: none yet. */
  readonly at: number;
  /** A branch of the twin that was compared with the observed run. */
  readonly branch: { readonly id: number; readonly name: string; readonly verdict: Verdict } | null;
}
export const NO_TWIN: TwinStore = { answer: null, at: -1, branch: null };

export const useTwin = create<TwinStore>(() => NO_TWIN);
