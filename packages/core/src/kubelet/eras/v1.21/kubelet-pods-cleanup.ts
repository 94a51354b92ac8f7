import type { Pod } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { background, frame, type Go } from '../../../kernel/index.js';
import type { CgroupName } from '../../cm/cgroup-name.js';
import type { RuntimePod } from '../../container/types.js';
import { podsWithCgroups } from '../../kubelet-pods-cleanup.js';
import { cleanupOrphanedPodDirs, podVolumesExist } from '../../kubelet-volumes.js';
import { filterOutTerminatedPods } from './pod-state.js';
import type { KubeletHandle } from './types.js';

/**
 * Compares wanted with running pods and corrects what no event corrects. It runs within the loop, which handles nothing
 * else meanwhile. Throws if the runtime cannot be listed.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).HandlePodCleanups
 */
export function handlePodCleanups(kl: KubeletHandle): Go<void> {
  return frame('HandlePodCleanups', undefined, () => cleanup(kl));
}

function* cleanup(kl: KubeletHandle): Go<void> {
  const { podsLog: log } = kl;
  // Read before the pod manager, so that the cgroup of a pod added in between is not mistaken for an orphan's.
  const cgroupPods = yield* podsWithCgroups(kl);
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();
  const activePods = filterOutTerminatedPods(kl, allPods);
  const desiredPods = new Set(activePods.map((p) => p.metadata.uid));
  kl.eraParts.workers.forgetNonExistingPodWorkers(desiredPods);
  kl.probeManager.cleanupPods(desiredPods);

  for (const runningPod of yield* listed(kl, () => kl.runtimeCache.getPods(background)))
    if (!desiredPods.has(runningPod.id)) yield* kl.eraParts.podKiller.killPod({ apiPod: null, runningPod });

  kl.statusManager.removeOrphanedStatuses(new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid)));
  kl.allocationManager.removeOrphanedPods(new Set(allPods.map((p) => p.metadata.uid)));
  // Listed again, because what was killed just now may still be in the cache.
  const runningPods = yield* listed(kl, () => kl.containerRuntime.getPods(background, false));
  try {
    yield* cleanupOrphanedPodDirs(kl, allPods, runningPods, (uid) =>
      kl.eraParts.podKiller.isPodPendingTerminationByUID(uid),
    );
  } catch (err) {
    log.error(err, 'Failed cleaning up orphaned pod directories');
  }
  yield* deleteOrphanedMirrorPods(kl, orphanedMirrorPodFullNames);
  if (kl.config.cgroupsPerQOS) yield* cleanupOrphanedPodCgroups(kl, cgroupPods, activePods);
  kl.crashLoopBackOff.gc();
}

/** Throws what the runtime answers, once it is logged. */
export function* listed(kl: Pick<KubeletHandle, 'podsLog'>, list: () => Go<RuntimePod[]>): Go<RuntimePod[]> {
  try {
    return yield* list();
  } catch (err) {
    kl.podsLog.error(err, 'Error listing containers');
    throw err;
  }
}

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).deleteOrphanedMirrorPods */
function* deleteOrphanedMirrorPods(kl: KubeletHandle, fullNames: readonly string[]): Go<void> {
  for (const podName of fullNames) {
    if (yield* kl.eraParts.podKiller.isPodPendingTerminationByPodName(podName)) continue;
    try {
      yield* kl.mirrorPodClient.deleteMirrorPod(background, podName, null);
      kl.podsLog.info(3, 'Deleted pod', { podName });
    } catch (err) {
      kl.podsLog.error(err, 'Encountered error when deleting mirror pod', { podName });
    }
  }
}

/** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).cleanupOrphanedPodCgroups */
function* cleanupOrphanedPodCgroups(
  kl: KubeletHandle,
  cgroupPods: ReadonlyMap<string, CgroupName>,
  activePods: readonly Pod[],
): Go<void> {
  const { podsLog: log, kernel } = kl;
  const { podContainers } = kl.containerManager;
  const active = new Set(activePods.map((p) => p.metadata.uid));
  for (const [podUID, name] of cgroupPods) {
    if (active.has(podUID)) continue;
    if (yield* kl.eraParts.podKiller.isPodPendingTerminationByUID(podUID)) {
      log.info(3, 'Pod is pending termination', { podUID });
      continue;
    }
    if (yield* podVolumesExist(kl, podUID)) {
      log.info(3, 'Orphaned pod found, but volumes not yet removed.  Reducing cpu to minimum', { podUID });
      try {
        yield* podContainers.reduceCPULimits(name);
      } catch (err) {
        log.info(0, 'Failed to reduce cpu time for pod pending volume cleanup', { podUID, err: messageOf(err) });
      }
      continue;
    }
    log.info(3, 'Orphaned pod found, removing pod cgroups', { podUID });
    kernel.go(
      'destroy pod cgroup',
      function* () {
        try {
          yield* podContainers.destroy(name);
        } catch (err) {
          log.info(0, 'Failed to delete cgroup paths', { podUID, err: messageOf(err) });
        }
      },
      { place: 'cgroups' },
    );
  }
}
