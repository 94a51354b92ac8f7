import type { Kernel } from '../../kernel/index.js';
import type { Logger } from '../klog.js';
import type { KubeletParts } from '../parts/types.js';
import { calculateEffectiveGracePeriod, type PodSyncStatus } from './pod-sync-status.js';
import type { WorkerTable } from './worker-table.js';

/** The fate of a worker that is not wanted, or for whose end somebody waits. */
export type Removal = 'remove' | 'terminate' | 'wait';

const removalOf = (status: PodSyncStatus, orphaned: boolean): Removal =>
  status.finished || (orphaned && !hasBegun(status)) ? 'remove' : orphaned ? 'terminate' : 'wait';

const hasBegun = (status: PodSyncStatus): boolean => status.isStarted || status.observedRuntime;

/**
 * Forgets a worker that is done and no longer wanted; sets one that is not done, but orphaned, on its way out.
 * True when the record is gone. upstream: pod_workers.go (*podWorkers).removeTerminatedWorker
 */
export function removeTerminatedWorker(
  kernel: Kernel,
  table: WorkerTable,
  log: Logger,
  uid: string,
  status: PodSyncStatus,
  orphaned: boolean,
  removal: Removal = removalOf(status, orphaned),
): boolean {
  const from = status.finished ? 'finished' : status.workType();
  if (removal === 'wait') {
    log.info(4, 'Pod worker has been requested for removal but is still not fully terminated', { podUID: uid });
    return false;
  }
  if (!status.finished && orphaned) status.deleted = true;
  if (removal === 'terminate') {
    if (status.isTerminationRequested) {
      table.requeueLastPodUpdate(uid, status);
      log.info(4, 'Pod is orphaned and still terminating, notified the pod worker', { podUID: uid });
      return false;
    }
    status.terminatingAt = kernel.now();
    const pod = status.activeUpdate?.pod;
    status.gracePeriod = pod ? calculateEffectiveGracePeriod(status, pod, null).gracePeriod : 1;
    table.moved(status, 'terminating', 'Pod is orphaned and still running, began terminating', 'sync');
    table.requeueLastPodUpdate(uid, status);
    log.info(4, 'Pod is orphaned and still running, began terminating', { podUID: uid });
    return false;
  }
  if (!status.finished) log.info(4, 'Pod is orphaned and has not been started', { podUID: uid });
  const why = status.restartRequested
    ? 'Pod has been terminated but another pod with the same UID was created, remove history to allow restart'
    : 'Pod has been terminated and is no longer known to the kubelet, remove all history';
  log.info(4, why, { podUID: uid });
  table.podSyncStatuses.delete(uid);
  table.cleanupPodUpdates(uid);
  table.releaseStaticPod(uid, status);
  table.moved(status, 'removed', why, from);
  return true;
}

/** Asks a replaced part which workers go; the answer by UID. */
export function removalsByPart(
  table: WorkerTable,
  part: NonNullable<KubeletParts['syncKnownPods']>,
  desired: readonly string[],
): ReadonlyMap<string, Removal> {
  const { remove, terminate } = part({
    desired,
    workers: [...table.podSyncStatuses].map(([uid, status]) => ({
      uid,
      pod: status.ref.pod,
      state: status.finished ? 'finished' : status.workType(),
      started: hasBegun(status),
      restartRequested: status.restartRequested,
    })),
  });
  const removals = new Map<string, Removal>();
  for (const uid of terminate) if (!table.podSyncStatuses.get(uid)?.finished) removals.set(uid, 'terminate');
  for (const uid of remove) removals.set(uid, 'remove');
  return removals;
}
