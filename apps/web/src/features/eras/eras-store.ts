import type { Change } from '@syncloop/core/changes';
import { create } from 'zustand';

export interface ErasState {
  /** The changes; null before anybody has asked for them. */
  readonly list: readonly Change[] | null;
  /** What is in the search field. */
  readonly sought: string;
  /** The change that is open, by its id. */
  readonly open: string | null;
}

export const useEras = create<ErasState>(() => ({ list: null, sought: '', open: null }));

let loading: Promise<readonly Change[]> | null = null;
/** Loads the changes, once. */
export function loadChanges(): Promise<readonly Change[]> {
  loading ??= import('@syncloop/core/changes').then(
    ({ changes }) => {
      useEras.setState({ list: changes });
      return changes;
    },
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
