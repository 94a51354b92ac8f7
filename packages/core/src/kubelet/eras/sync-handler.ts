import type { Pod } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { PodLifecycleEvent } from '../pleg/types.js';
import type { WorkItem } from '../util/queue/work-queue.js';

/** The handlers of what the loop takes. upstream: pkg/kubelet/kubelet.go SyncHandler, and what is around it */
export interface SyncHandler {
  handlePodAdditions(pods: readonly Pod[]): Go<void>;
  handlePodUpdates(pods: readonly Pod[]): void;
  handlePodRemoves(pods: readonly Pod[]): Go<void>;
  handlePodReconcile(pods: readonly Pod[]): void;
  /** Hands pods to their workers again. `due`: their entries in the work queue, for the trace. */
  handlePodSyncs(pods: readonly Pod[], due?: ReadonlyMap<string, WorkItem>): void;
  /** Throws if the pods of the runtime cannot be listed. */
  handlePodCleanups(): Go<void>;
  cleanUpContainersInPod(uid: string, exitedContainerID: string): void;
  /** Called for each event before all other handlers; returns what it noted. */
  noteEvent?(event: PodLifecycleEvent): { readonly lastContainerStartedTime: Micros } | undefined;
}
