import { create } from 'zustand';

/** A scenario that can be made of a pasted text. */
export interface PastedScenario {
  /** `pod`: a pod as kubectl prints it; `workload`: manifests that want an API server. */
  readonly of: 'pod' | 'workload';
  /** Its name as long as nobody gives another. */
  readonly name: string;
  /** Its text under a name. */
  readonly make: (name: string) => string;
}

/** The scenario that the dialog `pastedScenario` is about. */
export const usePasted = create<{ readonly pasted: PastedScenario | null }>(() => ({ pasted: null }));
