import { parseScenario, scenarioFromPod } from '@syncloop/core/scenario';
import {
  type ImageQuestion,
  imageQuestions,
  readWorkload,
  scenarioOfWorkload,
  type WorkloadOptions,
} from '@syncloop/core/scenario/workload';
import { session } from '../../session/session.js';
import type { PastedScenario } from './pasted-store.js';

const named = (of: PastedScenario['of'], text: string, make: (name: string) => string): PastedScenario => ({
  of,
  name: parseScenario(text, 'pasted.yaml').name,
  make,
});

/** Makes a scenario of a pod as kubectl prints it. Throws a ScenarioError if there is no pod that could run. */
export const pastedPod = (text: string): PastedScenario =>
  named('pod', scenarioFromPod(text), (name) => scenarioFromPod(text, { name }));

/**
 * Manifests on a node that has an API server, with the answers about images that were given in this run; null if they
 * contain no pod. `absent`: what becomes of ConfigMaps and Secrets that are not in the text; `said`: what images do, if
 * it was answered before the run.
 */
export async function pastedWorkload(
  text: string,
  absent: WorkloadOptions['absent'] = 'pretend',
  said: readonly ImageQuestion[] = [],
): Promise<PastedScenario | null> {
  const workload = readWorkload(text, { nodeName: 'node1', api: true, absent });
  const objects = await session.command({ do: 'objects' }).catch(() => undefined);
  const answers = objects?.answers ? { answers: objects.answers } : {};
  const questions = imageQuestions(workload.pods, { images: [], ...answers }).map((asked) => {
    const answer = said.find(({ full }) => full === asked.full);
    return answer ? { ...answer, containers: asked.containers } : asked;
  });
  const made = scenarioOfWorkload(workload, questions);
  if (made === null) return null;
  return named('workload', made, (name) => scenarioOfWorkload(workload, questions, name) ?? made);
}
