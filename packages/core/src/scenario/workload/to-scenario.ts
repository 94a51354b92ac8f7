import { behaviourValue } from '../document/behaviour.js';
import { scenarioAPIVersion } from '../document/scenario.js';
import { yamlText } from '../document/yaml-text.js';
import type { ImageAnswerOf, ImageQuestion } from './images.js';
import type { Workload } from './workload.js';

/** Writes the answer for an image as a step of a scenario. */
export function imageStep(answer: ImageAnswerOf): Readonly<Record<string, unknown>> {
  const { ref, does, doesIn, present, assumed } = answer;
  return {
    imageDoes: {
      ref,
      does: behaviourValue(does),
      ...(doesIn && {
        doesIn: Object.fromEntries(Object.entries(doesIn).map(([name, b]) => [name, behaviourValue(b)])),
      }),
      ...(present && { present }),
      ...(assumed && { assumed }),
    },
  };
}

/**
 * A workload as a scenario, as YAML: a node with an API server, the objects, what images do, the pods, and for each pod
 * that it comes to what the images say. `workload` was read with `api: true`; `called`: the scenario's name, by
 * default that of the first object. Null if it has no pod.
 */
export function scenarioOfWorkload(
  workload: Workload,
  answers: readonly ImageQuestion[],
  called?: string,
): string | null {
  const [first] = workload.pods;
  if (!first) return null;
  // The registry reports by itself that there is no such image.
  const steps: unknown[] = answers.filter((a) => a.does !== null || a.settled).map(imageStep);
  for (const { value } of workload.objects) steps.push({ apply: { to: 'api', manifest: value } });
  for (const pod of workload.pods)
    steps.push({ apply: { to: pod.api ? 'api' : 'node', file: pod.file, manifest: pod.text } });
  for (const pod of workload.pods) {
    const own = answers.filter((a) => a.containers.some((c) => c.startsWith(`${pod.name}/`)));
    const fails = own.some((a) => a.does === null || (a.does.kind === 'exits' && a.does.code !== 0));
    const job = (pod.pod.spec as { restartPolicy?: string } | undefined)?.restartPolicy;
    const phase = job === 'Never' || job === 'OnFailure' ? 'Succeeded' : 'Running';
    if (!fails) steps.push({ waitFor: { pod: pod.name, phase, timeout: '180s' } });
  }
  const { kind, name } = first.origin;
  return yamlText({
    apiVersion: scenarioAPIVersion,
    kind: 'Scenario',
    metadata: {
      name: called ?? (nameFrom(name) || 'workload'),
      title: `${kind} ${name}`,
    },
    spec: { node: { apiServer: true, fileCheckFrequency: '1s' }, steps },
  });
}

const nameFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
