import { create } from 'zustand';

/** The order of pods in the strip. */
export type LaneSort = 'arrival' | 'name' | 'activity';

export interface LanesState {
  readonly sort: LaneSort;
  /** The order by activity, of the moment when it was asked for. Cells do not change places by themselves. */
  readonly ranked: readonly string[];
  /** The pod whose lane is unfolded in the strip. */
  readonly unfolded: string | null;
}

export const useLanes = create<LanesState>(() => ({ sort: 'arrival', ranked: [], unfolded: null }));
