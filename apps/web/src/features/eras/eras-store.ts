import type { EraVersion } from '@syncloop/core/kubelet';
import type { ErasCompared } from '@syncloop/observe/eras';
import { create } from 'zustand';

export interface ErasState {
  /** The version that was asked for, until its run is there. */
  readonly choosing: EraVersion | null;
  /** A comparison is under way. */
  readonly comparing: boolean;
  readonly compared: ErasCompared | null;
  /** The index of the difference that is shown, in `compared.firsts`. */
  readonly shown: number;
}

export const useEras = create<ErasState>(() => ({ choosing: null, comparing: false, compared: null, shown: -1 }));
