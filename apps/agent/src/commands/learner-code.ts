import { useParts } from '@syncloop/core/kubelet/parts';
import type { Scenario } from '@syncloop/core/scenario';

/** Loads the interpreter if parts of the kubelet are code of the scenario. */
export async function loadLearnerCode({ parts }: Pick<Scenario, 'parts'>): Promise<void> {
  if (!parts) return;
  const { createInterpreter } = await import('@syncloop/workshop/interpreter');
  const { makePartsWith } = await import('@syncloop/workshop/seams');
  useParts(makePartsWith(await createInterpreter()));
}
