import type { FleetStory } from '@syncloop/observe/fleet';
import { create } from 'zustand';
import type { LaneFilter, LaneSort, Span } from './logic/lanes-shown.js';

export interface FleetState {
  /** The dropped files of all nodes; empty without a fleet. */
  readonly files: readonly Blob[];
  readonly story: FleetStory | null;
  readonly done: number;
  readonly of: number;
  /** The node that is read; '' if none is. */
  readonly reading: string;
  /** Why it was not read; '' if it was. */
  readonly failed: string;
  readonly search: string;
  readonly filter: LaneFilter;
  readonly sort: LaneSort;
  /** The part of the time that is shown; null for all. */
  readonly span: Span | null;
  /** The selected lane, by its node, and the bar in it, by its incident. */
  readonly node: string | null;
  readonly incident: number | null;
}

export const NO_FLEET: FleetState = {
  files: [],
  story: null,
  done: 0,
  of: 0,
  reading: '',
  failed: '',
  search: '',
  filter: 'all',
  sort: 'name',
  span: null,
  node: null,
  incident: null,
};

/** The fleet, and what of it is shown. It stays while a node is in the debugger. */
export const useFleet = create<FleetState>(() => NO_FLEET);
