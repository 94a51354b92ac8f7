import type { BranchInfo, Comparison } from '@syncloop/core/debug';
import { create } from 'zustand';

/** Two branches that were compared, as they were then. */
export interface Compared {
  readonly ours: BranchInfo;
  readonly theirs: BranchInfo;
  readonly result: Comparison;
}
export interface BranchesState {
  readonly branches: readonly BranchInfo[];
  readonly compared: Compared | null;
  /** Branch that is being compared, 0: none. */
  readonly comparing: number;
  /** Each is compared at its own end, instead of both at the same time. */
  readonly ends: boolean;
}

export const useBranches = create<BranchesState>(() => ({ branches: [], compared: null, comparing: 0, ends: false }));
