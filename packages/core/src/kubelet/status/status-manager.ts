import { toTime } from '../../api/time.js';
import { type ContainerStatus, kObj, type Pod, type PodStatus, podRef } from '../../api/types.js';
import { type Chan, frameSync, type Kernel, makeChan } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import { type ContainerID, formatContainerID } from '../container/types.js';
import { type FeatureConfig, featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { countTerminations } from '../metrics/container-terminations.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { PodManager } from '../podmanager/types.js';
import { isStaticPod } from '../types/pod-update.js';
import { startStatusSync } from './api-writer.js';
import { condition, generateContainersReadyCondition, generatePodReadyCondition } from './generate.js';
import {
  copyStatus,
  inFieldOrder,
  isPodStatusByKubeletEqual,
  normalizeStatus,
  replaceOrAppendPodCondition,
  updateLastTransitionTime,
  withoutGeneration,
} from './normalize.js';
import { checkContainerStateTransition, terminatedStatus } from './terminate.js';
import type {
  PodDeletionSafetyProvider,
  StatusCache,
  StatusClient,
  StatusManager,
  VersionedPodStatus,
} from './types.js';

export interface StatusManagerOptions {
  readonly kernel: Kernel;
  readonly config: FeatureConfig;
  readonly podManager: Pick<PodManager, 'getPodByUID' | 'getMirrorPodByPod' | 'translatePodUID' | 'getUIDTranslations'>;
  readonly podDeletionSafety: PodDeletionSafetyProvider;
  /** Null or missing in a stand-alone kubelet, whose statuses stay in the cache. */
  readonly client?: StatusClient | null;
}

/** Conditions whose time of change the manager keeps, in upstream's order. */
const timedConditions = [
  'ContainersReady',
  'Ready',
  'Initialized',
  'PodReadyToStartContainers',
  // The name that it had before v1.28.
  'PodHasNetwork',
  'PodScheduled',
  'DisruptionTarget',
  'AllContainersRestarting',
];

/**
 * The truth about pod statuses on this node: every change goes through it, is checked, gets a version and, with a
 * client, is written to the API.
 * upstream: pkg/kubelet/status/status_manager.go NewManager
 */
export function newStatusManager(options: StatusManagerOptions): StatusManager {
  return new Manager(options);
}

/** The capacity of the channel to the API writer, and its items in the trace. */
export interface StatusChannel {
  readonly capacity: number;
  readonly describe?: (item: unknown) => Json;
}

/** The part of the manager that all versions share; each writes to the API in its own way. */
export class Manager implements StatusManager, StatusCache {
  readonly podStatuses = new Map<string, VersionedPodStatus>();
  readonly podStatusChannel: Chan<unknown>;
  protected readonly kernel: Kernel;
  protected readonly log: Logger;

  constructor(
    protected readonly options: StatusManagerOptions,
    channel: StatusChannel = { capacity: 1 },
  ) {
    this.kernel = options.kernel;
    this.log = new Logger(options.kernel, 'status_manager.go');
    const { capacity, describe } = channel;
    this.podStatusChannel = makeChan(options.kernel, 'podStatusChannel', capacity, {
      quiet: !options.client,
      ...(describe && { describe }),
    });
  }

  start(): void {
    const { client, config, podManager, podDeletionSafety } = this.options;
    if (!client) {
      this.log.info(0, 'Kubernetes client is nil, not starting status manager');
      return;
    }
    this.log.info(0, 'Starting to sync pod status with apiserver');
    startStatusSync({ kernel: this.kernel, config, client, cache: this, podManager, podDeletionSafety });
  }

  getPodStatus(uid: string): PodStatus | undefined {
    const entry = this.podStatuses.get(this.options.podManager.translatePodUID(uid));
    // As in upstream it is a copy of the fields alone: what a stored status holds is never changed, only replaced.
    return entry && { ...entry.status };
  }

  /** upstream: pkg/kubelet/status/status_manager.go (*manager).SetPodStatus */
  setPodStatus(pod: Pod, status: PodStatus): void {
    frameSync('SetPodStatus', podRef(pod), () => {
      const generation = pod.metadata.generation ?? 0;
      // A pod on its way out is written again even if nothing changed: the write may be what deletes it.
      this.updateStatusInternal(
        pod,
        { ...copyStatus(status), observedGeneration: generation },
        Boolean(pod.metadata.deletionTimestamp),
        false,
      );
    });
  }

  /** upstream: pkg/kubelet/status/status_manager.go (*manager).SetContainerReadiness */
  setContainerReadiness(podUID: string, containerID: ContainerID, ready: boolean): void {
    frameSync('SetContainerReadiness', { uid: podUID, containerID: formatContainerID(containerID), ready }, () => {
      this.changeContainer(podUID, containerID, 'readiness', (pod, status, container) => {
        if (container.ready === ready) {
          this.log.info(4, 'Container readiness unchanged', {
            ready,
            pod: kObj(pod),
            containerID: formatContainerID(containerID),
          });
          return false;
        }
        container.ready = ready;
        const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
        for (const c of [
          generatePodReadyCondition(pod, status.conditions ?? [], all, status.phase),
          generateContainersReadyCondition(pod, all, status.phase),
        ]) {
          if (!status.conditions?.some((o) => o.type === c.type))
            this.log.info(0, 'PodStatus missing condition type', {
              conditionType: c.type,
              status: status as unknown as Json,
            });
          status.conditions = replaceOrAppendPodCondition(status.conditions ?? [], c);
        }
        return true;
      });
    });
  }

  /** upstream: pkg/kubelet/status/status_manager.go (*manager).SetContainerStartup */
  setContainerStartup(podUID: string, containerID: ContainerID, started: boolean): void {
    frameSync('SetContainerStartup', { uid: podUID, containerID: formatContainerID(containerID), started }, () => {
      this.changeContainer(podUID, containerID, 'startup', (pod, _status, container) => {
        if (container.started === started) {
          this.log.info(4, 'Container startup unchanged', {
            pod: kObj(pod),
            containerID: formatContainerID(containerID),
          });
          return false;
        }
        container.started = started;
        return true;
      });
    });
  }

  /**
   * The common part of readiness and startup (fidelity 1:S14): finds pod, cached status and container, and stores what
   * `change` made of the copy.
   */
  private changeContainer(
    podUID: string,
    containerID: ContainerID,
    what: 'readiness' | 'startup',
    change: (pod: Pod, status: PodStatus, container: ContainerStatus) => boolean,
  ): void {
    const pod = this.options.podManager.getPodByUID(podUID);
    if (!pod) {
      this.log.info(4, `Pod has been deleted, no need to update ${what}`, { podUID });
      return;
    }
    const id = formatContainerID(containerID);
    const cached = this.podStatuses.get(pod.metadata.uid);
    if (!cached) {
      this.log.info(0, `Container ${what} changed before pod has synced`, { pod: kObj(pod), containerID: id });
      return;
    }
    const status = copyStatus(cached.status);
    const container = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(
      (c) => c.containerID === id,
    );
    if (!container) {
      this.log.info(0, `Container ${what} changed for unknown container`, { pod: kObj(pod), containerID: id });
      return;
    }
    if (change(pod, status, container)) this.updateStatusInternal(pod, status, false, false);
  }

  /** upstream: pkg/kubelet/status/status_manager.go (*manager).TerminatePod */
  terminatePod(pod: Pod): void {
    frameSync('TerminatePod', podRef(pod), () => {
      const cached = this.podStatuses.get(pod.metadata.uid);
      const status = terminatedStatus(pod, copyStatus(cached?.status ?? pod.status));
      const ref = { pod: kObj(pod), podUID: pod.metadata.uid };
      // A static pod keeps the phase it has (fidelity 1:S10).
      if (!isStaticPod(pod) && status.phase !== 'Succeeded' && status.phase !== 'Failed') {
        if (status.phase === 'Pending' || status.phase === 'Running') {
          if (status.phase === 'Running' && cached)
            this.log.info(0, 'Terminal running pod should have already been marked as failed, programmer error', ref);
          this.log.info(3, 'Marking terminal pod as failed', { oldPhase: status.phase, ...ref });
        } else
          this.log.error(new Error(`unknown phase: ${status.phase ?? ''}`), 'Unknown phase, programmer error', ref);
        status.phase = 'Failed';
      }
      this.log.info(5, 'TerminatePod calling updateStatusInternal', ref);
      this.updateStatusInternal(pod, status, true, true);
    });
  }

  removeOrphanedStatuses(podUIDs: ReadonlySet<string>): readonly string[] {
    const orphans = [...this.podStatuses.keys()].filter((uid) => !podUIDs.has(uid));
    for (const uid of orphans) {
      this.log.info(5, 'Removing pod from status map', { podUID: uid });
      this.deletePodStatus(uid);
    }
    return orphans;
  }

  deletePodStatus(uid: string): void {
    const entry = this.podStatuses.get(uid);
    if (!entry) return;
    this.podStatuses.delete(uid);
    metricsOf(this.kernel).podStartup.deletePod(uid);
    this.kernel.emit({
      kind: 'status-removed',
      pod: kObj({ metadata: { name: entry.podName, namespace: entry.podNamespace } }),
      uid,
    });
  }

  /** upstream: pkg/kubelet/kubelet.go OnPodSandboxReady, the part that runs in a goroutine of its own */
  setPodReadyToStartContainers(pod: Pod): void {
    const status = this.getPodStatus(pod.metadata.uid) ?? copyStatus(pod.status);
    status.conditions = replaceOrAppendPodCondition(
      status.conditions ?? [],
      condition(pod, 'PodReadyToStartContainers', 'True'),
    );
    this.setPodStatus(pod, status);
  }

  /**
   * Checks a new status, completes and stores it, unless it says what is known. `status` is the manager's own from here
   * on.
   * upstream: (*manager).updateStatusInternal
   */
  protected updateStatusInternal(pod: Pod, status: PodStatus, forceUpdate: boolean, podIsFinished: boolean): void {
    const { uid, name, namespace } = pod.metadata;
    const cached = this.podStatuses.get(uid);
    const old = cached?.status ?? (this.options.podManager.getMirrorPodByPod(pod) ?? pod).status ?? {};
    if (cached?.podIsFinished && !podIsFinished && !isStaticPod(pod)) {
      this.log.info(
        0,
        'Got unexpected podIsFinished=false, while podIsFinished=true in status cache, programmer error',
        { pod: kObj(pod) },
      );
      podIsFinished = true;
    }
    const illegal = checkContainerStateTransition(this.options.config, old, status, pod.spec);
    if (illegal) {
      this.log.error(illegal, 'Status update on pod aborted', { pod: kObj(pod) });
      this.decide(pod, 'aborted', { error: illegal.message });
      return;
    }
    const now = toTime(this.kernel, this.kernel.now());
    for (const type of timedConditions) updateLastTransitionTime(status, old, type, now);
    status.startTime = old.startTime || status.startTime || now;
    if (featureEnabled(this.options.config, 'PodObservedGenerationTracking'))
      status.observedGeneration = Math.max(old.observedGeneration ?? 0, status.observedGeneration ?? 0);
    else withoutGeneration(status);
    normalizeStatus(pod, status);
    const accepted = inFieldOrder(status);
    countTerminations(this.kernel, old, accepted);
    const version = (cached?.version ?? 0) + 1;
    this.log.info(5, 'updateStatusInternal', {
      version,
      podIsFinished,
      pod: kObj(pod),
      podUID: uid,
      containers: containersText(accepted),
    });
    if (cached && !forceUpdate && isPodStatusByKubeletEqual(this.options.config, cached.status, accepted)) {
      this.log.info(3, 'Ignoring same status for pod', { pod: kObj(pod), status: accepted as unknown as Json });
      this.decide(pod, 'unchanged', { version: cached.version });
      return;
    }
    this.podStatuses.set(uid, {
      status: accepted,
      version,
      podName: name,
      podNamespace: namespace,
      podIsFinished,
      at: cached?.at ?? this.kernel.now(),
    });
    this.kernel.emit({ kind: 'status', version, status: accepted as unknown as Json, ...podRef(pod) });
    this.notify(uid);
  }

  /** Notifies the API writer; without one the channel has no reader. */
  protected notify(_uid: string): void {
    if (this.options.client) this.podStatusChannel.trySend(true);
  }

  private decide(pod: Pod, verdict: string, values: { readonly [key: string]: Json }): void {
    this.kernel.emit({ kind: 'decision', rule: 'updateStatusInternal', verdict, values, ...podRef(pod) });
  }
}

function containersText(status: PodStatus): string {
  const text = (s: ContainerStatus['state'], none: string): string =>
    s.running ? 'running' : s.waiting ? 'waiting' : s.terminated ? `terminated=${s.terminated.exitCode}` : none;
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
    .map((s) => `(${s.name} state=${text(s.state, 'unknown')} previous=${text(s.lastState, '<none>')})`)
    .sort()
    .join(' ');
}
