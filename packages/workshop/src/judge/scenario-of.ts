import { defaultEra, eraVersions } from '@syncloop/core/kubelet';
import type { PartName } from '@syncloop/core/kubelet/parts';
import type { Recorded } from './recorded.js';
import type { LearnerFile } from './types.js';

/** One file that stands for each of the parts. */
const partsOf = (parts: readonly PartName[], { file, text }: LearnerFile) =>
  Object.fromEntries(parts.map((part) => [part, { file, source: text }]));

const seconds = (value: unknown): string => `${Number(value)}s`;

/** A recording's steps as a scenario, on a node as the recorder's, with the learner's code in it. */
export function scenarioOfRecording(
  { scenario, steps, kubelet }: Recorded,
  parts: readonly PartName[],
  source: LearnerFile,
): string {
  const version = eraVersions.find((era) => kubelet.includes(`${era}.`)) ?? defaultEra;
  return JSON.stringify({
    apiVersion: 'syncloop.dev/v1alpha1',
    kind: 'Scenario',
    metadata: { name: `recorded-${scenario}` },
    spec: {
      // A step that does not come true shows in what is compared.
      continueOnError: true,
      ...(version !== defaultEra && { era: version }),
      node: {
        nodeName: 'node1',
        fileCheckFrequency: '1s',
        cgroupsPerQOS: false,
        localStorageCapacityIsolation: false,
        failCgroupV1: false,
      },
      parts: partsOf(parts, source),
      steps: [{ wait: '2.5s' }, ...steps.map(stepOf)],
    },
  });
}

function stepOf([verb, first, second, third]: Recorded['steps'][number]): unknown {
  switch (verb) {
    case 'put': {
      const { name } = (first as { metadata: { name: string } }).metadata;
      return { apply: { file: `${name}.yaml`, manifest: first } };
    }
    case 'rm':
      return { delete: first };
    case 'wait':
      return { wait: seconds(first) };
    case 'phase':
      return { waitFor: { pod: first, phase: second, timeout: seconds(third) } };
    case 'gone':
      return { waitFor: { pod: first, gone: true, timeout: seconds(second) } };
    case 'exec':
      return {
        exec: { pod: first, container: second, command: typeof third === 'string' ? ['sh', '-c', third] : third },
      };
    case 'stopKubelet':
    case 'startKubelet':
    case 'stopRuntime':
    case 'startRuntime':
      return verb;
    default:
      throw new Error(`a recording with the step ${verb} cannot be a scenario; leave it out of the stage`);
  }
}

/** A stage's scenario with the learner's code in it. `document`: JSON. */
export function withParts(document: string, parts: readonly PartName[], source: LearnerFile): string {
  const scenario = JSON.parse(document) as { spec: object };
  return JSON.stringify({ ...scenario, spec: { ...scenario.spec, parts: partsOf(parts, source) } });
}
