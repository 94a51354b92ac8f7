import { create } from 'zustand';

/** In which order the strip of many pods shows them. */
export type LaneSort = 'arrival' | 'name' | 'activity';

export interface LanesState {
  readonly sort: LaneSort;
  /** By activity: the order as it was when it was asked for. Cells do not change places by themselves. */
  readonly ranked: readonly string[];
  /** Pod whose lane is unfolded in the strip. */
  readonly unfolded: string | null;
}

export const useLanes = create<LanesState>(() => ({ sort: 'arrival', ranked: [], unfolded: null }));
