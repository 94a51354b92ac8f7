import { isPodPhaseTerminal } from '../../api/pod/podutil.js';
import { toTime } from '../../api/time.js';
import { kObj, type Pod, type PodStatus } from '../../api/types.js';
import { frame, type Go, type Kernel, Millisecond, recv, Second, select, Ticker } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import type { FeatureConfig } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { PodManager } from '../podmanager/types.js';
import { isMirrorPod, isStaticPod } from '../types/pod-update.js';
import { mergePodStatus } from './merge.js';
import { copyStatus, isPodStatusByKubeletEqual, normalizeStatus } from './normalize.js';
import type { PodDeletionSafetyProvider, StatusCache, StatusClient, VersionedPodStatus } from './types.js';

/** upstream: pkg/kubelet/status/status_manager.go syncPeriod */
export const syncPeriod = 10 * Second;

export interface StatusSyncOptions {
  readonly kernel: Kernel;
  readonly client: StatusClient;
  readonly config: FeatureConfig;
  readonly cache: StatusCache;
  readonly podManager: Pick<PodManager, 'getPodByUID' | 'getMirrorPodByPod' | 'translatePodUID' | 'getUIDTranslations'>;
  readonly podDeletionSafety: PodDeletionSafetyProvider;
}

/** Starts the one goroutine that writes statuses to the API (fidelity 1:S02). upstream: (*manager).Start */
export function startStatusSync(options: StatusSyncOptions): void {
  const sync = new StatusSync(options);
  options.kernel.go('statusManager', () => sync.run(), { place: 'status', daemon: true });
}

class StatusSync {
  private readonly log: Logger;
  /** By the API pod's uid: the last version written. */
  private readonly apiStatusVersions = new Map<string, number>();

  constructor(private readonly o: StatusSyncOptions) {
    this.log = new Logger(o.kernel, 'status_manager.go');
  }

  *run(): Go<void> {
    const ticker = new Ticker(this.o.kernel, syncPeriod, { name: 'statusSyncTicker' });
    const { podStatusChannel } = this.o.cache;
    for (;;) {
      const s = yield* select({ signal: recv(podStatusChannel), tick: recv(ticker.c) });
      if (s.case === 'signal') {
        this.log.info(4, 'Syncing updated statuses');
        yield* this.syncBatch(false);
      } else {
        this.log.info(4, 'Syncing all statuses');
        yield* this.syncBatch(true);
      }
    }
  }

  /** upstream: pkg/kubelet/status/status_manager.go (*manager).syncBatch */
  *syncBatch(all: boolean): Go<void> {
    const sync = this;
    yield* frame('syncBatch', { all }, function* () {
      const updates = sync.collect(all);
      for (const { uid, statusUID, entry } of updates) {
        sync.log.info(5, 'Sync pod status', { podUID: uid, statusUID, version: entry.version });
        yield* sync.syncPod(uid, entry);
      }
    });
  }

  private collect(all: boolean): { uid: string; statusUID: string; entry: VersionedPodStatus }[] {
    const { cache, podManager } = this.o;
    const { podToMirror, mirrorToPod } = podManager.getUIDTranslations();
    const updates: { uid: string; statusUID: string; entry: VersionedPodStatus }[] = [];
    if (all)
      for (const uid of [...this.apiStatusVersions.keys()])
        if (!cache.podStatuses.has(uid) && !mirrorToPod.has(uid)) this.apiStatusVersions.delete(uid);
    for (const [uid, entry] of cache.podStatuses) {
      const mirror = podToMirror.get(uid);
      if (mirror === '') {
        this.log.info(5, 'Static pod does not have a corresponding mirror pod; skipping', {
          podUID: uid,
          pod: name(entry),
        });
        continue;
      }
      const statusUID = mirror ?? uid;
      const outdated = (this.apiStatusVersions.get(statusUID) ?? 0) < entry.version;
      if (!all) {
        if (outdated) updates.push({ uid, statusUID, entry });
        continue;
      }
      if (outdated || this.deletable(statusUID, entry)) updates.push({ uid, statusUID, entry });
      else if (this.needsReconcile(uid, entry.status)) {
        this.apiStatusVersions.delete(statusUID);
        updates.push({ uid, statusUID, entry });
      }
    }
    return updates;
  }

  private deletable(statusUID: string, entry: VersionedPodStatus): boolean {
    const pod = this.o.podManager.getPodByUID(statusUID);
    return pod !== undefined && this.canBeDeleted(pod, entry);
  }

  /**
   * Gets the pod, merges and patches its status, and deletes it if it is done for (fidelity 1:S06, 1:S07).
   * upstream: (*manager).syncPod
   */
  private *syncPod(uid: string, entry: VersionedPodStatus): Go<void> {
    const { client, podManager, podDeletionSafety, cache, kernel } = this.o;
    const ref = { podUID: uid, pod: name(entry) };
    let pod: Pod | null;
    try {
      pod = yield* client.getPod(entry.podNamespace, entry.podName);
    } catch (error) {
      this.log.error(error, 'Failed to get status for pod', ref);
      return;
    }
    if (!pod) {
      this.log.info(3, 'Pod does not exist on the server', ref);
      return;
    }
    const translated = podManager.translatePodUID(pod.metadata.uid);
    if (translated && translated !== uid) {
      this.log.info(2, 'Pod was deleted and then recreated, skipping status update', {
        pod: kObj(pod),
        oldPodUID: uid,
        podUID: translated,
      });
      cache.deletePodStatus(uid);
      return;
    }
    const merged = mergePodStatus(
      this.o.config,
      pod,
      pod.status,
      entry.status,
      podDeletionSafety.podCouldHaveRunningContainers(pod),
      toTime(kernel, kernel.now()),
    );
    try {
      const result = yield* client.patchPodStatus(pod, pod.status, merged);
      this.log.info(3, 'Patch status for pod', { pod: kObj(pod), podUID: uid, patch: result.patch });
      if (result.unchanged)
        this.log.info(3, 'Status for pod is up-to-date', { pod: kObj(pod), statusVersion: entry.version });
      else {
        this.log.info(3, 'Status for pod updated successfully', {
          pod: kObj(pod),
          statusVersion: entry.version,
          status: merged as unknown as Json,
        });
        pod = result.pod;
        metricsOf(kernel).podStartup.statusUpdated(pod);
      }
    } catch (error) {
      this.log.error(error, 'Failed to update status for pod', { pod: kObj(pod) });
      return;
    }
    // From the first status of all, as upstream never takes the time again.
    if (entry.at !== undefined)
      metricsOf(kernel).podStatusSyncDuration.observe(
        (Math.trunc((kernel.now() - entry.at) / Millisecond) * Millisecond) / Second,
      );
    this.apiStatusVersions.set(pod.metadata.uid, entry.version);
    if (!this.canBeDeleted(pod, entry)) return;
    try {
      yield* client.deletePod(pod.metadata.namespace, pod.metadata.name, pod.metadata.uid);
    } catch (error) {
      this.log.info(0, 'Failed to delete status for pod', {
        pod: kObj(pod),
        err: error instanceof Error ? error.message : String(error),
      });
      return;
    }
    this.log.info(3, 'Pod fully terminated and removed from etcd', { pod: kObj(pod) });
    cache.deletePodStatus(uid);
  }

  /** upstream: (*manager).canBeDeleted */
  private canBeDeleted(pod: Pod, entry: VersionedPodStatus): boolean {
    if (!pod.metadata.deletionTimestamp || isMirrorPod(pod)) return false;
    const values = {
      phase: pod.status.phase,
      localPhase: entry.status.phase,
      pod: kObj(pod),
      podUID: pod.metadata.uid,
    };
    if (!isPodPhaseTerminal(pod.status.phase)) {
      this.log.info(3, 'Delaying pod deletion as the phase is non-terminal', values);
      return false;
    }
    if (!entry.podIsFinished) return false;
    this.log.info(3, 'The pod termination is finished as SyncTerminatedPod completes its execution', values);
    return true;
  }

  /** Returns true if the API shows something else than the cache. upstream: (*manager).needsReconcile */
  private needsReconcile(uid: string, status: PodStatus): boolean {
    let pod = this.o.podManager.getPodByUID(uid);
    if (!pod) {
      this.log.info(4, 'Pod has been deleted, no need to reconcile', { podUID: uid });
      return false;
    }
    if (isStaticPod(pod)) {
      const mirror = this.o.podManager.getMirrorPodByPod(pod);
      if (!mirror) {
        this.log.info(4, 'Static pod has no corresponding mirror pod, no need to reconcile', { pod: kObj(pod) });
        return false;
      }
      pod = mirror;
    }
    const shown = copyStatus(pod.status);
    normalizeStatus(pod, shown);
    if (isPodStatusByKubeletEqual(this.o.config, shown, status)) return false;
    this.log.info(3, 'Pod status is inconsistent with cached status for pod, a reconciliation should be triggered', {
      pod: kObj(pod),
      statusDiff: '',
    });
    return true;
  }
}

const name = (e: VersionedPodStatus): string => (e.podNamespace ? `${e.podNamespace}/${e.podName}` : e.podName);
