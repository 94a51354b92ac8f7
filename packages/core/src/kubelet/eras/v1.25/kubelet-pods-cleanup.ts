import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import type { Pod } from '../../../api/types.js';
import { background, frame, type Go } from '../../../kernel/index.js';
import type { RuntimePod } from '../../container/types.js';
import { cleanupOrphanedPodCgroups, podsWithCgroups } from '../../kubelet-pods-cleanup.js';
import { cleanupOrphanedPodDirs } from '../../kubelet-volumes.js';
import { listed } from '../v1.21/kubelet-pods-cleanup.js';
import { dispatchWork } from './handlers.js';
import type { KnownPodState } from './pod-workers.js';
import type { KubeletHandle } from './types.js';

/**
 * Compares wanted with running pods and corrects what no event corrects. Throws if the runtime cannot be listed.
 * upstream: v1.25 pkg/kubelet/kubelet_pods.go (*Kubelet).HandlePodCleanups
 */
export function handlePodCleanups(kl: KubeletHandle): Go<void> {
  return frame('HandlePodCleanups', undefined, () => cleanup(kl));
}

function* cleanup(kl: KubeletHandle): Go<void> {
  const { podsLog: log } = kl;
  const cgroupPods = yield* podsWithCgroups(kl);
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();
  log.info(3, 'Clean up pod workers for terminated pods');
  const workingPods = kl.podWorkers.knownPods(allPods);
  const in_ = (...states: KnownPodState[]) =>
    new Set([...workingPods].filter(([, state]) => states.includes(state)).map(([uid]) => uid));
  const possiblyRunningPods = in_('sync', 'terminating');
  log.info(3, 'Clean up probes for terminated pods');
  kl.probeManager.cleanupPods(possiblyRunningPods);
  killOrphans(kl, yield* listed(kl, () => kl.runtimeCache.getPods(background)), allPods, possiblyRunningPods);
  log.info(3, 'Clean up orphaned pod statuses');
  kl.statusManager.removeOrphanedStatuses(new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid)));
  kl.allocationManager.removeOrphanedPods(new Set(allPods.map((p) => p.metadata.uid)));
  // Afresh: what was killed just now may still be in the cache.
  const runningPods = yield* listed(kl, () => kl.containerRuntime.getPods(background, false));
  log.info(3, 'Clean up orphaned pod directories');
  try {
    yield* cleanupOrphanedPodDirs(kl, allPods, runningPods);
  } catch (err) {
    log.error(err, 'Failed cleaning up orphaned pod directories');
  }
  log.info(3, 'Clean up orphaned mirror pods');
  yield* deleteOrphanedMirrorPods(kl, orphanedMirrorPodFullNames);
  if (kl.config.cgroupsPerQOS) {
    log.info(3, 'Clean up orphaned pod cgroups');
    yield* cleanupOrphanedPodCgroups(kl, cgroupPods, possiblyRunningPods);
  }
  kl.crashLoopBackOff.gc();
  const restartable = in_('terminated and recreated');
  for (const pod of allPods) if (restartable.has(pod.metadata.uid)) restart(kl, pod);
}

/** Kills pods that run although no source wants them. */
function killOrphans(
  kl: KubeletHandle,
  running: readonly RuntimePod[],
  allPods: readonly Pod[],
  possiblyRunning: ReadonlySet<string>,
): void {
  const wanted = new Set(allPods.map((p) => p.metadata.uid));
  for (const runningPod of running) {
    if (possiblyRunning.has(runningPod.id) || wanted.has(runningPod.id)) continue;
    kl.podsLog.info(3, 'Clean up orphaned pod containers', { podUID: runningPod.id });
    const killPodOptions = { podTerminationGracePeriodSecondsOverride: 1 };
    kl.podWorkers.updatePod({ updateType: 'kill', runningPod, killPodOptions });
  }
}

/** upstream: v1.25 pkg/kubelet/kubelet_pods.go (*Kubelet).deleteOrphanedMirrorPods */
function* deleteOrphanedMirrorPods(kl: KubeletHandle, fullNames: readonly string[]): Go<void> {
  for (const podName of fullNames) {
    if (kl.podWorkers.isPodForMirrorPodTerminatingByFullName(podName)) continue;
    try {
      yield* kl.mirrorPodClient.deleteMirrorPod(background, podName, null);
      kl.podsLog.info(3, 'Deleted mirror pod', { podName });
    } catch (err) {
      kl.podsLog.error(err, 'Encountered error when deleting mirror pod', { podName });
    }
  }
}

/** Restarts a pod that ended, and was wanted again under the same UID meanwhile: last of all. */
function restart(kl: KubeletHandle, pod: Pod): void {
  const kv = { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, podUID: pod.metadata.uid };
  const { phase } = kl.statusManager.getPodStatus(pod.metadata.uid) ?? {};
  if (isPodPhaseTerminal(pod.status.phase) || isPodPhaseTerminal(phase)) {
    const why = 'Pod is restartable after termination due to UID reuse, but pod phase is terminal';
    kl.podsLog.info(3, why, kv);
    return;
  }
  kl.podsLog.info(3, 'Pod is restartable after termination due to UID reuse', kv);
  dispatchWork(kl, pod, 'create', kl.podManager.getMirrorPodByPod(pod));
}
