import { isPodPhaseTerminal } from '../api/pod/podutil.js';
import { kObj, type Pod } from '../api/types.js';
import { messageOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import { background, frame, type Go } from '../kernel/index.js';
import type { AllocationManager } from './allocation/allocation-manager.js';
import type { CgroupName } from './cm/cgroup-name.js';
import type { ContainerManager } from './cm/container-manager.js';
import type { KubeletConfig } from './config.js';
import type { RuntimeCache } from './container/runtime-cache.js';
import type { RuntimePod } from './container/types.js';
import type { Logger } from './klog.js';
import type { PodVolumesDeps } from './kubelet-volumes.js';
import { cleanupOrphanedPodDirs, podVolumesExist } from './kubelet-volumes.js';
import type { KubeletMetrics } from './metrics/kubelet-metrics.js';
import type { PodMetrics } from './pod-metrics.js';
import { countByStatic, countWorkingPods, publishPodMetrics } from './pod-metrics.js';
import type { MirrorPodClient } from './podmanager/mirror-client.js';
import type { PodManager } from './podmanager/types.js';
import type { KillPodOptions, PodWorkerSync, PodWorkers } from './podworkers/types.js';
import type { ProberManager } from './prober/types.js';
import type { StatusManager } from './status/types.js';
import { isStaticPod } from './types/pod-update.js';
import type { BackOff } from './util/backoff.js';

/** The parts of the kubelet that housekeeping compares and sets right. */
export interface PodCleanupDeps extends PodVolumesDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly podsLog: Logger;
  readonly metrics: KubeletMetrics;
  readonly podMetrics: PodMetrics;
  readonly podManager: PodManager;
  readonly podWorkers: PodWorkers;
  readonly runtimeCache: RuntimeCache;
  readonly probeManager: ProberManager;
  readonly statusManager: StatusManager;
  readonly allocationManager: AllocationManager;
  readonly mirrorPodClient: MirrorPodClient;
  readonly containerManager: Pick<ContainerManager, 'podContainers'>;
  readonly crashLoopBackOff: BackOff;
  filterOutInactivePods(pods: readonly Pod[]): Pod[];
}

/**
 * Compares wanted with running pods and corrects what no event corrects: every 2 s, when all sources are ready.
 * Throws if the runtime cannot be listed. upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).HandlePodCleanups
 */
export function handlePodCleanups(kl: PodCleanupDeps): Go<void> {
  return frame('HandlePodCleanups', undefined, () => cleanup(kl));
}

/** UIDs of pods that have a cgroup, with its name; none if pods have no cgroups of their own. */
export function* podsWithCgroups(
  kl: Pick<PodCleanupDeps, 'config' | 'containerManager'>,
): Go<ReadonlyMap<string, CgroupName>> {
  if (!kl.config.cgroupsPerQOS) return new Map();
  try {
    return yield* kl.containerManager.podContainers.getAllPodsFromCgroups();
  } catch (err) {
    const text = `failed to get list of pods that still exist on cgroup mounts: ${messageOf(err)}`;
    throw new Error(text, { cause: err });
  }
}

function* cleanup(kl: PodCleanupDeps): Go<void> {
  const { podsLog: log, kernel } = kl;
  const ctx = background;
  const cgroupPods = yield* podsWithCgroups(kl);
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();

  log.info(3, 'Clean up pod workers for terminated pods');
  const workingPods = kl.podWorkers.syncKnownPods(allPods);
  const possiblyRunningPods = new Set<string>();
  for (const [uid, sync] of workingPods) if (sync.state !== 'terminated') possiblyRunningPods.add(uid);

  let runningRuntimePods: RuntimePod[];
  try {
    // At least as new as now: it must show everything that the workers know.
    yield* kl.runtimeCache.forceUpdateIfOlder(ctx, kernel.now());
    runningRuntimePods = yield* kl.runtimeCache.getPods(ctx);
  } catch (err) {
    log.error(err, 'Error listing containers');
    throw err;
  }

  log.info(3, 'Clean up probes for terminated pods');
  kl.probeManager.cleanupPods(possiblyRunningPods);
  log.info(3, 'Clean up orphaned pod statuses');
  kl.statusManager.removeOrphanedStatuses(new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid)));
  kl.allocationManager.removeOrphanedPods(new Set(allPods.map((p) => p.metadata.uid)));
  log.info(3, 'Clean up orphaned pod user namespace allocations');
  log.info(3, 'Clean up orphaned pod directories');
  try {
    yield* cleanupOrphanedPodDirs(kl, allPods, runningRuntimePods);
  } catch (err) {
    log.error(err, 'Failed cleaning up orphaned pod directories');
  }

  log.info(3, 'Clean up orphaned mirror pods');
  for (const podName of orphanedMirrorPodFullNames) {
    if (kl.podWorkers.isPodForMirrorPodTerminatingByFullName(podName)) continue;
    try {
      yield* kl.mirrorPodClient.deleteMirrorPod(ctx, podName, null);
      log.info(3, 'Deleted mirror pod', { podName });
    } catch (err) {
      log.error(err, 'Encountered error when deleting mirror pod', { podName });
    }
  }

  const activePods = kl.filterOutInactivePods(allPods);
  kl.podMetrics.desiredPods = countByStatic(allPods, isStaticPod);
  kl.podMetrics.activePods = countByStatic(activePods, isStaticPod);
  kl.podMetrics.mirrorPods = mirrorPods.length;
  restartUnknownPods(kl, activePods, workingPods);
  for (const pod of terminalPodsToDelete(allPods, runningRuntimePods, workingPods)) {
    const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
    log.info(3, 'Handling termination and deletion of the pod to pod workers', kv);
    kl.podWorkers.updatePod({ updateType: 'kill', pod });
  }
  killRuntimeOrphans(kl, runningRuntimePods, workingPods);
  kl.podMetrics.workingPods = countWorkingPods(workingPods.values());
  publishPodMetrics(kl.metrics, kl.podMetrics);

  if (kl.config.cgroupsPerQOS) {
    log.info(3, 'Clean up orphaned pod cgroups');
    yield* cleanupOrphanedPodCgroups(kl, cgroupPods, possiblyRunningPods);
  }
  kl.crashLoopBackOff.gc();
}

/**
 * Removes cgroups of pods that are gone; while volumes of one are still there its memory must stay accounted for, and
 * only its CPU is taken. A removal that fails is tried again at the next housekeeping.
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).cleanupOrphanedPodCgroups
 */
export function* cleanupOrphanedPodCgroups(
  kl: PodVolumesDeps & Pick<PodCleanupDeps, 'containerManager' | 'podsLog'>,
  cgroupPods: ReadonlyMap<string, CgroupName>,
  possiblyRunningPods: ReadonlySet<string>,
): Go<void> {
  const { podsLog: log, kernel } = kl;
  const { podContainers } = kl.containerManager;
  for (const [podUID, name] of cgroupPods) {
    if (possiblyRunningPods.has(podUID)) continue;
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
          log.info(0, 'Failed to destroy orphaned pod cgroup', { podUID, err: messageOf(err) });
        }
      },
      { place: 'cgroups' },
    );
  }
}

/** Starts wanted pods that have no worker, such as a static pod whose namesake of equal uid had to end first. */
function restartUnknownPods(
  kl: Pick<PodCleanupDeps, 'podManager' | 'podMetrics' | 'podWorkers' | 'podsLog'>,
  activePods: readonly Pod[],
  workingPods: Map<string, PodWorkerSync>,
): void {
  for (const desired of activePods) {
    const podUID = desired.metadata.uid;
    if (workingPods.has(podUID)) continue;
    kl.podsLog.info(
      3,
      'Pod will be restarted because it is in the desired set and not known to the pod workers (likely due to UID reuse)',
      { podUID },
    );
    const { pod, mirrorPod, wasMirror } = kl.podManager.getPodAndMirrorPod(desired);
    if (!pod || wasMirror) continue;
    kl.podWorkers.updatePod({ updateType: 'create', pod, ...(mirrorPod && { mirrorPod }) });
    workingPods.set(podUID, { state: 'sync', orphan: false, hasConfig: true, static: isStaticPod(desired) });
    kl.podMetrics.restartedPodsTotal[isStaticPod(desired) ? 'true' : '']++;
  }
}

/** Deleted pods that ended without a worker still have to be finished. upstream: filterTerminalPodsToDelete */
function terminalPodsToDelete(
  allPods: readonly Pod[],
  runningRuntimePods: readonly RuntimePod[],
  workingPods: ReadonlyMap<string, PodWorkerSync>,
): Pod[] {
  const running = new Set(runningRuntimePods.map((p) => p.id));
  return allPods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp &&
      isPodPhaseTerminal(status.phase) &&
      !workingPods.has(metadata.uid) &&
      !running.has(metadata.uid),
  );
}

/** Kills pods that run although no source wants them. */
function killRuntimeOrphans(
  kl: Pick<PodCleanupDeps, 'podMetrics' | 'podWorkers' | 'podsLog'>,
  running: readonly RuntimePod[],
  workingPods: Map<string, PodWorkerSync>,
): void {
  for (const runningPod of running) {
    if (workingPods.has(runningPod.id)) continue;
    const killPodOptions: KillPodOptions = { podTerminationGracePeriodSecondsOverride: 1 };
    kl.podsLog.info(2, 'Clean up containers for orphaned pod we had not seen before', {
      podUID: runningPod.id,
      killPodOptions: { Evict: false, PodTerminationGracePeriodSecondsOverride: 1 },
    });
    kl.podWorkers.updatePod({ updateType: 'kill', runningPod, killPodOptions });
    workingPods.set(runningPod.id, { state: 'terminating', orphan: true, hasConfig: false, static: false });
    kl.podMetrics.orphanedRuntimePodsTotal++;
  }
}
