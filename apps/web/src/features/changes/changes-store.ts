import type { Change } from '@syncloop/core/changes';
import { create } from 'zustand';

export interface ChangesState {
  /** The changes; null before anybody has asked for them. */
  readonly list: readonly Change[] | null;
  /** The text of the search field. */
  readonly sought: string;
  /** The change that is open, by its id; '': none. Null: nobody has opened or closed one since the search. */
  readonly open: string | null;
  /** Counts how often somebody was led to the open change, which is then brought into sight. */
  readonly led: number;
}

export const useChanges = create<ChangesState>(() => ({ list: null, sought: '', open: null, led: 0 }));

/** Opens a change and brings it into sight. */
export const leadTo = (id: string): void => useChanges.setState((s) => ({ open: id, led: s.led + 1 }));
/** Searches for a text; the page chooses which change is open then. */
export const seek = (sought: string): void => useChanges.setState({ sought, open: null });

let loading: Promise<readonly Change[]> | null = null;
/** Loads the changes, once. */
export function loadChanges(): Promise<readonly Change[]> {
  loading ??= import('@syncloop/core/changes').then(
    ({ changes }) => {
      useChanges.setState({ list: changes });
      return changes;
    },
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
