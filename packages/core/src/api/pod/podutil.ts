import type {
  ConditionStatus,
  Container,
  ContainerRestartRule,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  PodCondition,
  PodPhase,
  PodSpec,
  PodStatus,
} from '../types.js';

export type ContainerType = 'container' | 'initContainer' | 'ephemeralContainer';

/**
 * Yields every container of a spec with its kind: init containers, then regular ones, then ephemeral ones.
 * upstream: pkg/api/v1/pod/util.go ContainerIter
 */
export function* containerIter(spec: PodSpec): IterableIterator<[Container | EphemeralContainer, ContainerType]> {
  for (const c of spec.initContainers ?? []) yield [c, 'initContainer'];
  for (const c of spec.containers) yield [c, 'container'];
  for (const c of spec.ephemeralContainers ?? []) yield [c, 'ephemeralContainer'];
}

/** The container of that name, of any kind. upstream: pkg/kubelet/container/helpers.go GetContainerSpec */
export function getContainerSpec(pod: Pod, name: string): Container | EphemeralContainer | undefined {
  for (const [c] of containerIter(pod.spec)) if (c.name === name) return c;
  return undefined;
}

/** upstream: pkg/api/v1/pod/util.go GetContainerStatus */
export function getContainerStatus(
  statuses: readonly ContainerStatus[] | undefined,
  name: string,
): ContainerStatus | undefined {
  return statuses?.find((s) => s.name === name);
}

/** upstream: pkg/api/v1/pod/util.go GetPodConditionFromList */
export function getPodConditionFromList(
  conditions: readonly PodCondition[] | undefined,
  type: string,
): PodCondition | undefined {
  return conditions?.find((c) => c.type === type);
}

/** upstream: pkg/api/v1/pod/util.go GetPodCondition */
export function getPodCondition(status: PodStatus | undefined, type: string): PodCondition | undefined {
  return getPodConditionFromList(status?.conditions, type);
}

/** Returns the status of a condition, undefined if there is no such condition. */
export function podConditionStatus(status: PodStatus | undefined, type: string): ConditionStatus | undefined {
  return getPodCondition(status, type)?.status;
}

/** upstream: pkg/api/v1/pod/util.go IsPodPhaseTerminal */
export const isPodPhaseTerminal = (phase: PodPhase | undefined): boolean => phase === 'Failed' || phase === 'Succeeded';

/**
 * True for a sidecar: an init container with restartPolicy Always. Only meaningful for an init container.
 * upstream: pkg/api/v1/pod/util.go IsRestartableInitContainer
 */
export const isRestartableInitContainer = (container: Container | undefined): boolean =>
  container?.restartPolicy === 'Always';

/**
 * Returns true if a container of this kind could ever run again.
 * upstream: pkg/api/v1/pod/util.go IsContainerRestartable
 */
export function isContainerRestartable(spec: PodSpec, container: Container): boolean {
  if (container.restartPolicy !== undefined) {
    if (container.restartPolicyRules?.some((r) => r.action === 'Restart')) return true;
    return container.restartPolicy !== 'Never';
  }
  return spec.restartPolicy !== 'Never';
}

/**
 * The first of a container's rules that an exit code matches.
 * upstream: pkg/api/v1/pod/util.go FindMatchingContainerRestartRule
 */
export function findMatchingContainerRestartRule(
  container: Container,
  exitCode: number,
): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find((rule) => {
    if (!rule.exitCodes) return false;
    const listed = (rule.exitCodes.values ?? []).includes(exitCode);
    return rule.exitCodes.operator === 'In' ? listed : rule.exitCodes.operator === 'NotIn' ? !listed : false;
  });
}

/** True if a container that ended with `exitCode` starts again under `policy`. */
export const byPolicy = (policy: string, exitCode: number): boolean =>
  policy === 'Never' ? false : policy === 'OnFailure' ? exitCode !== 0 : true;

/** True when some container has a rule that restarts all. upstream: pkg/api/v1/pod/util.go AllContainersCouldRestart */
export function allContainersCouldRestart(spec: PodSpec): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some(
    (c) => c.restartPolicyRules?.some((r) => r.action === 'RestartAllContainers') ?? false,
  );
}

/**
 * Adds or replaces a condition; its transition time stays unless the status changes. True when anything changed.
 * upstream: pkg/api/v1/pod/util.go UpdatePodCondition
 */
export function updatePodCondition(status: PodStatus, condition: PodCondition, now: string): boolean {
  status.conditions ??= [];
  const i = status.conditions.findIndex((c) => c.type === condition.type);
  const old = status.conditions[i];
  if (!old) {
    status.conditions.push({ ...condition, lastTransitionTime: now });
    return true;
  }
  const next = {
    ...condition,
    lastTransitionTime: condition.status === old.status ? (old.lastTransitionTime ?? null) : now,
  };
  status.conditions[i] = next;
  return !(
    next.status === old.status &&
    (next.reason ?? '') === (old.reason ?? '') &&
    (next.message ?? '') === (old.message ?? '') &&
    (next.lastProbeTime ?? null) === (old.lastProbeTime ?? null) &&
    next.lastTransitionTime === (old.lastTransitionTime ?? null)
  );
}
