import type { Pod } from '../../../api/types.js';
import { type Chan, frame, frameSync, type Go } from '../../../kernel/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { LoopChannels } from '../../sync-loop.js';
import type { PodUpdate } from '../../types/pod-update.js';
import type { SyncHandler } from '../sync-handler.js';
import { iterate, monitored, takeOneOfSeven } from '../sync-loop-parts.js';
import {
  handlePodAdditions,
  handlePodReconcile,
  handlePodRemoves,
  handlePodSyncs,
  handlePodUpdates,
} from './handlers.js';
import { handlePodCleanups } from './kubelet-pods-cleanup.js';
import { notRunning, podIsEvicted } from './pod-state.js';
import type { KubeletHandle } from './types.js';

/** upstream: v1.21 pkg/kubelet/kubelet.go SyncHandler, which is the whole *Kubelet */
export const syncHandler = (kl: KubeletHandle): SyncHandler => ({
  handlePodAdditions: (pods) => handlePodAdditions(kl, pods),
  handlePodUpdates: (pods) => handlePodUpdates(kl, pods),
  handlePodRemoves: (pods) => handlePodRemoves(kl, pods),
  handlePodReconcile: (pods) => handlePodReconcile(kl, pods),
  handlePodSyncs: (pods, due) => handlePodSyncs(kl, pods, due),
  handlePodCleanups: () => handlePodCleanups(kl),
  cleanUpContainersInPod: (uid, id) => cleanUpContainersInPod(kl, uid, id),
  noteEvent(e) {
    if (e.type !== 'ContainerStarted') return undefined;
    const lastContainerStartedTime = kl.kernel.now();
    kl.eraParts.lastContainerStartedTime.set(e.id, lastContainerStartedTime);
    return { lastContainerStartedTime };
  },
});

/** Ends only when configCh is closed. upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).syncLoop */
export function syncLoop(kl: KubeletHandle, configCh: Chan<PodUpdate>): Go<void> {
  kl.runtimeHelper.checkLimitsForResolvConf();
  const handler = syncHandler(kl);
  const iteration = (channels: LoopChannels) => syncLoopIteration(kl, handler, channels);
  return frame('syncLoop', undefined, () => iterate(kl, configCh, iteration));
}

/**
 * Takes one message and handles it; returns false if configCh is closed.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
export function syncLoopIteration(kl: KubeletHandle, handler: SyncHandler, channels: LoopChannels): Go<boolean> {
  const [before, after] = monitored(kl);
  return frame('syncLoopIteration', before, () => takeOneOfSeven(kl, handler, channels), after);
}

/**
 * Removes all dead containers of a pod that is evicted or deleted, else the older ones.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).cleanUpContainersInPod
 */
function cleanUpContainersInPod(kl: KubeletHandle, uid: string, exitedContainerID: string): void {
  const cleanUp = () => {
    let podStatus: RuntimePodStatus;
    try {
      podStatus = kl.podCache.get(uid);
    } catch {
      return undefined;
    }
    const pod = kl.podManager.getPodByUID(uid);
    const removeAll = pod !== undefined && removesAll(kl, pod, podStatus);
    kl.containerDeletor.deleteContainersInPod(exitedContainerID, podStatus, removeAll);
    return { removeAll };
  };
  frameSync('cleanUpContainersInPod', { uid, container: exitedContainerID }, cleanUp, (decided) => decided);
}

function removesAll(kl: KubeletHandle, pod: Pod, podStatus: RuntimePodStatus): boolean {
  if (podIsEvicted(pod.status)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return notRunning(kl.generateAPIPodStatus(pod, podStatus, false).containerStatuses);
}
