import { useParts } from '@syncloop/core/kubelet/parts';
import type { Scenario } from '@syncloop/core/scenario';

/** Loads the interpreter of learners' code: scenarios with `spec.parts` can be run from then on. */
export async function loadInterpreter(): Promise<void> {
  const { createInterpreter } = await import('@syncloop/workshop/interpreter');
  const { makePartsWith } = await import('@syncloop/workshop/seams');
  useParts(makePartsWith(await createInterpreter()));
}

/** The same, if a scenario needs it. */
export async function loadLearnerCode({ parts }: Pick<Scenario, 'parts'>): Promise<void> {
  if (parts) await loadInterpreter();
}
