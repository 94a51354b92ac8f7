import { getContainerStatus, getPodConditionFromList, isRestartableInitContainer } from '../../api/pod/podutil.js';
import type { ContainerStatus, Pod, PodCondition, PodPhase, PodSpec, PodStatus } from '../../api/types.js';
import { allContainersRestartCleanedUp, shouldAllContainersRestart } from '../container/helpers.js';
import type { Runtime, RuntimePodStatus } from '../container/types.js';
import { isBefore } from '../emulation.js';
import { type FeatureConfig, featureEnabled } from '../features.js';

/** Reasons of conditions. upstream: pkg/kubelet/status/generate.go */
export const ConditionReason = {
  UnknownContainerStatuses: 'UnknownContainerStatuses',
  PodCompleted: 'PodCompleted',
  PodFailed: 'PodFailed',
  ContainersNotReady: 'ContainersNotReady',
  ContainersNotInitialized: 'ContainersNotInitialized',
  ReadinessGatesNotReady: 'ReadinessGatesNotReady',
  RestartAllContainersStarted: 'RestartAllContainersStarted',
} as const;

/**
 * A condition in the API's field order; empty fields are left out. upstream sets observedGeneration to the pod's
 * generation (gate PodObservedGenerationTracking).
 */
export function condition(
  pod: Pod | null,
  type: string,
  status: PodCondition['status'],
  reason = '',
  message = '',
): PodCondition {
  const generation = pod?.metadata.generation ?? 0;
  return {
    type,
    ...(generation > 0 ? { observedGeneration: generation } : {}),
    status,
    lastProbeTime: null,
    lastTransitionTime: null,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
}

/** Names as Go prints a list: [a b]. */
const goList = (names: readonly string[]): string => `[${names.join(' ')}]`;

function listed(unknown: readonly string[], others: readonly string[], what: string): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: ${goList(unknown)}`);
  if (others.length > 0) parts.push(`containers with ${what} status: ${goList(others)}`);
  return parts.join(', ');
}

/**
 * Generates ContainersReady (fidelity 1:G01). `statuses` are those of init and regular containers together; undefined:
 * none is known.
 * upstream: pkg/kubelet/status/generate.go GenerateContainersReadyCondition
 */
export function generateContainersReadyCondition(
  pod: Pod,
  statuses: readonly ContainerStatus[] | undefined,
  phase: PodPhase | undefined,
): PodCondition {
  return containersReady(pod, 'ContainersReady', statuses, phase);
}

function containersReady(
  pod: Pod,
  type: string,
  statuses: readonly ContainerStatus[] | undefined,
  phase: PodPhase | undefined,
): PodCondition {
  if (!statuses) return condition(pod, type, 'False', ConditionReason.UnknownContainerStatuses);
  const unknown: string[] = [];
  const unready: string[] = [];
  for (const c of [...(pod.spec.initContainers ?? []).filter(isRestartableInitContainer), ...pod.spec.containers]) {
    const status = getContainerStatus(statuses, c.name);
    if (!status) unknown.push(c.name);
    else if (!status.ready) unready.push(c.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return terminalPhaseCondition(pod, type, phase);
  // Containers may still be on their way down.
  if (phase === 'Failed') return terminalPhaseCondition(pod, type, phase);
  const message = listed(unknown, unready, 'unready');
  return message
    ? condition(pod, type, 'False', ConditionReason.ContainersNotReady, message)
    : condition(pod, type, 'True');
}

/**
 * Returns the condition Ready or ContainersReady of a pod in a terminal phase.
 * upstream: generateContainersReadyConditionForTerminalPhase, generatePodReadyConditionForTerminalPhase
 */
export function terminalPhaseCondition(pod: Pod, type: string, phase: PodPhase | undefined): PodCondition {
  return condition(
    pod,
    type,
    'False',
    phase === 'Failed' ? ConditionReason.PodFailed : phase === 'Succeeded' ? ConditionReason.PodCompleted : '',
  );
}

/**
 * Generates Ready: ContainersReady, and then the readiness gates (fidelity 1:G02).
 * upstream: pkg/kubelet/status/generate.go GeneratePodReadyCondition
 */
export function generatePodReadyCondition(
  pod: Pod,
  conditions: readonly PodCondition[],
  statuses: readonly ContainerStatus[] | undefined,
  phase: PodPhase | undefined,
): PodCondition {
  const ready = containersReady(pod, 'Ready', statuses, phase);
  if (ready.status !== 'True') return ready;
  const unready: string[] = [];
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const gate = getPodConditionFromList(conditions, conditionType);
    if (!gate) unready.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (gate.status !== 'True')
      unready.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
  }
  return unready.length > 0
    ? condition(pod, 'Ready', 'False', ConditionReason.ReadinessGatesNotReady, unready.join(', '))
    : ready;
}

/** upstream: pkg/kubelet/container/helpers.go HasAnyRegularContainerStarted */
export function hasAnyRegularContainerStarted(spec: PodSpec, statuses: readonly ContainerStatus[]): boolean {
  return statuses.some(
    (s) =>
      spec.containers.some((c) => c.name === s.name) &&
      (s.state.running !== undefined || s.state.terminated !== undefined),
  );
}

/** Generates Initialized (fidelity 1:G03). upstream: pkg/kubelet/status/generate.go GeneratePodInitializedCondition */
export function generatePodInitializedCondition(
  gates: FeatureConfig & Parameters<typeof isBefore>[0],
  pod: Pod,
  oldPodStatus: PodStatus,
  statuses: readonly ContainerStatus[] | undefined,
  phase: PodPhase | undefined,
): PodCondition {
  const type = 'Initialized';
  const initContainers = pod.spec.initContainers ?? [];
  if (!statuses && initContainers.length > 0)
    return condition(pod, type, 'False', ConditionReason.UnknownContainerStatuses);
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const c of initContainers) {
    const status = getContainerStatus(statuses, c.name);
    if (!status) unknown.push(c.name);
    else if (!(isRestartableInitContainer(c) ? (status.started ?? false) : status.ready)) incomplete.push(c.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return condition(pod, type, 'True', ConditionReason.PodCompleted);
  // Sidecars that restart later do not undo it. Kubelets before sidecars look at the init containers alone.
  if (!isBefore(gates, 28) && hasAnyRegularContainerStarted(pod.spec, statuses ?? []))
    return condition(pod, type, 'True');
  const message = listed(unknown, incomplete, 'incomplete');
  if (!message) return condition(pod, type, 'True');
  // Once initialised, always initialised: a restart of all containers sets init containers back to waiting.
  const was = getPodConditionFromList(oldPodStatus.conditions, type)?.status;
  if (was === 'True' && featureEnabled(gates, 'RestartAllContainersOnContainerExits'))
    return condition(pod, type, 'True');
  return condition(pod, type, 'False', ConditionReason.ContainersNotInitialized, message);
}

/**
 * True while the present sandbox can be used (fidelity 1:G04).
 * upstream: pkg/kubelet/status/generate.go GeneratePodReadyToStartContainersCondition
 */
export function generatePodReadyToStartContainersCondition(
  pod: Pod,
  podStatus: RuntimePodStatus,
  runtime: Pick<Runtime, 'podSandboxChanged'>,
): PodCondition {
  return condition(
    pod,
    'PodReadyToStartContainers',
    runtime.podSandboxChanged(pod, podStatus).changed ? 'False' : 'True',
  );
}

/**
 * Generates AllContainersRestarting, for pods that have a rule for it. It has no observedGeneration.
 * upstream: pkg/kubelet/status/generate.go GenerateAllContainersRestartingCondition
 */
export function generateAllContainersRestartingCondition(
  pod: Pod,
  podStatus: RuntimePodStatus,
  oldPodStatus: PodStatus,
  phase: PodPhase | undefined,
): PodCondition {
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded') return condition(null, type, 'False', ConditionReason.PodCompleted);
  if (phase === 'Failed') return condition(null, type, 'False', ConditionReason.PodFailed);
  if (!shouldAllContainersRestart(pod, podStatus, oldPodStatus) || allContainersRestartCleanedUp(pod, podStatus))
    return condition(null, type, 'False');
  return condition(
    null,
    type,
    'True',
    ConditionReason.RestartAllContainersStarted,
    'container exited with restart policy rule',
  );
}

/**
 * Returns true if an API change makes Ready stale, for pods with readiness gates (fidelity 1:B15).
 * upstream: pkg/kubelet/status/status_manager.go NeedToReconcilePodReadiness
 */
export function needToReconcilePodReadiness(pod: Pod): boolean {
  if (!pod.spec.readinessGates?.length) return false;
  const { conditions = [], containerStatuses, phase } = pod.status;
  const current = getPodConditionFromList(conditions, 'Ready');
  if (!current) return false;
  const ready = generatePodReadyCondition(pod, conditions, containerStatuses, phase);
  return current.status !== ready.status || (current.message ?? '') !== (ready.message ?? '');
}
