import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import type { ContainerStatus, Pod, PodStatus } from '../../../api/types.js';
import type { PodManager } from '../../podmanager/types.js';
import type { PodWorkerSync } from '../../podworkers/types.js';
import type { StatusManager } from '../../status/types.js';

/** The parts of the kubelet that know whether a pod has ended: by the status that was last shown of it. */
export interface PodStateDeps {
  readonly podManager: Pick<PodManager, 'getPodByUID'>;
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
}

/**
 * True if no container runs, also for an empty list: not yet started looks like ended.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go notRunning
 */
export const notRunning = (statuses: readonly ContainerStatus[] = []): boolean =>
  statuses.every((s) => s.state.terminated || s.state.waiting);

/** upstream: v1.21 pkg/kubelet/eviction/helpers.go PodIsEvicted */
export const podIsEvicted = (status: PodStatus): boolean => status.phase === 'Failed' && status.reason === 'Evicted';

const statusOf = (kl: PodStateDeps, pod: Pod): PodStatus =>
  kl.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status;

/**
 * Tells whether every container ended, and whether a worker has nothing left to do.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).podAndContainersAreTerminal
 */
export function podAndContainersAreTerminal(
  kl: PodStateDeps,
  pod: Pod,
): { readonly containersTerminal: boolean; readonly podWorkerTerminal: boolean } {
  const status = statusOf(kl, pod);
  const containersTerminal = notRunning(status.containerStatuses);
  const deleted = pod.metadata.deletionTimestamp !== undefined;
  return { containersTerminal, podWorkerTerminal: isPodPhaseTerminal(status.phase) || (deleted && containersTerminal) };
}

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).podIsTerminated */
export const podIsTerminated = (kl: PodStateDeps, pod: Pod): boolean =>
  podAndContainersAreTerminal(kl, pod).podWorkerTerminal;

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).filterOutTerminatedPods */
export const filterOutTerminatedPods = (kl: PodStateDeps, pods: readonly Pod[]): Pod[] =>
  pods.filter((pod) => !podIsTerminated(kl, pod));

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).IsPodTerminated */
function isPodTerminated(kl: PodStateDeps, uid: string): boolean {
  const pod = kl.podManager.getPodByUID(uid);
  return pod === undefined || podIsTerminated(kl, pod);
}

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).IsPodDeleted */
function isPodDeleted(kl: PodStateDeps, uid: string): boolean {
  const pod = kl.podManager.getPodByUID(uid);
  if (!pod) return true;
  const status = statusOf(kl, pod);
  return podIsEvicted(status) || (pod.metadata.deletionTimestamp !== undefined && notRunning(status.containerStatuses));
}

/**
 * Answers what other parts ask of the workers since v1.22, as v1.21 did: from the pod manager and the status manager,
 * since no worker knew.
 */
export function podStateOf(kl: () => PodStateDeps) {
  const ended = (uid: string): boolean => isPodTerminated(kl(), uid);
  const deleted = (uid: string): boolean => isPodDeleted(kl(), uid);
  return {
    isPodKnownTerminated: ended,
    couldHaveRunningContainers: (uid: string) => !deleted(uid),
    shouldPodBeFinished: ended,
    isPodTerminationRequested: deleted,
    shouldPodContainersBeTerminating: ended,
    shouldPodRuntimeBeRemoved: ended,
    shouldPodContentBeRemoved: deleted,
    isPodForMirrorPodTerminatingByFullName: () => false,
    syncKnownPods: () => new Map<string, PodWorkerSync>(),
  };
}
