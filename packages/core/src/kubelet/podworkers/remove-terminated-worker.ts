import type { Kernel } from '../../kernel/index.js';
import type { Logger } from '../klog.js';
import { calculateEffectiveGracePeriod, type PodSyncStatus } from './pod-sync-status.js';
import type { WorkerTable } from './worker-table.js';

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
): boolean {
  const from = status.finished ? 'finished' : status.workType();
  if (!status.finished) {
    if (!orphaned) {
      log.info(4, 'Pod worker has been requested for removal but is still not fully terminated', { podUID: uid });
      return false;
    }
    status.deleted = true;
    if (!status.isStarted && !status.observedRuntime) {
      log.info(4, 'Pod is orphaned and has not been started', { podUID: uid });
    } else if (!status.isTerminationRequested) {
      status.terminatingAt = kernel.now();
      const pod = status.activeUpdate?.pod;
      status.gracePeriod = pod ? calculateEffectiveGracePeriod(status, pod, null).gracePeriod : 1;
      table.moved(status, 'terminating', 'Pod is orphaned and still running, began terminating', 'sync');
      table.requeueLastPodUpdate(uid, status);
      log.info(4, 'Pod is orphaned and still running, began terminating', { podUID: uid });
      return false;
    } else {
      table.requeueLastPodUpdate(uid, status);
      log.info(4, 'Pod is orphaned and still terminating, notified the pod worker', { podUID: uid });
      return false;
    }
  }
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
