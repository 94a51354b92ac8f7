import { type ContainerStatus, kObj, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { type Chan, frame, frameSync, type Go, recv, select, Ticker } from '../../../kernel/index.js';
import type { Json } from '../../../trace/index.js';
import type { FeatureConfig } from '../../features.js';
import { syncPeriod } from '../../status/api-writer.js';
import {
  copyStatus,
  isPodStatusByKubeletEqual,
  normalizeStatus,
  podConditionByKubelet,
} from '../../status/normalize.js';
import { Manager, type StatusManagerOptions } from '../../status/status-manager.js';
import type { StatusClient, StatusManager, VersionedPodStatus } from '../../status/types.js';
import { isMirrorPod, isStaticPod } from '../../types/pod-update.js';

/** upstream: v1.21 pkg/kubelet/status/status_manager.go podStatusSyncRequest */
interface SyncRequest {
  readonly uid: string;
  readonly entry: VersionedPodStatus;
}

/**
 * The manager that writes each status by itself, as it comes, and all that wait every 10 s.
 * upstream: v1.21 pkg/kubelet/status/status_manager.go NewManager
 */
export function newStatusManager(options: StatusManagerOptions): StatusManager {
  return new StatusManagerOfThen(options);
}

export class StatusManagerOfThen extends Manager {
  /** By the API pod's uid: the last version written. */
  private readonly apiStatusVersions = new Map<string, number>();

  constructor(options: StatusManagerOptions) {
    super(options, {
      capacity: 1000,
      describe: (r) => ({ uid: (r as SyncRequest).uid, version: (r as SyncRequest).entry.version }),
    });
  }

  private get requests(): Chan<SyncRequest> {
    return this.podStatusChannel as Chan<SyncRequest>;
  }

  /** upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).Start */
  override start(): void {
    const { client } = this.options;
    if (!client) {
      this.log.info(0, 'Kubernetes client is nil, not starting status manager');
      return;
    }
    this.log.info(0, 'Starting to sync pod status with apiserver');
    this.kernel.go('statusManager', () => this.sync(client), { place: 'status', daemon: true });
  }

  private *sync(client: StatusClient): Go<void> {
    const ticker = new Ticker(this.kernel, syncPeriod, { name: 'statusSyncTicker' });
    for (;;) {
      const s = yield* select({ request: recv(this.requests), tick: recv(ticker.c) });
      if (s.case === 'request') {
        const { uid, entry } = s.value as SyncRequest;
        this.log.info(5, 'Status Manager: syncing pod with status from podStatusChannel', {
          podUID: uid,
          statusVersion: entry.version,
          status: entry.status as unknown as Json,
        });
        yield* this.syncPod(client, uid, entry);
        continue;
      }
      this.log.info(5, 'Status Manager: syncing batch');
      // The batch handles them.
      while (this.requests.len > 0) yield* select({ request: recv(this.requests) });
      yield* this.syncBatch(client);
    }
  }

  protected override notify(uid: string): void {
    const entry = this.podStatuses.get(uid);
    if (!this.options.client || !entry || this.requests.trySend({ uid, entry })) return;
    this.log.info(4, 'Skipping the status update for pod for now because the channel is full', {
      pod: `${entry.podNamespace}/${entry.podName}`,
      status: entry.status as unknown as Json,
    });
  }

  /**
   * Marks containers that neither have ended nor wait as lost; the phase stays as it is.
   * upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).TerminatePod
   */
  override terminatePod(pod: Pod): void {
    frameSync('TerminatePod', podRef(pod), () => {
      const status = copyStatus(this.podStatuses.get(pod.metadata.uid)?.status ?? pod.status);
      for (const c of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
        if (!c.state.terminated && !c.state.waiting) c.state = lost();
      this.updateStatusInternal(pod, status, true, false);
    });
  }

  /** upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).syncBatch */
  private *syncBatch(client: StatusClient): Go<void> {
    const updates: SyncRequest[] = [];
    yield* frame('syncBatch', undefined, () => this.collect(client, updates));
  }

  private *collect(client: StatusClient, updates: SyncRequest[]): Go<void> {
    const { podToMirror, mirrorToPod } = this.options.podManager.getUIDTranslations();
    for (const uid of [...this.apiStatusVersions.keys()])
      if (!this.podStatuses.has(uid) && !mirrorToPod.has(uid)) this.apiStatusVersions.delete(uid);
    for (const [uid, entry] of this.podStatuses) {
      const mirror = podToMirror.get(uid);
      if (mirror === '') {
        this.log.info(5, 'Static pod does not have a corresponding mirror pod; skipping', {
          podUID: uid,
          pod: `${entry.podNamespace}/${entry.podName}`,
        });
        continue;
      }
      const statusUID = mirror ?? uid;
      if (yield* this.needsUpdate(statusUID, entry)) updates.push({ uid, entry });
      else if (this.needsReconcile(uid, entry.status)) {
        this.apiStatusVersions.delete(statusUID);
        updates.push({ uid, entry });
      }
    }
    for (const { uid, entry } of updates) {
      this.log.info(5, 'Status Manager: syncPod in syncbatch', { podUID: uid });
      yield* this.syncPod(client, uid, entry);
    }
  }

  /**
   * Gets the pod, patches its status, and deletes it if nothing of the pod is left.
   * upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).syncPod
   */
  private *syncPod(client: StatusClient, uid: string, entry: VersionedPodStatus): Go<void> {
    const { podManager } = this.options;
    const ref = { podUID: uid, pod: `${entry.podNamespace}/${entry.podName}` };
    if (!(yield* this.needsUpdate(uid, entry))) {
      this.log.info(1, 'Status for pod is up-to-date; skipping', { podUID: uid });
      return;
    }
    let pod: Pod | null;
    try {
      pod = yield* client.getPod(entry.podNamespace, entry.podName);
    } catch (error) {
      this.log.info(0, 'Failed to get status for pod', { ...ref, error: messageOf(error) });
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
      this.deletePodStatus(uid);
      return;
    }
    try {
      const result = yield* client.patchPodStatus(pod, pod.status, this.merge(pod, entry.status));
      this.log.info(3, 'Patch status for pod', { pod: kObj(pod), patchBytes: result.patch });
      const kv = { pod: kObj(pod), statusVersion: entry.version };
      if (result.unchanged) this.log.info(3, 'Status for pod is up-to-date', kv);
      else {
        this.log.info(3, 'Status for pod updated successfully', { ...kv, status: entry.status as unknown as Json });
        pod = result.pod;
      }
    } catch (error) {
      this.log.info(0, 'Failed to update status for pod', { pod: kObj(pod), err: messageOf(error) });
      return;
    }
    this.apiStatusVersions.set(pod.metadata.uid, entry.version);
    if (!(yield* this.canBeDeleted(pod, entry.status))) return;
    try {
      yield* client.deletePod(pod.metadata.namespace, pod.metadata.name, pod.metadata.uid);
    } catch (error) {
      this.log.info(0, 'Failed to delete status for pod', { pod: kObj(pod), err: messageOf(error) });
      return;
    }
    this.log.info(3, 'Pod fully terminated and removed from etcd', { pod: kObj(pod) });
    this.deletePodStatus(uid);
  }

  /** Returns the status that is written. */
  protected merge(pod: Pod, status: PodStatus): PodStatus {
    return mergePodStatus(this.options.config, pod.status, status);
  }

  /** upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).needsUpdate */
  private *needsUpdate(uid: string, entry: VersionedPodStatus): Go<boolean> {
    if ((this.apiStatusVersions.get(uid) ?? 0) < entry.version) return true;
    const pod = this.options.podManager.getPodByUID(uid);
    return pod !== undefined && (yield* this.canBeDeleted(pod, entry.status));
  }

  /** upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).canBeDeleted */
  private *canBeDeleted(pod: Pod, status: PodStatus): Go<boolean> {
    if (!pod.metadata.deletionTimestamp || isMirrorPod(pod)) return false;
    return (yield* this.options.podDeletionSafety.podResourcesAreReclaimed?.(pod, status) ?? never()) ?? false;
  }

  /**
   * Returns true if the API shows something else than the cache.
   * upstream: v1.21 pkg/kubelet/status/status_manager.go (*manager).needsReconcile
   */
  private needsReconcile(uid: string, status: PodStatus): boolean {
    const { podManager } = this.options;
    const pod = podManager.getPodByUID(uid);
    const shownBy = pod && isStaticPod(pod) ? podManager.getMirrorPodByPod(pod) : pod;
    if (!shownBy) return false;
    const shown = copyStatus(shownBy.status);
    normalizeStatus(shownBy, shown);
    return !isPodStatusByKubeletEqual(this.options.config, shown, status);
  }
}

/**
 * Returns the status with the conditions that others set.
 * upstream: v1.21 pkg/kubelet/status/status_manager.go mergePodStatus
 */
function mergePodStatus(config: FeatureConfig, old: PodStatus, status: PodStatus): PodStatus {
  const others = (old.conditions ?? []).filter((c) => !podConditionByKubelet(config, c.type));
  const own = (status.conditions ?? []).filter((c) => podConditionByKubelet(config, c.type));
  return { ...copyStatus(status), conditions: [...others, ...own] };
}

const lost = (): ContainerStatus['state'] => ({
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt: null,
    finishedAt: null,
  },
});

function* never(): Go<boolean> {
  return false;
}
