import { kObj, type Pod, podRef } from '../../api/types.js';
import { type Chan, type Go, Millisecond, recv, Second, select, sleep, Ticker } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { EraHandle } from '../era/types.js';
import type { PodLifecycleEvent } from '../pleg/types.js';
import { getPodsToSync, handleProbeSync, isSyncPodWorthy, type LoopChannels } from '../sync-loop.js';
import type { PodUpdate } from '../types/pod-update.js';
import type { SyncHandler } from './sync-handler.js';

/** upstream: v1.21 pkg/kubelet/kubelet.go housekeepingPeriod; syncLoop's ticker, base, max, factor */
const housekeepingPeriod = 2 * Second;
const syncPeriod = Second;
const base = 100 * Millisecond;
const max = 5 * Second;
const factor = 2;

/**
 * The arguments of an iteration's call, and what makes its result: the times that the loop monitor stores before and
 * after it.
 */
export const monitored = (kl: EraHandle) =>
  [kl.storeLoopEntry(), (open: boolean) => (open ? kl.storeLoopEntry() : undefined)] as const;

/** Runs the loop around the iterations. */
export function* iterate(
  kl: EraHandle,
  configCh: Chan<PodUpdate>,
  iteration: (channels: LoopChannels) => Go<boolean>,
): Go<void> {
  const { kernel, log } = kl;
  log.info(0, 'Starting kubelet main sync loop');
  const syncTicker = new Ticker(kernel, syncPeriod, { name: 'syncCh' });
  const housekeepingTicker = new Ticker(kernel, housekeepingPeriod, { name: 'housekeepingCh' });
  const channels: LoopChannels = {
    configCh,
    syncCh: syncTicker.c,
    housekeepingCh: housekeepingTicker.c,
    plegCh: kl.pleg.watch(),
  };
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
      if (!(yield* iteration(channels))) break;
    }
  } finally {
    syncTicker.stop();
    housekeepingTicker.stop();
  }
}

/**
 * Takes one message from one of the seven channels of v1.21 to v1.30 and handles it. Returns false if configCh is
 * closed.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).syncLoopIteration
 */
export function* takeOneOfSeven(kl: EraHandle, handler: SyncHandler, channels: LoopChannels): Go<boolean> {
  const { log } = kl;
  const r = yield* select({
    configCh: recv(channels.configCh),
    plegCh: recv(channels.plegCh),
    syncCh: recv(channels.syncCh),
    livenessManager: recv(kl.livenessManager.updates()),
    readinessManager: recv(kl.readinessManager.updates()),
    startupManager: recv(kl.startupManager.updates()),
    housekeepingCh: recv(channels.housekeepingCh),
  });
  switch (r.case) {
    case 'configCh':
      if (!r.ok) {
        log.error(null, 'Update channel is closed, exiting the sync loop');
        return false;
      }
      yield* dispatchConfig(kl, handler, r.value);
      break;
    case 'plegCh':
      if (r.ok) handlePlegEvent(kl, handler, r.value);
      break;
    case 'syncCh':
      syncDuePods(kl, handler, 'SyncLoop (SYNC) pods');
      break;
    case 'livenessManager':
      if (r.ok && r.value.result === 'Failure')
        handleProbeSync(kl, r.value, 'liveness', 'unhealthy', handler.handlePodSyncs);
      break;
    case 'readinessManager':
      if (r.ok) {
        const ready = r.value.result === 'Success';
        kl.statusManager.setContainerReadiness(r.value.podUID, r.value.containerID, ready);
        handleProbeSync(kl, r.value, 'readiness', ready ? 'ready' : '', handler.handlePodSyncs);
      }
      break;
    case 'startupManager':
      if (r.ok) {
        const started = r.value.result === 'Success';
        kl.statusManager.setContainerStartup(r.value.podUID, r.value.containerID, started);
        handleProbeSync(kl, r.value, 'startup', started ? 'started' : 'unhealthy', handler.handlePodSyncs);
      }
      break;
    case 'housekeepingCh':
      yield* housekeeping(kl, handler);
      break;
  }
  return true;
}

/** Those of pods that are wanted to end, which v1.12 prints; a source sends such a pod as DELETE, not as UPDATE. */
const deletionTimestamps = (pods: readonly Pod[]) =>
  pods.some((pod) => pod.metadata.deletionTimestamp)
    ? { deletionTimestamps: pods.map((pod) => pod.metadata.deletionTimestamp ?? '') }
    : {};

export function* dispatchConfig(kl: EraHandle, handler: SyncHandler, u: PodUpdate): Go<void> {
  const { log } = kl;
  // Lines of printf have the UIDs, too; those with fields leave them out.
  const kv = { source: u.source, pods: u.pods.map(kObj), podUIDs: u.pods.map((pod) => pod.metadata.uid) };
  // Sources send no whole sets: the case is there, and nothing comes.
  switch (u.op as PodUpdate['op'] | 'SET') {
    case 'ADD':
      log.info(2, 'SyncLoop ADD', kv);
      yield* handler.handlePodAdditions(u.pods);
      break;
    case 'UPDATE':
      log.info(2, 'SyncLoop UPDATE', { ...kv, ...deletionTimestamps(u.pods) });
      handler.handlePodUpdates(u.pods);
      break;
    case 'REMOVE':
      log.info(2, 'SyncLoop REMOVE', kv);
      yield* handler.handlePodRemoves(u.pods);
      break;
    case 'RECONCILE':
      log.info(4, 'SyncLoop RECONCILE', kv);
      handler.handlePodReconcile(u.pods);
      break;
    case 'DELETE':
      log.info(2, 'SyncLoop DELETE', kv);
      // Graceful deletion is an update: the pod has a deletionTimestamp now.
      handler.handlePodUpdates(u.pods);
      break;
    case 'SET':
      log.error(null, 'Kubelet does not support snapshot update');
      break;
    default:
      log.error(null, 'Invalid operation type received', { operation: u.op as string });
  }
  kl.sourcesReady.addSource(u.source);
  kl.volumeManager.podsChanged();
}

export function handlePlegEvent(kl: EraHandle, handler: SyncHandler, e: PodLifecycleEvent): void {
  const noted = handler.noteEvent?.(e);
  const event = { ID: e.id, Type: e.type, Data: e.data };
  const pod = kl.podManager.getPodByUID(e.id);
  const worthy = isSyncPodWorthy(e);
  kl.kernel.emit({
    kind: 'decision',
    rule: 'isSyncPodWorthy',
    verdict: worthy ? (pod ? 'sync' : 'ignore: unknown pod') : 'ignore',
    values: { type: e.type, data: e.data, known: pod !== undefined, ...noted },
    ...(pod ? podRef(pod) : { uid: e.id }),
  });
  if (worthy) {
    if (pod) {
      kl.log.info(2, 'SyncLoop (PLEG): event for pod', { pod: kObj(pod), event });
      handler.handlePodSyncs([pod]);
    } else kl.log.info(4, 'SyncLoop (PLEG): pod does not exist, ignore irrelevant event', { event });
  }
  if (e.type === 'ContainerDied') handler.cleanUpContainersInPod(e.id, e.data);
}

/** Syncs the pods whose time has come; `text` is what the version's log says then. */
export function syncDuePods(kl: EraHandle, handler: SyncHandler, text: string): void {
  const { pods, due } = getPodsToSync(kl);
  if (pods.length === 0) return;
  kl.log.info(4, text, {
    total: pods.length,
    pods: pods.map(kObj),
    podUIDs: pods.map((pod) => pod.metadata.uid),
  });
  handler.handlePodSyncs(pods, due);
}

export function* housekeeping(kl: EraHandle, handler: SyncHandler): Go<void> {
  const { log } = kl;
  if (!kl.sourcesReady.allReady()) {
    log.info(4, "SyncLoop (housekeeping, skipped): sources aren't ready yet");
    return;
  }
  log.info(4, 'SyncLoop (housekeeping)');
  try {
    yield* handler.handlePodCleanups();
  } catch (err) {
    log.error(err, 'Failed cleaning pods');
  }
}
