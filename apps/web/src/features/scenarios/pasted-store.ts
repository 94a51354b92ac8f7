import { create } from 'zustand';

/** A scenario that can be made of what somebody pasted. */
export interface PastedScenario {
  /** `pod`: what kubectl reports pods; `workload`: manifests that want an API server. */
  readonly of: 'pod' | 'workload';
  /** What it is called as long as nobody says otherwise. */
  readonly name: string;
  /** Its text under a name. */
  readonly make: (name: string) => string;
}

/** What the dialog `pastedScenario` is about. */
export const usePasted = create<{ readonly pasted: PastedScenario | null }>(() => ({ pasted: null }));
