import { create } from 'zustand';

/** A scenario that can be made of what somebody pasted. */
export interface PastedScenario {
  /** `pod`: what kubectl reports pods; `workload`: manifests that want an API server. */
  readonly of: 'pod' | 'workload';
  /** Its name as long as nobody gives another. */
  readonly name: string;
  /** Its text under a name. */
  readonly make: (name: string) => string;
}

/** The scenario that the dialog `pastedScenario` is about. */
export const usePasted = create<{ readonly pasted: PastedScenario | null }>(() => ({ pasted: null }));
