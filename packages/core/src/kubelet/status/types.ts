import type { Pod, PodStatus } from '../../api/types.js';
import type { Chan, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { ContainerID } from '../container/types.js';

/** upstream: pkg/kubelet/status Manager. Without an API client only the local cache works (fidelity 1:S01). */
export interface StatusManager {
  start(): void;
  /** Returns a copy, free to change. Also found by a mirror's uid (fidelity 1:S15). */
  getPodStatus(uid: string): PodStatus | undefined;
  setPodStatus(pod: Pod, status: PodStatus): void;
  setContainerReadiness(podUID: string, containerID: ContainerID, ready: boolean): void;
  setContainerStartup(podUID: string, containerID: ContainerID, started: boolean): void;
  /** Sets the final status of a pod whose worker ends (fidelity 1:S09, 1:S10). */
  terminatePod(pod: Pod): void;
  /** Forgets the statuses of all other pods; returns their UIDs. */
  removeOrphanedStatuses(podUIDs: ReadonlySet<string>): readonly string[];
  /** Sets the early condition for when sandbox and network are ready (fidelity 1:C13). */
  setPodReadyToStartContainers(pod: Pod): void;
}

/** Tells the API writer whether a terminal phase may be shown. upstream: PodDeletionSafetyProvider */
export interface PodDeletionSafetyProvider {
  podCouldHaveRunningContainers(pod: Pod): boolean;
  /** Returns true if nothing of the pod is left on the node; asked up to v1.26 alone. */
  podResourcesAreReclaimed?(pod: Pod, status: PodStatus): Go<boolean>;
}

/** The calls of the status manager to the API server. Errors are thrown; a pod that is not there is null. */
export interface StatusClient {
  getPod(namespace: string, name: string): Go<Pod | null>;
  /**
   * Patches the status subresource from `old` to `status`; `unchanged`: the patch was empty and nothing was sent.
   * upstream: statusutil.PatchPodStatus
   */
  patchPodStatus(pod: Pod, old: PodStatus, status: PodStatus): Go<{ pod: Pod; patch: string; unchanged: boolean }>;
  /** Deletes a pod with grace period 0, with the uid as precondition. */
  deletePod(namespace: string, name: string, uid: string): Go<void>;
}

/** One pod's entry in the cache. upstream: versionedPodStatus */
export interface VersionedPodStatus {
  readonly version: number;
  readonly podName: string;
  readonly podNamespace: string;
  /** The status comes from TerminatePod, or later. */
  readonly podIsFinished: boolean;
  readonly status: PodStatus;
  /** The time at which the first status of this entry was made. */
  readonly at?: Micros;
}

/** The part of the manager that the API writer uses. */
export interface StatusCache {
  readonly podStatuses: ReadonlyMap<string, VersionedPodStatus>;
  /** Capacity 1: many changes, one signal (fidelity 1:S02). */
  readonly podStatusChannel: Chan<unknown>;
  deletePodStatus(uid: string): void;
}
