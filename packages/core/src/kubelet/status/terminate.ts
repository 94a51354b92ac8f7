import { allContainersCouldRestart, isRestartableInitContainer } from '../../api/pod/podutil.js';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../api/types.js';
import { containerShouldRestart } from '../container/restart-policy.js';
import { type FeatureConfig, featureEnabled } from '../features.js';

/** upstream: pkg/kubelet/container/runtime.go ContainerReasonStatusUnknown */
export const ContainerReasonStatusUnknown = 'ContainerStatusUnknown';

const lost = (): ContainerStatus['state'] => ({
  terminated: {
    exitCode: 137,
    reason: ContainerReasonStatusUnknown,
    message: 'The container could not be located when the pod was terminated',
    startedAt: null,
    finishedAt: null,
  },
});

/**
 * The container states of a pod whose life is over (fidelity 1:S09): what is not known to have ended has failed.
 * Changes `status` in place and returns it; the phase stays. Judges initialisation by `pod.status`, not by `status`, as
 * upstream.
 * upstream: pkg/kubelet/status/status_manager.go TerminatePod
 */
export function terminatedStatus(pod: Pod, status: PodStatus): PodStatus {
  if (hasPodInitialized(pod)) for (const c of status.containerStatuses ?? []) if (!c.state.terminated) c.state = lost();
  for (const c of initializedContainers(status.initContainerStatuses ?? [])) if (!c.state.terminated) c.state = lost();
  return status;
}

/** Returns true if regular containers may have started. upstream: hasPodInitialized */
export function hasPodInitialized(pod: Pod): boolean {
  const init = pod.spec.initContainers ?? [];
  if (init.length === 0) return true;
  if (pod.status.containerStatuses?.some((s) => s.lastState.terminated || !s.state.waiting)) return true;
  const statuses = pod.status.initContainerStatuses ?? [];
  const last = statuses[statuses.length - 1];
  const container = init[statuses.length - 1];
  if (!last || !container || last.name !== container.name) return false;
  if (isRestartableInitContainer(container)) return last.state.running !== undefined && last.started === true;
  return last.lastState.terminated?.exitCode === 0 || last.state.terminated?.exitCode === 0;
}

/**
 * Returns all statuses up to the last that shows a start, and the first in any case.
 * upstream: initializedContainers
 */
export function initializedContainers(statuses: ContainerStatus[]): ContainerStatus[] {
  for (let i = statuses.length - 1; i >= 0; i--) {
    const s = statuses[i] as ContainerStatus;
    if (!s.state.waiting || s.lastState.terminated) return statuses.slice(0, i + 1);
  }
  return statuses.slice(0, 1);
}

/**
 * Returns the error of a transition from one status to the other, or null (fidelity 1:S11).
 * upstream: checkContainerStateTransition
 */
export function checkContainerStateTransition(
  gates: FeatureConfig,
  old: PodStatus,
  status: PodStatus,
  spec: PodSpec,
): Error | null {
  if ((spec.restartPolicy ?? 'Always') === 'Always') return null;
  if (featureEnabled(gates, 'RestartAllContainersOnContainerExits') && allContainersCouldRestart(spec)) return null;
  const mayLeave = (s: ContainerStatus, containers: readonly Container[]): boolean => {
    const { terminated } = s.state;
    if (!terminated) return true;
    if (terminated.exitCode !== 0 && spec.restartPolicy === 'OnFailure') return true;
    if (!featureEnabled(gates, 'ContainerRestartRules')) return false;
    return containers.some((c) => c.name === s.name && containerShouldRestart(gates, c, spec, terminated.exitCode));
  };
  const leaves = (s: ContainerStatus, next: readonly ContainerStatus[] | undefined): boolean =>
    next?.some((n) => n.name === s.name && !n.state.terminated) ?? false;
  for (const s of old.containerStatuses ?? [])
    if (!mayLeave(s, spec.containers) && leaves(s, status.containerStatuses))
      return new Error(`terminated container ${s.name} attempted illegal transition to non-terminated state`);
  const init = spec.initContainers ?? [];
  for (const [i, s] of (old.initContainerStatuses ?? []).entries()) {
    const container = init[i];
    if (container?.name !== s.name)
      return new Error(`found mismatch between pod spec and status, container: ${s.name}`);
    if (isRestartableInitContainer(container)) continue;
    if (!mayLeave(s, init) && leaves(s, status.initContainerStatuses))
      return new Error(`terminated init container ${s.name} attempted illegal transition to non-terminated state`);
  }
  return null;
}
