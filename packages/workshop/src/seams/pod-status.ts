import type { Container, ContainerStatus } from '@syncloop/core/api';
import { isStaticPod } from '@syncloop/core/kubelet';
import type { PartCondition, PodStatusInput } from '@syncloop/core/kubelet/parts';
import { anyText, list, object, oneOf, withDefault } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Seam } from './seam.js';

export interface PodStatusResult {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly conditions: readonly PartCondition[];
}

export const podStatus: Seam<PodStatusResult> = {
  part: 'podStatus',
  fn: 'generateAPIPodStatus',
  result: object({
    phase: oneOf('Pending', 'Running', 'Succeeded', 'Failed'),
    conditions: list(
      object({
        type: oneOf('Initialized', 'ContainersReady', 'Ready'),
        status: oneOf('True', 'False'),
        reason: withDefault(anyText, ''),
      }),
      3,
    ),
  }),
  canonical(result) {
    const { phase, conditions } = result as unknown as PodStatusResult;
    const sorted = conditions.map((c) => ({ ...c, reason: c.reason ?? '' }));
    return { phase, conditions: sorted.sort((a, b) => (a.type < b.type ? -1 : 1)) } as unknown as Json;
  },
};

function status(s: ContainerStatus): Json {
  const { running, terminated } = s.state;
  const ended = terminated ?? s.lastState.terminated;
  return {
    name: s.name,
    state: running ? 'running' : terminated ? 'terminated' : 'waiting',
    exitCode: ended ? ended.exitCode : null,
    ready: s.ready,
    started: s.started ?? false,
  };
}

export function podStatusArgs(input: PodStatusInput): Json[] {
  const { pod, statuses, podHasInitialized, wasInitialized, policyOf } = input;
  // A static pod is never over while its manifest is there.
  const podIsTerminal = input.podIsTerminal && !isStaticPod(pod);
  const spec = (c: Container, isInit: boolean): Json => ({
    name: c.name,
    restartPolicy: policyOf(c),
    sidecar: isInit && c.restartPolicy === 'Always',
  });
  return [
    {
      initContainers: (pod.spec.initContainers ?? []).map((c) => spec(c, true)),
      containers: pod.spec.containers.map((c) => spec(c, false)),
    },
    { statuses: statuses.map(status), podIsTerminal, podHasInitialized, wasInitialized },
  ];
}
