import { kObj, type Pod, podRef } from '../api/types.js';
import {
  type Chan,
  formatDuration,
  frame,
  frameSync,
  type Go,
  Millisecond,
  Minute,
  readyCases,
  recv,
  Second,
  type SelectCase,
  type Selected,
  select,
  selectWanted,
  sleep,
  Ticker,
} from '../kernel/index.js';
import type { Json, Micros } from '../trace/index.js';
import type { PodSyncLoopHandler } from './active-deadline.js';
import type { ContainerManager } from './cm/container-manager.js';
import type { SourcesReady } from './config/sources.js';
import { isBefore } from './emulation.js';
import type { PodHandlersDeps, PodSyncsDeps } from './handlers.js';
import {
  handlePodAdditions,
  handlePodReconcile,
  handlePodRemoves,
  handlePodSyncs,
  handlePodUpdates,
} from './handlers.js';
import type { Logger } from './klog.js';
import type { PodCleanupDeps } from './kubelet-pods-cleanup.js';
import { handlePodCleanups } from './kubelet-pods-cleanup.js';
import type { KubeletRuntimeHelper } from './kubelet-pods-run.js';
import type { KubeletParts } from './parts/types.js';
import type { PodLifecycleEvent, PodLifecycleEventGenerator } from './pleg/types.js';
import type { ProbeUpdate, ResultsManager } from './prober/types.js';
import type { RuntimeState } from './runtime-state.js';
import type { PodUpdate } from './types/pod-update.js';
import type { WorkItem, WorkQueue } from './util/queue/work-queue.js';
import type { VolumeManager } from './volumemanager/volume-manager.js';

/** upstream: kubelet.go housekeepingPeriod, housekeepingWarningDuration */
const housekeepingPeriod = 2 * Second;
const housekeepingWarningDuration = Second;
const syncPeriod = Second;
/** upstream: kubelet.go syncLoop base, max, factor */
const base = 100 * Millisecond;
const max = 5 * Second;
const factor = 2;

/** The channels of the sync loop, besides those of managers. */
export interface LoopChannels {
  readonly configCh: Chan<PodUpdate>;
  readonly syncCh: Chan<number>;
  readonly housekeepingCh: Chan<number>;
  readonly plegCh: Chan<PodLifecycleEvent>;
  /** The memory of a replaced part that chooses among them. */
  readonly turns?: { state: Json };
}

/** The parts of the kubelet that the sync loop uses. */
export interface SyncLoopDeps extends PodHandlersDeps, PodCleanupDeps {
  readonly pleg: PodLifecycleEventGenerator;
  readonly runtimeState: RuntimeState;
  readonly runtimeHelper: Pick<KubeletRuntimeHelper, 'checkLimitsForResolvConf' | 'getPodDir'>;
  readonly livenessManager: ResultsManager;
  readonly readinessManager: ResultsManager;
  readonly startupManager: ResultsManager;
  readonly containerManager: Pick<ContainerManager, 'podContainers' | 'updates'>;
  readonly volumeManager: Pick<VolumeManager, 'hasPossiblyMountedVolumesForPod' | 'podsChanged'>;
  readonly workQueue: WorkQueue;
  readonly podSyncLoopHandlers: readonly PodSyncLoopHandler[];
  /**
   * Stores that the loop is running, for the health check; returns the time as records have it.
   * upstream: (*Kubelet).syncLoopMonitor
   */
  storeLoopEntry(): { readonly syncLoopMonitor: Micros };
}

/**
 * Runs the kubelet's main loop, which ends only when configCh is closed.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).syncLoop
 */
export function syncLoop(kl: SyncLoopDeps, configCh: Chan<PodUpdate>): Go<void> {
  return frame('syncLoop', undefined, () => iterate(kl, configCh));
}

function* iterate(kl: SyncLoopDeps, configCh: Chan<PodUpdate>): Go<void> {
  const { kernel, log } = kl;
  log.info(0, 'Starting kubelet main sync loop');
  const syncTicker = new Ticker(kernel, syncPeriod, { name: 'syncCh' });
  const housekeepingTicker = new Ticker(kernel, housekeepingPeriod, { name: 'housekeepingCh' });
  const channels: LoopChannels = {
    configCh,
    syncCh: syncTicker.c,
    housekeepingCh: housekeepingTicker.c,
    plegCh: kl.pleg.watch(),
    turns: { state: null },
  };
  kl.runtimeHelper.checkLimitsForResolvConf();
  let duration: Micros = base;
  try {
    for (;;) {
      const err = kl.runtimeState.runtimeErrors();
      if (err) {
        log.error(err, 'Skipping pod synchronization');
        kl.runtimeState.trace(duration);
        yield* sleep(duration);
        duration = Math.min(max, factor * duration);
        continue;
      }
      kl.runtimeState.trace();
      duration = base;
      // The loop monitor hears of each iteration before and after it: the call's arguments and result have both times.
      const before = kl.storeLoopEntry();
      const after = (open: boolean) => (open ? kl.storeLoopEntry() : undefined);
      if (!(yield* frame('syncLoopIteration', before, () => syncLoopIteration(kl, channels), after))) break;
    }
  } finally {
    syncTicker.stop();
    housekeepingTicker.stop();
  }
}

/**
 * Takes one message from one ready channel and handles it. Returns false if configCh is closed.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
export function* syncLoopIteration(kl: SyncLoopDeps, channels: LoopChannels): Go<boolean> {
  const { log } = kl;
  const cases = {
    configCh: recv(channels.configCh),
    plegCh: recv(channels.plegCh),
    syncCh: recv(channels.syncCh),
    livenessManager: recv(kl.livenessManager.updates()),
    readinessManager: recv(kl.readinessManager.updates()),
    startupManager: recv(kl.startupManager.updates()),
    containerManager: recv(kl.containerManager.updates()),
    housekeepingCh: recv(channels.housekeepingCh),
  };
  const part = kl.parts?.syncLoopIteration;
  const r = yield* part ? selectByPart(part, channels.turns ?? { state: null }, cases) : select(cases);
  const syncs = (pods: readonly Pod[]) => handlePodSyncs(kl, pods);
  switch (r.case) {
    case 'configCh':
      if (!r.ok) {
        log.error(null, 'Update channel is closed, exiting the sync loop');
        return false;
      }
      yield* dispatchConfig(kl, r.value);
      break;
    case 'plegCh':
      if (r.ok) handlePlegEvent(kl, r.value);
      break;
    case 'syncCh': {
      const { pods, due } = getPodsToSync(kl);
      if (pods.length === 0) break;
      log.info(4, 'SyncLoop (SYNC) pods', { total: pods.length, pods: pods.map(kObj) });
      handlePodSyncs(kl, pods, due);
      break;
    }
    case 'livenessManager':
      if (r.ok && r.value.result === 'Failure') handleProbeSync(kl, r.value, 'liveness', 'unhealthy', syncs);
      break;
    case 'readinessManager':
      if (r.ok) {
        const ready = r.value.result === 'Success';
        kl.statusManager.setContainerReadiness(r.value.podUID, r.value.containerID, ready);
        handleProbeSync(kl, r.value, 'readiness', ready ? 'ready' : 'not ready', syncs);
      }
      break;
    case 'startupManager':
      if (r.ok) {
        const started = r.value.result === 'Success';
        kl.statusManager.setContainerStartup(r.value.podUID, r.value.containerID, started);
        handleProbeSync(kl, r.value, 'startup', started ? 'started' : 'unhealthy', syncs);
      }
      break;
    case 'containerManager':
      if (r.ok) handleContainerManagerUpdate(kl, r.value.podUIDs);
      break;
    case 'housekeepingCh':
      yield* housekeeping(kl);
      break;
  }
  return true;
}

/** Has a replaced part choose among the channels that are ready. With none ready it hears of the first that is. */
function* selectByPart<C extends Record<string, SelectCase>>(
  part: NonNullable<KubeletParts['syncLoopIteration']>,
  turns: { state: Json },
  cases: C,
): Go<Selected<C>> {
  const ask = (ready: readonly string[]): string => {
    const { state, channel } = part(turns.state, ready);
    turns.state = state;
    return channel;
  };
  const ready = readyCases(cases);
  if (ready.length > 0) return yield* selectWanted(cases, ask(ready));
  const r = yield* select(cases);
  ask([String(r.case)]);
  return r;
}

function* dispatchConfig(kl: PodHandlersDeps & Pick<SyncLoopDeps, 'volumeManager'>, u: PodUpdate): Go<void> {
  const { log } = kl;
  const kv = { source: u.source, pods: u.pods.map(kObj) };
  switch (u.op) {
    case 'ADD':
      log.info(2, 'SyncLoop ADD', kv);
      yield* handlePodAdditions(kl, u.pods);
      break;
    case 'UPDATE':
      log.info(2, 'SyncLoop UPDATE', kv);
      yield* handlePodUpdates(kl, u.pods);
      break;
    case 'REMOVE':
      log.info(2, 'SyncLoop REMOVE', kv);
      yield* handlePodRemoves(kl, u.pods);
      break;
    case 'RECONCILE':
      log.info(4, 'SyncLoop RECONCILE', kv);
      yield* handlePodReconcile(kl, u.pods);
      break;
    case 'DELETE':
      log.info(2, 'SyncLoop DELETE', kv);
      // Graceful deletion is an update: the pod has a deletionTimestamp now.
      yield* handlePodUpdates(kl, u.pods);
      break;
    default:
      if (isBefore(kl.config, 36) && (u.op as string) === 'SET') {
        log.error(null, 'Kubelet does not support snapshot update');
        break;
      }
      log.error(null, 'Invalid operation type received', { operation: u.op as string });
  }
  // A source becomes ready when the loop has handled its pods, not already when it received them.
  kl.sourcesReady.addSource(u.source);
  kl.volumeManager.podsChanged();
}

/** upstream: kubelet.go isSyncPodWorthy */
export const isSyncPodWorthy = (e: PodLifecycleEvent): boolean => e.type !== 'ContainerRemoved';

function handlePlegEvent(kl: PodHandlersDeps, e: PodLifecycleEvent): void {
  const event = { ID: e.id, Type: e.type, Data: e.data };
  const pod = kl.podManager.getPodByUID(e.id);
  const worthy = isSyncPodWorthy(e);
  kl.kernel.emit({
    kind: 'decision',
    rule: 'isSyncPodWorthy',
    verdict: worthy ? (pod ? 'sync' : 'ignore: unknown pod') : 'ignore',
    values: { type: e.type, data: e.data, known: pod !== undefined },
    ...(pod ? podRef(pod) : { uid: e.id }),
  });
  if (worthy) {
    if (pod) {
      kl.log.info(2, 'SyncLoop (PLEG): event for pod', { pod: kObj(pod), event });
      handlePodSyncs(kl, [pod]);
    } else kl.log.info(4, 'SyncLoop (PLEG): pod does not exist, ignore irrelevant event', { event });
  }
  if (e.type === 'ContainerDied') cleanUpContainersInPod(kl, e.id, e.data);
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).cleanUpContainersInPod */
function cleanUpContainersInPod(
  kl: Pick<PodHandlersDeps, 'containerDeletor' | 'podCache' | 'podWorkers'>,
  uid: string,
  exitedContainerID: string,
): void {
  const cleanUp = () => {
    let podStatus: ReturnType<typeof kl.podCache.get>;
    try {
      podStatus = kl.podCache.get(uid);
    } catch {
      return undefined;
    }
    // No dead container of an evicted, or deleted and terminated, pod needs to be kept.
    const removeAll = kl.podWorkers.shouldPodContentBeRemoved(uid);
    kl.containerDeletor.deleteContainersInPod(exitedContainerID, podStatus, removeAll);
    return { ShouldPodContentBeRemoved: removeAll };
  };
  frameSync('cleanUpContainersInPod', { uid, container: exitedContainerID }, cleanUp, (decided) => decided);
}

/**
 * The pods that are due. Removes them from the queue, also unknown ones.
 * upstream: kubelet.go (*Kubelet).getPodsToSync
 */
export function getPodsToSync(kl: Pick<SyncLoopDeps, 'podManager' | 'podSyncLoopHandlers' | 'workQueue'>): {
  pods: Pod[];
  due: ReadonlyMap<string, WorkItem>;
} {
  const due = new Map(kl.workQueue.getWork().map((item) => [item.uid, item]));
  const pods = kl.podManager
    .getPods()
    .filter((pod) => due.has(pod.metadata.uid) || kl.podSyncLoopHandlers.some((h) => h.shouldSync(pod)));
  return { pods, due };
}

/**
 * Has the pod of a probe's result synced; ignores the result if there is no such pod any more. `syncs` is the handler's
 * HandlePodSyncs. upstream: pkg/kubelet/kubelet.go handleProbeSync
 */
export function handleProbeSync(
  kl: Pick<PodSyncsDeps, 'log' | 'podManager'>,
  update: ProbeUpdate,
  probe: string,
  status: string,
  syncs: (pods: readonly Pod[]) => void,
): void {
  frameSync('handleProbeSync', { uid: update.podUID, probe, status }, () => {
    // The pod may have changed since its probe ran.
    const pod = kl.podManager.getPodByUID(update.podUID);
    if (!pod) {
      kl.log.info(4, 'SyncLoop (probe): ignore irrelevant update', {
        probe,
        status,
        update: {
          ContainerID: { Type: update.containerID.type, ID: update.containerID.id },
          Result: update.result,
          PodUID: update.podUID,
        },
      });
      return;
    }
    kl.log.info(1, 'SyncLoop (probe)', { probe, status, pod: kObj(pod) });
    syncs([pod]);
  });
}

function handleContainerManagerUpdate(kl: PodSyncsDeps, podUIDs: readonly string[]): void {
  const event = { PodUIDs: [...podUIDs] };
  const pods: Pod[] = [];
  for (const uid of podUIDs) {
    const pod = kl.podManager.getPodByUID(uid);
    if (pod) {
      kl.log.info(3, 'SyncLoop (containermanager): event for pod', { pod: kObj(pod), event });
      pods.push(pod);
    } else kl.log.info(4, 'SyncLoop (containermanager): pod does not exist, ignore devices updates', { event });
  }
  if (pods.length > 0) handlePodSyncs(kl, pods);
}

function* housekeeping(kl: PodCleanupDeps & { readonly log: Logger; readonly sourcesReady: SourcesReady }): Go<void> {
  const { log, kernel } = kl;
  if (!kl.sourcesReady.allReady()) {
    log.info(4, "SyncLoop (housekeeping, skipped): sources aren't ready yet");
    return;
  }
  const start = kernel.now();
  log.info(4, 'SyncLoop (housekeeping)');
  try {
    yield* handlePodCleanups(kl);
  } catch (err) {
    log.error(err, 'Failed cleaning pods');
  }
  const took = kernel.now() - start;
  const actual = formatDuration(Math.round(took / Millisecond) * Millisecond);
  if (took > housekeepingWarningDuration)
    log.error(new Error('housekeeping took too long'), 'Housekeeping took longer than expected', {
      expected: formatDuration(housekeepingWarningDuration),
      actual,
    });
  log.info(4, 'SyncLoop (housekeeping) end', { duration: actual });
}

/**
 * Returns null if the loop is running or has not started, else the error.
 * upstream: kubelet.go (*Kubelet).SyncLoopHealthCheck
 */
export function syncLoopHealthCheck(now: Micros, entered: Micros | null, resyncInterval: Micros): Error | null {
  const duration = Math.max(5 * Minute, 2 * resyncInterval);
  if (entered !== null && now > entered + duration) return new Error('sync Loop took longer than expected');
  return null;
}
