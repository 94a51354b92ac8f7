import { isPodPhaseTerminal } from '../api/pod/podutil.js';
import { kObj, type Pod } from '../api/types.js';
import { messageOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import { background, frame, type Go } from '../kernel/index.js';
import type { AllocationManager } from './allocation/allocation-manager.js';
import type { CallSteps, Found } from './call-steps.js';
import type { CgroupName } from './cm/cgroup-name.js';
import type { ContainerManager } from './cm/container-manager.js';
import type { KubeletConfig } from './config.js';
import type { RuntimeCache } from './container/runtime-cache.js';
import type { RuntimePod } from './container/types.js';
import type { Logger } from './klog.js';
import type { PodVolumesDeps } from './kubelet-volumes.js';
import { cleanupOrphanedPodDirs, type OrphanedPodDirs, podVolumesExist } from './kubelet-volumes.js';
import type { KubeletMetrics } from './metrics/kubelet-metrics.js';
import type { KubeletParts } from './parts/types.js';
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
  /** Parts that other code decides in. */
  readonly parts?: KubeletParts;
  readonly steps: CallSteps;
  filterOutInactivePods(pods: readonly Pod[]): Pod[];
}

/**
 * Compares wanted with running pods and corrects what no event corrects: every 2 s, when all sources are ready.
 * Throws if the runtime cannot be listed. upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).HandlePodCleanups
 */
export function handlePodCleanups(kl: PodCleanupDeps): Go<void> {
  return frame('HandlePodCleanups', undefined, () => cleanup(kl));
}

/** Returns the UIDs of pods that have a cgroup, with its name; none if pods have no cgroups of their own. */
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

/** Names pods for the findings of a step. */
export const namesOf = (pods: readonly Pod[]): string[] => pods.map(kObj);
/** Names pods of the runtime for the findings of a step. */
export const namesOfRunning = (pods: readonly RuntimePod[]): string[] => pods.map((p) => `${p.namespace}/${p.name}`);

/** Removes the directories of pods that are gone; returns what the step found. What fails is only logged. */
export function* cleanupDirs(log: Logger, clean: () => Go<OrphanedPodDirs>): Go<Found> {
  try {
    return { ...(yield* clean()) };
  } catch (err) {
    log.error(err, 'Failed cleaning up orphaned pod directories');
    return { error: messageOf(err) };
  }
}

/** Counts the pods in each of these states. */
export function countsOf(states: Iterable<string>): Found {
  const counts: Record<string, number> = {};
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function* cleanup(kl: PodCleanupDeps): Go<void> {
  const { podsLog: log, kernel } = kl;
  const ctx = background;
  const step = kl.steps.ofRound('HandlePodCleanups');
  const cgroupPods = yield* podsWithCgroups(kl);
  step('GetAllPodsFromCgroups', { cgroups: cgroupPods.size });
  const { pods: allPods, mirrorPods, orphanedMirrorPodFullNames } = kl.podManager.getPodsAndMirrorPods();
  step('GetPodsAndMirrorPods', { pods: allPods.length, mirrorPods: mirrorPods.length });

  log.info(3, 'Clean up pod workers for terminated pods');
  const workingPods = kl.podWorkers.syncKnownPods(allPods);
  step('SyncKnownPods', countsOf([...workingPods.values()].map((sync) => sync.state)));
  const possiblyRunningPods = new Set<string>();
  for (const [uid, sync] of workingPods) if (sync.state !== 'terminated') possiblyRunningPods.add(uid);

  let runningRuntimePods: RuntimePod[];
  try {
    // At least as new as now: it must show everything that the workers know.
    yield* kl.runtimeCache.forceUpdateIfOlder(ctx, kernel.now());
    runningRuntimePods = yield* kl.runtimeCache.getPods(ctx);
  } catch (err) {
    log.error(err, 'Error listing containers');
    step('runtimeCache.GetPods', { error: messageOf(err) });
    throw err;
  }
  step('runtimeCache.GetPods', { running: runningRuntimePods.length });

  log.info(3, 'Clean up probes for terminated pods');
  step('probeManager.CleanupPods', { stopped: kl.probeManager.cleanupPods(possiblyRunningPods) });
  log.info(3, 'Clean up orphaned pod statuses');
  const known = new Set([...allPods, ...mirrorPods].map((p) => p.metadata.uid));
  step('removeOrphanedPodStatuses', { removed: kl.statusManager.removeOrphanedStatuses(known) });
  const wanted = new Set(allPods.map((p) => p.metadata.uid));
  step('allocationManager.RemoveOrphanedPods', { removed: kl.allocationManager.removeOrphanedPods(wanted) });
  log.info(3, 'Clean up orphaned pod user namespace allocations');
  // Which the runtime manager releases itself when their pod has ended.
  step('CleanupOrphanedPodUsernsAllocations', {});
  log.info(3, 'Clean up orphaned pod directories');
  const dirs = yield* cleanupDirs(log, () => cleanupOrphanedPodDirs(kl, allPods, runningRuntimePods));
  step('cleanupOrphanedPodDirs', dirs);

  log.info(3, 'Clean up orphaned mirror pods');
  step('DeleteMirrorPod', { orphans: orphanedMirrorPodFullNames.map(podOfFullName) });
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
  step('filterOutInactivePods', { active: activePods.length, of: allPods.length });
  kl.podMetrics.desiredPods = countByStatic(allPods, isStaticPod);
  kl.podMetrics.activePods = countByStatic(activePods, isStaticPod);
  kl.podMetrics.mirrorPods = mirrorPods.length;
  const cgroups = cgroupPods.keys();
  const plan = kl.parts?.podCleanups && planByPart(kl, allPods, activePods, workingPods, runningRuntimePods, cgroups);
  const unknown = plan
    ? allPods.filter((pod) => plan.restart.has(pod.metadata.uid))
    : activePods.filter((pod) => !workingPods.has(pod.metadata.uid));
  step('UpdatePod(SyncPodCreate)', { restarted: namesOf(unknown) });
  restartUnknownPods(kl, unknown, workingPods);
  const terminal = plan
    ? allPods.filter((pod) => plan.finish.has(pod.metadata.uid))
    : terminalPodsToDelete(allPods, runningRuntimePods, workingPods);
  step('filterTerminalPodsToDelete', { toDelete: namesOf(terminal) });
  for (const pod of terminal) {
    const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
    log.info(3, 'Handling termination and deletion of the pod to pod workers', kv);
    kl.podWorkers.updatePod({ updateType: 'kill', pod });
  }
  const orphans = runningRuntimePods.filter((pod) => (plan ? plan.kill.has(pod.id) : !workingPods.has(pod.id)));
  step('UpdatePod(SyncPodKill)', { killed: namesOfRunning(orphans) });
  killRuntimeOrphans(kl, orphans, workingPods);
  kl.podMetrics.workingPods = countWorkingPods(workingPods.values());
  publishPodMetrics(kl.metrics, kl.podMetrics);

  if (kl.config.cgroupsPerQOS) {
    log.info(3, 'Clean up orphaned pod cgroups');
    step('cleanupOrphanedPodCgroups', {
      removed: yield* cleanupOrphanedPodCgroups(
        kl,
        cgroupPods,
        plan ? keptCgroups(plan, cgroupPods) : possiblyRunningPods,
      ),
    });
  }
  backOffGC(kl, step);
}

/** The pods that a replaced part names, by what is to become of them. */
interface Plan {
  readonly restart: ReadonlySet<string>;
  readonly finish: ReadonlySet<string>;
  readonly kill: ReadonlySet<string>;
  readonly removeCgroups: ReadonlySet<string>;
}

function planByPart(
  kl: Pick<PodCleanupDeps, 'parts'>,
  allPods: readonly Pod[],
  activePods: readonly Pod[],
  workingPods: ReadonlyMap<string, PodWorkerSync>,
  runningRuntimePods: readonly RuntimePod[],
  cgroups: Iterable<string>,
): Plan | undefined {
  const plan = kl.parts?.podCleanups?.({
    pods: allPods.map((pod) => ({
      uid: pod.metadata.uid,
      pod: kObj(pod),
      deleted: pod.metadata.deletionTimestamp !== undefined,
      phase: pod.status.phase ?? '',
      active: activePods.includes(pod),
    })),
    workers: [...workingPods].map(([uid, { state }]) => ({ uid, state })),
    runningPods: runningRuntimePods.map((pod) => ({ uid: pod.id, pod: `${pod.namespace}/${pod.name}` })),
    cgroups: [...cgroups],
  });
  return (
    plan && {
      restart: new Set(plan.restart),
      finish: new Set(plan.finish),
      kill: new Set(plan.kill),
      removeCgroups: new Set(plan.removeCgroups),
    }
  );
}

const keptCgroups = (plan: Plan, cgroups: ReadonlyMap<string, CgroupName>): ReadonlySet<string> =>
  new Set([...cgroups.keys()].filter((uid) => !plan.removeCgroups.has(uid)));

/** Forgets old back-offs. upstream: (*Backoff).GC; its field was backOff up to v1.32 */
export function backOffGC(
  { crashLoopBackOff }: Pick<PodCleanupDeps, 'crashLoopBackOff'>,
  step: (name: 'backOff.GC' | 'crashLoopBackOff.GC', found: Found) => void,
): void {
  const found = { forgotten: crashLoopBackOff.gc(), kept: crashLoopBackOff.size };
  step('backOff.GC', found);
  step('crashLoopBackOff.GC', found);
}

/** `namespace/name` of what upstream calls a full name, `name_namespace`. */
export function podOfFullName(fullName: string): string {
  const at = fullName.lastIndexOf('_');
  return `${fullName.slice(at + 1)}/${fullName.slice(0, at)}`;
}

/**
 * Removes cgroups of pods that are gone, and returns their UIDs. While volumes of one are still there its memory must
 * stay accounted for, and only its CPU is taken. A removal that fails is tried again at the next housekeeping.
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).cleanupOrphanedPodCgroups
 */
export function* cleanupOrphanedPodCgroups(
  kl: PodVolumesDeps & Pick<PodCleanupDeps, 'containerManager' | 'podsLog'>,
  cgroupPods: ReadonlyMap<string, CgroupName>,
  possiblyRunningPods: ReadonlySet<string>,
): Go<readonly string[]> {
  const { podsLog: log, kernel } = kl;
  const { podContainers } = kl.containerManager;
  const removed: string[] = [];
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
    removed.push(podUID);
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
  return removed;
}

/** Starts wanted pods that have no worker, such as a static pod whose namesake of equal uid had to end first. */
function restartUnknownPods(
  kl: Pick<PodCleanupDeps, 'podManager' | 'podMetrics' | 'podWorkers' | 'podsLog'>,
  unknown: readonly Pod[],
  workingPods: Map<string, PodWorkerSync>,
): void {
  for (const desired of unknown) {
    const podUID = desired.metadata.uid;
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

/**
 * Returns the deleted pods that ended without a worker, which still have to be finished.
 * upstream: filterTerminalPodsToDelete
 */
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
  orphans: readonly RuntimePod[],
  workingPods: Map<string, PodWorkerSync>,
): void {
  for (const runningPod of orphans) {
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
