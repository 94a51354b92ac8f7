import type { Density } from '@syncloop/core/debug';
import type { Micros } from '@syncloop/core/trace';
import { create } from 'zustand';
import { useSession } from '../../run/session-store.js';
import type { Stop } from './logic/strip-scale.js';
import type { SearchState } from './logic/whole-search.js';

/** An incident on the strip, in both languages. */
export interface IncidentStop extends Stop {
  readonly text: { readonly en: string; readonly zh: string };
}

export interface StripState {
  readonly density: Density | null;
  /** The beginnings of incidents that were not expected, by time. */
  readonly incidents: readonly IncidentStop[];
  readonly search: SearchState | null;
  /** The part that is marked. */
  readonly range: { readonly from: Micros; readonly to: Micros } | null;
}
export const NOTHING: StripState = { density: null, incidents: [], search: null, range: null };

export const useStrip = create<StripState>(() => NOTHING);

export const isObserved = (): boolean => useSession.getState().info?.capabilities.observed === true;
