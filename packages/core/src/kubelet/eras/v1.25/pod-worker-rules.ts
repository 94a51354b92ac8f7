import type { Pod } from '../../../api/types.js';
import type { PodSyncStatus } from '../../podworkers/pod-sync-status.js';
import type { KillPodOptions } from '../../podworkers/types.js';

/**
 * The shortest grace period asked for so far, in seconds, at least 1; and whether it changed one that was recorded. An
 * override of 0 counts as none.
 * upstream: v1.25 pkg/kubelet/pod_workers.go calculateEffectiveGracePeriod
 */
export function calculateEffectiveGracePeriod(
  status: Pick<PodSyncStatus, 'gracePeriod'>,
  pod: Pod,
  options: KillPodOptions | undefined,
): { readonly gracePeriod: number; readonly shortened: boolean } {
  let { gracePeriod } = status;
  const overrides = [
    pod.metadata.deletionGracePeriodSeconds ?? undefined,
    options?.podTerminationGracePeriodSecondsOverride,
  ];
  for (const override of overrides)
    if (override !== undefined && (gracePeriod === 0 || override < gracePeriod)) gracePeriod = override;
  if (gracePeriod === 0) gracePeriod = pod.spec.terminationGracePeriodSeconds ?? 0;
  gracePeriod = Math.max(gracePeriod, 1);
  return { gracePeriod, shortened: status.gracePeriod !== 0 && status.gracePeriod !== gracePeriod };
}

/**
 * Returns true if a static pod may start: those of one name start one at a time, in the order they came. Changes the
 * maps.
 * upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).allowStaticPodStart
 */
export function allowStaticPodStart(
  startedByFullname: Map<string, string>,
  waitingByFullname: Map<string, string[]>,
  statuses: ReadonlyMap<string, PodSyncStatus>,
  { fullname }: PodSyncStatus,
  uid: string,
): boolean {
  const started = startedByFullname.get(fullname);
  if (started !== undefined) return started === uid;
  let waiting = waitingByFullname.get(fullname) ?? [];
  for (const [i, waitingUID] of waiting.entries()) {
    const status = statuses.get(waitingUID);
    // Removed or terminating: it will never start, so no other pod waits for it.
    if (!status || status.isTerminationRequested || status.isTerminated) continue;
    if (waitingUID !== uid) {
      waitingByFullname.set(fullname, waiting.slice(i));
      return false;
    }
    waiting = waiting.slice(i + 1);
    break;
  }
  if (waiting.length > 0) waitingByFullname.set(fullname, waiting);
  else waitingByFullname.delete(fullname);
  startedByFullname.set(fullname, uid);
  return true;
}
