import { getContainerStatus, isRestartableInitContainer } from '../api/pod/podutil.js';
import { type Container, type ContainerStatus, type Pod, type PodPhase, podRef } from '../api/types.js';
import type { Kernel } from '../kernel/index.js';
import { containerShouldRestart } from './container/restart-policy.js';
import { isBefore } from './emulation.js';
import { type FeatureConfig, featureEnabled } from './features.js';
import { isStaticPod } from './types/pod-update.js';

/** upstream: pkg/kubelet/kubelet_pods.go RestartingAllContainers */
export const RestartingAllContainers = 'RestartingAllContainers';

type PhaseConfig = FeatureConfig & Parameters<typeof isBefore>[0];

/** The counts of getPhase, for the trace. */
export interface PhaseCounts {
  pendingRegularInit: number;
  pendingSidecars: number;
  failedInitNotRestartable: number;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  stoppedNotRestartable: number;
  succeeded: number;
}

/**
 * A pod's phase from the states of its containers (fidelity 1:G06 to 1:G09). `statuses` are those of init and regular
 * containers; `podIsTerminal`: nothing of it will start again; `podHasInitialized`: a regular container exists in the
 * current sandbox, or, before 1.33, has been started at all.
 * upstream: pkg/kubelet/kubelet_pods.go getPhase
 */
export function getPhase(
  kernel: Kernel,
  gates: PhaseConfig,
  pod: Pod,
  statuses: readonly ContainerStatus[],
  podIsTerminal: boolean,
  podHasInitialized: boolean,
): PodPhase {
  const counts = countContainers(gates, pod, statuses);
  const [phase, why] = phaseOf(gates, pod, counts, podIsTerminal, podHasInitialized);
  kernel.emit({
    kind: 'decision',
    rule: 'getPhase',
    verdict: phase,
    values: { why, ...counts, podIsTerminal, podHasInitialized },
    ...podRef(pod),
  });
  return phase;
}

function phaseOf(
  gates: PhaseConfig,
  pod: Pod,
  n: PhaseCounts,
  podIsTerminal: boolean,
  podHasInitialized: boolean,
): [PodPhase, string] {
  if (n.failedInitNotRestartable > 0) return ['Failed', 'an init container failed and will not be restarted'];
  // Before 1.32 a regular container that had ever been started was enough for both kinds.
  const onceInitialized = podHasInitialized && isBefore(gates, 32);
  if (n.pendingRegularInit > 0 && !onceInitialized) return ['Pending', 'an init container has not finished'];
  if (n.pendingSidecars > 0 && !podHasInitialized) return ['Pending', 'a sidecar has not started'];
  if (n.waiting > 0) return ['Pending', 'a container waits for its first start'];
  if (n.running > 0 && n.unknown === 0) return ['Running', 'a container is running'];
  if (n.running === 0 && n.stopped > 0 && n.unknown === 0) {
    const allSucceeded = n.stopped === n.succeeded;
    if (podIsTerminal && !isStaticPod(pod))
      return allSucceeded ? ['Succeeded', 'terminal, all exited 0'] : ['Failed', 'terminal, not all exited 0'];
    // Without container rules a pod is over when all containers ended well, unless its policy is Always.
    const byPod = !featureEnabled(gates, 'ContainerRestartRules') && (pod.spec.restartPolicy ?? 'Always') !== 'Always';
    if (byPod && allSucceeded) return ['Succeeded', 'all exited 0'];
    if (n.stopped !== n.stoppedNotRestartable) return ['Running', 'a stopped container will be restarted'];
    return allSucceeded ? ['Succeeded', 'all exited 0'] : ['Failed', 'all stopped for good, not all exited 0'];
  }
  return ['Pending', 'some container has no status'];
}

function countContainers(gates: FeatureConfig, pod: Pod, statuses: readonly ContainerStatus[]): PhaseCounts {
  const n: PhaseCounts = {
    pendingRegularInit: 0,
    pendingSidecars: 0,
    failedInitNotRestartable: 0,
    unknown: 0,
    running: 0,
    waiting: 0,
    stopped: 0,
    stoppedNotRestartable: 0,
    succeeded: 0,
  };
  for (const c of pod.spec.initContainers ?? []) {
    const status = getContainerStatus(statuses, c.name);
    if (isRestartableInitContainer(c)) countSidecar(n, status);
    else {
      // Waiting after an end counts as that end.
      const ended =
        status?.state.terminated ??
        (status?.state.waiting && !status.state.running ? status.lastState.terminated : undefined);
      if (status?.state.running || !ended) n.pendingRegularInit++;
      else if (ended.exitCode !== 0 && !restartable(gates, pod, c, ended)) n.failedInitNotRestartable++;
    }
  }
  for (const c of pod.spec.containers) {
    const status = getContainerStatus(statuses, c.name);
    if (status?.state.running) n.running++;
    else if (status?.state.terminated) {
      n.stopped++;
      if (!restartable(gates, pod, c, status.state.terminated)) n.stoppedNotRestartable++;
      if (status.state.terminated.exitCode === 0) n.succeeded++;
    } else if (status?.state.waiting) {
      // A crash-looping container is stopped, not waiting (fidelity 1:G08).
      const ended = status.lastState.terminated;
      if (!ended) n.waiting++;
      else {
        n.stopped++;
        if (!restartable(gates, pod, c, ended)) n.stoppedNotRestartable++;
      }
    } else n.unknown++;
  }
  return n;
}

/** Counts a sidecar; how it ended never matters (fidelity 1:G09). */
function countSidecar(n: PhaseCounts, status: ContainerStatus | undefined): void {
  if (!status) n.unknown++;
  else if (status.state.running) {
    if (!status.started) n.pendingSidecars++;
    n.running++;
  } else if (status.state.terminated) return;
  else if (status.state.waiting) {
    if (status.lastState.terminated) return;
    n.pendingSidecars++;
    n.waiting++;
  } else {
    n.pendingSidecars++;
    n.unknown++;
  }
}

/**
 * Returns true if a container that has ended will run again. Without container rules the pod's policy decides over all.
 */
function restartable(
  gates: FeatureConfig,
  pod: Pod,
  container: Container,
  ended: { exitCode: number; reason?: string },
): boolean {
  if (!featureEnabled(gates, 'ContainerRestartRules')) return pod.spec.restartPolicy !== 'Never';
  if (containerShouldRestart(gates, container, pod.spec, ended.exitCode)) return true;
  return ended.reason === RestartingAllContainers && featureEnabled(gates, 'RestartAllContainersOnContainerExits');
}
