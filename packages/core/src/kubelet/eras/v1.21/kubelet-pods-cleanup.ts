import type { Pod } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { background, frame, type Go } from '../../../kernel/index.js';
import type { Step } from '../../call-steps.js';
import type { CgroupName } from '../../cm/cgroup-name.js';
import type { RuntimePod } from '../../container/types.js';
import {
  backOffGC,
  cleanupDirs,
  namesOf,
  namesOfRunning,
  podOfFullName,
  podsWithCgroups,
} from '../../kubelet-pods-cleanup.js';
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
  const step = kl.steps.ofRound('HandlePodCleanups');
  // Read before the pod manager, so that the cgroup of a pod added in between is not mistaken for an orphan's.
  const cgroupPods = yield* podsWithCgroups(kl);
  step('GetAllPodsFromCgroups', { cgroups: cgroupPods.size });
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();
  step('GetPodsAndMirrorPods', { pods: allPods.length, mirrorPods: mirrorPods.length });
  const activePods = filterOutTerminatedPods(kl, allPods);
  const desiredPods = new Set(activePods.map((p) => p.metadata.uid));
  const terminated = allPods.filter((pod) => !desiredPods.has(pod.metadata.uid));
  step('filterOutTerminatedPods', { desiredPods: desiredPods.size, terminated: namesOf(terminated) });
  step('ForgetNonExistingPodWorkers', { forgotten: kl.eraParts.workers.forgetNonExistingPodWorkers(desiredPods) });
  step('probeManager.CleanupPods', { stopped: kl.probeManager.cleanupPods(desiredPods) });

  const running = yield* listed(kl, () => kl.runtimeCache.getPods(background), step, 'runtimeCache.GetPods');
  const unwanted = running.filter((pod) => !desiredPods.has(pod.id));
  step('podKillingCh', { killed: namesOfRunning(unwanted) });
  step('podKiller.KillPod', { killed: namesOfRunning(unwanted) });
  for (const runningPod of unwanted) yield* kl.eraParts.podKiller.killPod({ apiPod: null, runningPod });

  const known = new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid));
  step('removeOrphanedPodStatuses', { removed: kl.statusManager.removeOrphanedStatuses(known) });
  kl.allocationManager.removeOrphanedPods(new Set(allPods.map((p) => p.metadata.uid)));
  // Listed again, because what was killed just now may still be in the cache.
  const runningPods = yield* listed(
    kl,
    () => kl.containerRuntime.getPods(background, false),
    step,
    'containerRuntime.GetPods',
  );
  const dirs = yield* cleanupDirs(log, () =>
    cleanupOrphanedPodDirs(kl, allPods, runningPods, (uid) => kl.eraParts.podKiller.isPodPendingTerminationByUID(uid)),
  );
  step('cleanupOrphanedPodDirs', dirs);
  const orphans = orphanedMirrorPodFullNames.map(podOfFullName);
  step('podManager.DeleteOrphanedMirrorPods', { orphans });
  step('deleteOrphanedMirrorPods', { orphans });
  yield* deleteOrphanedMirrorPods(kl, orphanedMirrorPodFullNames);
  if (kl.config.cgroupsPerQOS)
    step('cleanupOrphanedPodCgroups', { removed: yield* cleanupOrphanedPodCgroups(kl, cgroupPods, activePods) });
  backOffGC(kl, step);
}

/** Lists the runtime's pods as a step. Throws what the runtime answers, once it is logged. */
export function* listed(
  kl: Pick<KubeletHandle, 'podsLog'>,
  list: () => Go<RuntimePod[]>,
  step: Step<'HandlePodCleanups'>,
  name: 'runtimeCache.GetPods' | 'containerRuntime.GetPods',
): Go<RuntimePod[]> {
  try {
    const pods = yield* list();
    step(name, { running: pods.length });
    return pods;
  } catch (err) {
    kl.podsLog.error(err, 'Error listing containers');
    step(name, { error: messageOf(err) });
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
): Go<readonly string[]> {
  const { podsLog: log, kernel } = kl;
  const removed: string[] = [];
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
    removed.push(podUID);
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
  return removed;
}
