import type { Container } from '@syncloop/core/api';
import type { PartPodActions, PodActionsInput } from '@syncloop/core/kubelet/parts';
import { flag, list, object, oneOf, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { type Seam, unknownName } from './seam.js';

const names = list(text, 1000);

export const podActions: Seam<PartPodActions> = {
  part: 'podActions',
  fn: 'computePodActions',
  result: object({
    killPod: flag,
    createSandbox: flag,
    initContainersToStart: names,
    containersToStart: names,
    containersToKill: list(
      object({ name: text, reason: oneOf('Changed', 'LivenessProbe', 'StartupProbe', 'Unknown') }),
      1000,
    ),
  }),
  // Containers are killed in any order, and started in that of the lists.
  canonical(result) {
    const plan = result as unknown as PartPodActions;
    const containersToKill = plan.containersToKill.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { ...plan, containersToKill } as unknown as Json;
  },
};

/** The arguments of the learner's function: the spec as far as it matters, and the newest status of each container. */
export function podActionsArgs(input: PodActionsInput): Json[] {
  const { pod, podStatus, sandbox } = input;
  const spec = (c: Container, isInit: boolean): Json => ({
    name: c.name,
    restartPolicy: input.policyOf(c),
    sidecar: isInit && c.restartPolicy === 'Always',
    livenessProbe: c.livenessProbe !== undefined,
    startupProbe: c.startupProbe !== undefined,
  });
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const statuses: Json[] = [];
  for (const container of containers) {
    const status = podStatus.containerStatuses.find((s) => s.name === container.name);
    if (!status) continue;
    statuses.push({
      name: container.name,
      state: status.state,
      exitCode: status.exitCode,
      restartCount: status.restartCount,
      changed: input.isChanged(container, status),
      liveness: input.liveness(status) ?? null,
      startup: input.startup(status) ?? null,
    });
  }
  return [
    {
      name: pod.metadata.namespace ? `${pod.metadata.namespace}/${pod.metadata.name}` : pod.metadata.name,
      restartPolicy: pod.spec.restartPolicy ?? 'Always',
      deleted: pod.metadata.deletionTimestamp !== undefined,
      initContainers: (pod.spec.initContainers ?? []).map((c) => spec(c, true)),
      containers: pod.spec.containers.map((c) => spec(c, false)),
    },
    { sandboxChanged: sandbox.changed, attempt: sandbox.attempt, containers: statuses },
  ];
}

/** Says in words why a plan cannot be carried out for this pod; null if it can. */
export function planProblem(input: PodActionsInput, plan: PartPodActions): Message | null {
  const inits = (input.pod.spec.initContainers ?? []).map((c) => c.name);
  const regular = input.pod.spec.containers.map((c) => c.name);
  return (
    unknownName('initContainersToStart', plan.initContainersToStart, inits) ??
    unknownName('containersToStart', plan.containersToStart, regular) ??
    unknownName(
      'containersToKill',
      plan.containersToKill.map((k) => k.name),
      [...inits, ...regular],
    )
  );
}
