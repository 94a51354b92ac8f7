import { type Chan, formatDuration, frame, frameSync, type Go, Millisecond, Second } from '../../../kernel/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { PodLifecycleEvent } from '../../pleg/types.js';
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
import type { KubeletHandle } from './types.js';

/** upstream: v1.25 pkg/kubelet/kubelet.go housekeepingWarningDuration */
const housekeepingWarningDuration = 15 * Second;

/** upstream: v1.25 pkg/kubelet/kubelet.go SyncHandler, which is the whole *Kubelet */
const syncHandler = (kl: KubeletHandle): SyncHandler => ({
  handlePodAdditions: (pods) => handlePodAdditions(kl, pods),
  handlePodUpdates: (pods) => handlePodUpdates(kl, pods),
  *handlePodRemoves(pods) {
    handlePodRemoves(kl, pods);
  },
  handlePodReconcile: (pods) => handlePodReconcile(kl, pods),
  handlePodSyncs: (pods, due) => handlePodSyncs(kl, pods, due),
  handlePodCleanups: () => timed(kl),
  cleanUpContainersInPod: (uid, id) => cleanUpContainersInPod(kl, uid, id),
  noteEvent: (e) => noteEvent(kl, e),
});

/** Nothing reads the time any more. upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).lastContainerStartedTime */
const noteEvent = (kl: KubeletHandle, e: PodLifecycleEvent) =>
  e.type === 'ContainerStarted' ? { lastContainerStartedTime: kl.kernel.now() } : undefined;

/**
 * Runs housekeeping, and reports how long it took.
 * upstream: v1.25 within pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
function* timed(kl: KubeletHandle): Go<void> {
  const { kernel, log } = kl;
  const start = kernel.now();
  try {
    yield* handlePodCleanups(kl);
  } catch (err) {
    log.error(err, 'Failed cleaning pods');
  }
  const took = kernel.now() - start;
  if (took > housekeepingWarningDuration)
    log.error(new Error('housekeeping took too long'), 'Housekeeping took longer than 15s', { seconds: took / Second });
  log.info(4, 'SyncLoop (housekeeping) end', {
    duration: formatDuration(Math.round(took / Millisecond) * Millisecond),
  });
}

/** Ends only when configCh is closed. upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncLoop */
export function syncLoop(kl: KubeletHandle, configCh: Chan<PodUpdate>): Go<void> {
  kl.runtimeHelper.checkLimitsForResolvConf();
  const handler = syncHandler(kl);
  const iteration = (channels: LoopChannels) => syncLoopIteration(kl, handler, channels);
  return frame('syncLoop', undefined, () => iterate(kl, configCh, iteration));
}

/**
 * Takes one message and handles it; returns false if configCh is closed.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
function syncLoopIteration(kl: KubeletHandle, handler: SyncHandler, channels: LoopChannels): Go<boolean> {
  const [before, after] = monitored(kl);
  return frame('syncLoopIteration', before, () => takeOneOfSeven(kl, handler, channels), after);
}

/**
 * Removes all dead containers of a pod that its worker has done with, else the older ones.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).cleanUpContainersInPod
 */
function cleanUpContainersInPod(kl: KubeletHandle, uid: string, exitedContainerID: string): void {
  const cleanUp = () => {
    let podStatus: RuntimePodStatus;
    try {
      podStatus = kl.podCache.get(uid);
    } catch {
      return undefined;
    }
    const removeAll = kl.podWorkers.shouldPodContentBeRemoved(uid);
    kl.containerDeletor.deleteContainersInPod(exitedContainerID, podStatus, removeAll);
    return { ShouldPodContentBeRemoved: removeAll };
  };
  frameSync('cleanUpContainersInPod', { uid, container: exitedContainerID }, cleanUp, (decided) => decided);
}
