import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import type { Pod } from '../../../api/types.js';
import { background, frame, type Go } from '../../../kernel/index.js';
import type { RuntimePod } from '../../container/types.js';
import {
  backOffGC,
  cleanupDirs,
  cleanupOrphanedPodCgroups,
  countsOf,
  namesOf,
  namesOfRunning,
  podOfFullName,
  podsWithCgroups,
} from '../../kubelet-pods-cleanup.js';
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
  const step = kl.steps.ofRound('HandlePodCleanups');
  const cgroupPods = yield* podsWithCgroups(kl);
  step('GetAllPodsFromCgroups', { cgroups: cgroupPods.size });
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();
  step('GetPodsAndMirrorPods', { pods: allPods.length, mirrorPods: mirrorPods.length });
  log.info(3, 'Clean up pod workers for terminated pods');
  const workingPods = kl.podWorkers.knownPods(allPods);
  step('SyncKnownPods', countsOf(workingPods.values()));
  const in_ = (...states: KnownPodState[]) =>
    new Set([...workingPods].filter(([, state]) => states.includes(state)).map(([uid]) => uid));
  const possiblyRunningPods = in_('sync', 'terminating');
  log.info(3, 'Clean up probes for terminated pods');
  step('probeManager.CleanupPods', { stopped: kl.probeManager.cleanupPods(possiblyRunningPods) });
  const running = yield* listed(kl, () => kl.runtimeCache.getPods(background), step, 'runtimeCache.GetPods');
  const wanted = new Set(allPods.map((p) => p.metadata.uid));
  const orphans = running.filter((pod) => !possiblyRunningPods.has(pod.id) && !wanted.has(pod.id));
  step('UpdatePod(SyncPodKill)', { killed: namesOfRunning(orphans) });
  killOrphans(kl, orphans);
  log.info(3, 'Clean up orphaned pod statuses');
  const known = new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid));
  step('removeOrphanedPodStatuses', { removed: kl.statusManager.removeOrphanedStatuses(known) });
  kl.allocationManager.removeOrphanedPods(wanted);
  // Afresh: what was killed just now may still be in the cache.
  const runningPods = yield* listed(
    kl,
    () => kl.containerRuntime.getPods(background, false),
    step,
    'containerRuntime.GetPods',
  );
  log.info(3, 'Clean up orphaned pod user namespace allocations');
  step('CleanupOrphanedPodUsernsAllocations', {});
  log.info(3, 'Clean up orphaned pod directories');
  step('cleanupOrphanedPodDirs', yield* cleanupDirs(log, () => cleanupOrphanedPodDirs(kl, allPods, runningPods)));
  log.info(3, 'Clean up orphaned mirror pods');
  step('deleteOrphanedMirrorPods', { orphans: orphanedMirrorPodFullNames.map(podOfFullName) });
  yield* deleteOrphanedMirrorPods(kl, orphanedMirrorPodFullNames);
  if (kl.config.cgroupsPerQOS) {
    log.info(3, 'Clean up orphaned pod cgroups');
    step('cleanupOrphanedPodCgroups', {
      removed: yield* cleanupOrphanedPodCgroups(kl, cgroupPods, possiblyRunningPods),
    });
  }
  backOffGC(kl, step);
  const recreated = in_('terminated and recreated');
  const restartable = allPods.filter((pod) => recreated.has(pod.metadata.uid));
  step('dispatchWork(SyncPodCreate)', { restarted: namesOf(restartable) });
  for (const pod of restartable) restart(kl, pod);
}

/** Kills pods that run although no source wants them. */
function killOrphans(kl: KubeletHandle, orphans: readonly RuntimePod[]): void {
  for (const runningPod of orphans) {
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
