import { isContainerRestartable } from '../api/pod/podutil.js';
import { fromTimeNano } from '../api/time.js';
import { getPodFullName, kObj, type Pod, type PodStatus, podRef } from '../api/types.js';
import { messageOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import {
  background,
  type Context,
  ContextError,
  currentOrNull,
  frame,
  type Go,
  Millisecond,
  Second,
  sleep,
  withoutCancel,
} from '../kernel/index.js';
import type { UpdateType } from '../trace/index.js';
import { podResizeCompletedMsg, podResizeErrorMsg } from './allocation/resize-messages.js';
import type { NodeLister } from './client/kube-client.js';
import type { ObjectManagers, SecretObject } from './client/objects.js';
import type { ContainerManager } from './cm/container-manager.js';
import type { KubeletConfig } from './config.js';
import { convertPodStatusToRunningPod, isHostNetworkPod, toAPIPod } from './container/helpers.js';
import { errorIs } from './container/sync-result.js';
import type { Runtime } from './container/types.js';
import { formatContainerID, type RuntimePod, type RuntimePodStatus } from './container/types.js';
import { errorOfSync } from './emulation.js';
import type { EventRecorder } from './events.js';
import { EventReason } from './events.js';
import { featureEnabled } from './features.js';
import type { RejectPodDeps } from './handlers.js';
import { rejectPod } from './handlers.js';
import type { Logger } from './klog.js';
import type { PodDirsDeps, PodVolumesDeps } from './kubelet-volumes.js';
import { makePodDataDirs, podVolumesExist } from './kubelet-volumes.js';
import type { KubeGenericRuntimeManager } from './kuberuntime/kuberuntime-manager.js';
import { recordAdmissionRejection } from './metrics/admission-rejections.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import type { PodLifecycleEventGenerator } from './pleg/types.js';
import type { MirrorPodClient } from './podmanager/mirror-client.js';
import { isMirrorPodOf } from './podmanager/pod-manager.js';
import type { PodSyncer, PodWorkers } from './podworkers/types.js';
import type { ProberManager } from './prober/types.js';
import type { ReasonCache } from './reason-cache.js';
import type { RuntimeState } from './runtime-state.js';
import { NetworkNotReadyErrorMsg } from './runtime-state.js';
import type { PodResizeConditions } from './status/resize-conditions.js';
import { PodReasonError } from './status/resize-conditions.js';
import { ConfigFirstSeenAnnotationKey, isStaticPod } from './types/pod-update.js';
import type { BackOff } from './util/backoff.js';
import type { VolumeManager } from './volumemanager/volume-manager.js';
import { VolumeAttachLimitExceededError, VolumeAttachmentLimitExceededReason } from './volumemanager/volume-manager.js';

/** The parts of the kubelet that keep a static pod's mirror pod. */
export interface MirrorPodDeps {
  readonly config: Pick<KubeletConfig, 'nodeName'>;
  readonly log: Logger;
  readonly mirrorPodClient: MirrorPodClient;
  readonly nodeLister: NodeLister | null;
}

interface KillPodDeps {
  readonly log: Logger;
  readonly containerRuntime: Pick<Runtime, 'killPod'>;
  readonly containerManager: Pick<ContainerManager, 'updateQOSCgroups'>;
}

interface PodCgroupDeps extends KillPodDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly recorder: EventRecorder;
  readonly containerRuntime: Pick<KubeGenericRuntimeManager, 'killPod' | 'type' | 'updateActuatedPodLevelResources'>;
  readonly containerManager: Pick<ContainerManager, 'podContainers' | 'updateQOSCgroups'>;
}

/**
 * The parts of the kubelet that bring a pod towards its spec, or to its end.
 * upstream: podSyncer, which is the whole *Kubelet
 */
export interface PodSyncerDeps extends MirrorPodDeps, PodCgroupDeps, PodDirsDeps, PodVolumesDeps, RejectPodDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly recorder: EventRecorder;
  readonly podsLog: Logger;
  readonly containerRuntime: Pick<
    KubeGenericRuntimeManager,
    | 'getPod'
    | 'getPodStatus'
    | 'isPodResizeInProgress'
    | 'killPod'
    | 'syncPod'
    | 'type'
    | 'updateActuatedPodLevelResources'
  >;
  readonly crashLoopBackOff: BackOff;
  readonly objectManagers: ObjectManagers | null;
  readonly pleg: Pick<PodLifecycleEventGenerator, 'requestRelist'>;
  readonly podWorkers: PodWorkers;
  readonly probeManager: ProberManager;
  readonly reasonCache: ReasonCache;
  readonly resizeConditions: PodResizeConditions;
  readonly runtimeState: Pick<RuntimeState, 'networkErrors' | 'rules'>;
  readonly volumeManager: Pick<
    VolumeManager,
    'hasPossiblyMountedVolumesForPod' | 'waitForAttachAndMount' | 'waitForUnmount'
  >;
  /** upstream: kubelet_pods.go (*Kubelet).generateAPIPodStatus */
  generateAPIPodStatus(pod: Pod, podStatus: RuntimePodStatus, podIsTerminal: boolean): PodStatus;
}

/** The four methods that pod workers call. upstream: kubelet.go, as podSyncer */
export function newPodSyncer(kl: () => PodSyncerDeps): PodSyncer {
  return {
    syncPod: (ctx, updateType, pod, mirrorPod, podStatus) =>
      frame(
        'SyncPod',
        { ...podRef(pod), updateType },
        () => syncPod(kl(), ctx, updateType, pod, mirrorPod, podStatus),
        (r) => ({ isTerminal: r.isTerminal }),
      ),
    syncTerminatingPod: (_ctx, pod, podStatus, gracePeriod, podStatusFn) =>
      frame('SyncTerminatingPod', { ...podRef(pod), gracePeriod }, () =>
        withEnterAndExitLogs(kl().log, 'SyncTerminatingPod', pod, () =>
          syncTerminatingPod(kl(), pod, podStatus, gracePeriod, podStatusFn),
        ),
      ),
    syncTerminatingRuntimePod: (_ctx, runningPod) =>
      frame('SyncTerminatingRuntimePod', podRef(toAPIPod(runningPod)), () =>
        withEnterAndExitLogs(kl().log, 'SyncTerminatingRuntimePod', toAPIPod(runningPod), () =>
          syncTerminatingRuntimePod(kl(), runningPod),
        ),
      ),
    syncTerminatedPod: (ctx, pod, podStatus) =>
      frame('SyncTerminatedPod', podRef(pod), () =>
        withEnterAndExitLogs(kl().log, 'SyncTerminatedPod', pod, () => syncTerminatedPod(kl(), ctx, pod, podStatus)),
      ),
  };
}

function* withEnterAndExitLogs(log: Logger, name: string, pod: Pod, body: () => Go<void>): Go<void> {
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  log.info(4, `${name} enter`, kv);
  try {
    yield* body();
  } finally {
    log.info(4, `${name} exit`, kv);
  }
}

/** Numbers and names the steps of one call in the trace. Each is caused by the call, and causes what it does. */
export const stepper = (kernel: Kernel, fn: string, pod: Pod) => {
  let n = 0;
  const ref = podRef(pod);
  const call = currentOrNull()?.g.cause;
  return (name: string) => void kernel.emitCause({ kind: 'step', fn, n: ++n, name, ...ref }, call);
};

interface SyncResult {
  readonly isTerminal: boolean;
  readonly postSync?: () => void;
}

/**
 * Brings a pod towards what its spec says; never waits for its containers to end.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).SyncPod
 */
function* syncPod(
  kl: PodSyncerDeps,
  ctx: Context,
  updateType: UpdateType,
  pod: Pod,
  mirrorPod: Pod | undefined,
  podStatus: RuntimePodStatus,
): Go<SyncResult> {
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  let isTerminal = false;
  kl.log.info(4, 'SyncPod enter', kv);
  try {
    const result = yield* syncPodSteps(kl, ctx, updateType, pod, mirrorPod, podStatus);
    isTerminal = result.isTerminal;
    return result;
  } finally {
    kl.log.info(4, 'SyncPod exit', { ...kv, isTerminal });
  }
}

function* syncPodSteps(
  kl: PodSyncerDeps,
  ctx: Context,
  updateType: UpdateType,
  pod: Pod,
  mirrorPod: Pod | undefined,
  podStatus: RuntimePodStatus,
): Go<SyncResult> {
  const { kernel, log, recorder } = kl;
  const uid = pod.metadata.uid;
  const step = stepper(kl.kernel, 'SyncPod', pod);

  const metrics = metricsOf(kernel);
  const firstSeen = pod.metadata.annotations?.[ConfigFirstSeenAnnotationKey];
  const sinceFirstSeen = () => (kernel.now() - (fromTimeNano(kernel, firstSeen) ?? 0)) / Second;
  if (updateType === 'create' && firstSeen) metrics.podWorkerStartDuration.observe(sinceFirstSeen());

  const generation = pod.metadata.generation ?? 0;
  if (featureEnabled(kl.config, 'InPlacePodVerticalScaling')) {
    step('resize condition');
    if (kl.containerRuntime.isPodResizeInProgress(pod, podStatus))
      kl.resizeConditions.setInProgress(uid, '', '', generation);
    else {
      // Allocated and actual are the same.
      const cleared = kl.resizeConditions.clearInProgress(uid);
      if (cleared !== null)
        recorder.event(pod, 'Normal', EventReason.ResizeCompleted, podResizeCompletedMsg(pod, cleared));
    }
  }
  step('generateAPIPodStatus');
  const apiPodStatus = kl.generateAPIPodStatus(pod, podStatus, false);
  step('pod IPs');
  const ips = (apiPodStatus.podIPs ?? []).map((i) => i.ip);
  podStatus.ips = ips.length > 0 ? ips : apiPodStatus.podIP ? [apiPodStatus.podIP] : [];

  step('terminal check');
  const terminal = apiPodStatus.phase === 'Succeeded' || apiPodStatus.phase === 'Failed';
  kernel.emit({
    kind: 'decision',
    rule: 'SyncPod: terminal',
    verdict: terminal ? 'terminal' : 'goes on',
    values: { phase: apiPodStatus.phase ?? '' },
    ...podRef(pod),
  });
  if (terminal) {
    kl.statusManager.setPodStatus(pod, apiPodStatus);
    return { isTerminal: true };
  }

  // On every first sync without a status too, whatever the phase (fidelity 3:MET-03).
  const existing = kl.statusManager.getPodStatus(uid);
  if (!existing || (existing.phase === 'Pending' && apiPodStatus.phase === 'Running' && firstSeen))
    metrics.podStartDuration.observe(sinceFirstSeen());
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, apiPodStatus);

  step('network check');
  checkNetwork(kl, pod);

  step('register secrets and configmaps');
  if (!kl.podWorkers.isPodTerminationRequested(uid)) kl.objectManagers?.registerPod(pod);

  step('pod cgroup');
  if (!kl.podWorkers.isPodTerminationRequested(uid)) {
    const interrupted = yield* ensurePodCgroup(kl, ctx, pod, apiPodStatus, podStatus);
    if (interrupted) return { isTerminal: false };
  }

  step('mirror pod');
  yield* tryReconcileMirrorPods(kl, ctx, pod, mirrorPod);

  step('data directories');
  yield* makeDataDirectories(kl, pod);

  step('volumes');
  try {
    yield* kl.volumeManager.waitForAttachAndMount(ctx, pod);
  } catch (err) {
    if (err instanceof VolumeAttachLimitExceededError) {
      rejectPod(kl, pod, VolumeAttachmentLimitExceededReason, err.message);
      recordAdmissionRejection(kernel, VolumeAttachmentLimitExceededReason);
      return { isTerminal: true };
    }
    if (!isInterrupted(err)) {
      recorder.event(
        pod,
        'Warning',
        EventReason.FailedMountVolume,
        `Unable to attach or mount volumes: ${messageOf(err)}`,
      );
      log.error(err, 'Unable to attach or mount volumes for pod; skipping pod', { pod: kObj(pod) });
    }
    throw err;
  }

  step('pull secrets');
  const pullSecrets = yield* getPullSecretsForPod(kl, pod);
  step('probes');
  kl.probeManager.addPod(pod);

  step('container runtime');
  const restartAllContainers =
    featureEnabled(kl.config, 'RestartAllContainersOnContainerExits') &&
    (apiPodStatus.conditions ?? []).some((c) => c.type === 'AllContainersRestarting' && c.status === 'True');
  // The sync is not cut short: a termination waits for what is under way.
  const result = yield* kl.containerRuntime.syncPod(
    withoutCancel(ctx),
    pod,
    podStatus,
    pullSecrets,
    kl.crashLoopBackOff,
    restartAllContainers,
  );
  step('reason cache');
  kl.reasonCache.update(uid, result);

  for (const r of result.syncResults) {
    if (r.action !== 'ResizePodInPlace' || !r.error) continue;
    const { generation: of, changed } = kl.resizeConditions.setInProgress(uid, PodReasonError, r.message, generation);
    if (changed) recorder.event(pod, 'Warning', EventReason.ResizeError, podResizeErrorMsg(pod, of, r.message));
  }
  const error = errorOfSync(kl.config, result.error());
  if (restartAllContainers && !error && result.syncResults.some((r) => r.action === 'RemoveContainer' && !r.error))
    kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'update' });
  if (error) throw error;
  return {
    isTerminal: false,
    ...(result.syncResults.length > 0 && { postSync: () => kl.pleg.requestRelist(uid) }),
  };
}

/** upstream: wait.Interrupted */
const isInterrupted = (err: unknown): boolean => errorIs(err, (e) => e instanceof ContextError);

/**
 * Makes sure that the pod has a cgroup. Returns true if the sync was interrupted and ends here.
 * upstream: within (*Kubelet).SyncPod
 */
function* ensurePodCgroup(
  kl: PodCgroupDeps,
  ctx: Context,
  pod: Pod,
  apiPodStatus: PodStatus,
  podStatus: RuntimePodStatus,
): Go<boolean> {
  const pcm = kl.containerManager.podContainers;
  if (yield* pcm.exists(pod)) return false;
  const firstSync = !(apiPodStatus.containerStatuses ?? []).some((s) => s.state.running);
  let podKilled = false;
  if (!firstSync) {
    try {
      yield* killPod(kl, ctx, pod, convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus), null);
      podKilled = true;
    } catch (err) {
      if (isInterrupted(err)) return true;
      kl.log.error(err, 'KillPod failed', { pod: kObj(pod) });
    }
  }
  // A pod that runs only once and was killed will not run again.
  const rules = featureEnabled(kl.config, 'ContainerRestartRules');
  const runOnce =
    pod.spec.restartPolicy === 'Never' &&
    !(rules && pod.spec.containers.some((c) => isContainerRestartable(pod.spec, c)));
  kl.kernel.emit({
    kind: 'decision',
    rule: 'SyncPod: pod cgroup',
    verdict: podKilled && runOnce ? 'leave it' : 'create',
    values: { firstSync, podKilled, restartPolicy: pod.spec.restartPolicy ?? 'Always' },
    ...podRef(pod),
  });
  if (podKilled && runOnce) return false;
  try {
    yield* kl.containerManager.updateQOSCgroups();
  } catch (err) {
    kl.log.info(2, 'Failed to update QoS cgroups while syncing pod', { pod: kObj(pod), err: messageOf(err) });
  }
  try {
    yield* pcm.ensureExists(pod);
  } catch (err) {
    kl.recorder.event(
      pod,
      'Warning',
      EventReason.FailedToCreatePodContainer,
      `unable to ensure pod container exists: ${messageOf(err)}`,
    );
    throw new Error(
      `failed to ensure that the pod: ${pod.metadata.uid} cgroups exist and are correctly applied: ${messageOf(err)}`,
    );
  }
  try {
    yield* kl.containerRuntime.updateActuatedPodLevelResources(pod);
  } catch (err) {
    throw new Error(
      `failed to update the state of pod-level resources for the pod ${pod.metadata.uid} : ${messageOf(err)}`,
      { cause: err },
    );
  }
  return false;
}

/** upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).killPod */
function* killPod(
  kl: KillPodDeps,
  ctx: Context,
  pod: Pod,
  runningPod: RuntimePod,
  gracePeriodOverride: number | null,
): Go<void> {
  yield* frame('killPod', { ...podRef(pod), gracePeriodOverride }, function* () {
    yield* kl.containerRuntime.killPod(ctx, pod, runningPod, gracePeriodOverride);
    try {
      yield* kl.containerManager.updateQOSCgroups();
    } catch (err) {
      kl.log.info(2, 'Failed to update QoS cgroups while killing pod', { err: messageOf(err) });
    }
  });
}

/** upstream: kubelet_pods.go (*Kubelet).getPullSecretsForPod. Without an API client there are no secrets available. */
export function* getPullSecretsForPod(
  kl: Pick<PodSyncerDeps, 'objectManagers' | 'podsLog' | 'recorder'>,
  pod: Pod,
): Go<SecretObject[]> {
  const secrets: SecretObject[] = [];
  const failed: string[] = [];
  for (const { name } of pod.spec.imagePullSecrets ?? []) {
    if (!name) continue;
    try {
      if (!kl.objectManagers) throw new Error('not supported due to running kubelet in standalone mode');
      secrets.push(yield* kl.objectManagers.getSecret(pod.metadata.namespace, name));
    } catch (err) {
      kl.podsLog.info(0, 'Unable to retrieve pull secret, the image pull may not succeed.', {
        pod: kObj(pod),
        secret: `${pod.metadata.namespace}/${name}`,
        err: messageOf(err),
      });
      failed.push(name);
    }
  }
  if (failed.length > 0)
    kl.recorder.event(
      pod,
      'Warning',
      EventReason.FailedToRetrieveImagePullSecret,
      `Unable to retrieve some image pull secrets (${failed.join(', ')}); attempting to pull the image may not succeed.`,
    );
  return secrets;
}

/**
 * Makes sure that the API has the static pod's mirror pod. Errors are only logged.
 * upstream: kubelet.go (*Kubelet).tryReconcileMirrorPods
 */
export function* tryReconcileMirrorPods(
  kl: MirrorPodDeps,
  ctx: Context,
  staticPod: Pod,
  mirrorPod: Pod | undefined,
): Go<void> {
  if (!isStaticPod(staticPod)) return;
  const { log } = kl;
  let deleted = false;
  if (mirrorPod && (mirrorPod.metadata.deletionTimestamp || !isMirrorPodOf(mirrorPod, staticPod))) {
    log.info(0, 'Trying to delete pod', { pod: kObj(mirrorPod), podUID: mirrorPod.metadata.uid });
    try {
      deleted = yield* kl.mirrorPodClient.deleteMirrorPod(ctx, getPodFullName(staticPod), mirrorPod.metadata.uid);
      if (deleted) log.info(0, "Deleted mirror pod as it didn't match the static Pod", { pod: kObj(mirrorPod) });
    } catch (err) {
      log.error(err, 'Failed deleting mirror pod', { pod: kObj(mirrorPod) });
    }
  }
  if (mirrorPod && !deleted) return;
  if (!nodeWantsMirrorPod(kl)) return;
  log.info(0, 'Creating a mirror pod for static pod', { pod: kObj(staticPod) });
  try {
    yield* kl.mirrorPodClient.createMirrorPod(ctx, staticPod);
  } catch (err) {
    log.error(err, 'Failed creating a mirror pod', { pod: kObj(staticPod) });
  }
}

/** Returns false while the node cannot be read or is going away. upstream: within (*Kubelet).tryReconcileMirrorPods */
function nodeWantsMirrorPod(kl: Omit<MirrorPodDeps, 'mirrorPodClient'>): boolean {
  const { nodeLister } = kl;
  if (!nodeLister) return true;
  const { nodeName } = kl.config;
  const kv = { node: nodeName };
  try {
    const node = nodeLister.get();
    if (!node.metadata.deletionTimestamp) return true;
    kl.log.info(0, 'No need to create a mirror pod, since node has been removed from the cluster', kv);
  } catch (err) {
    kl.log.error(err, 'No need to create a mirror pod, since failed to get node info from the cluster', kv);
  }
  return false;
}

/**
 * Stops a pod's containers for good; returns when none runs.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).SyncTerminatingPod
 */
function* syncTerminatingPod(
  kl: PodSyncerDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  gracePeriod: number | null,
  podStatusFn: ((status: PodStatus) => void) | null,
): Go<void> {
  // A context of its own: nothing may cut a termination short.
  const ctx = background;
  const { log, recorder } = kl;
  const uid = pod.metadata.uid;
  const kv = { pod: kObj(pod), podUID: uid };
  const step = stepper(kl.kernel, 'SyncTerminatingPod', pod);

  step('generateAPIPodStatus');
  const before = kl.generateAPIPodStatus(pod, podStatus, false);
  podStatusFn?.(before);
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, before);
  log.info(4, 'Pod terminating with grace period', { ...kv, gracePeriod });

  step('stop liveness and startup probes');
  kl.probeManager.stopLivenessAndStartup(pod);

  step('killPod');
  try {
    yield* killPod(kl, ctx, pod, convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus), gracePeriod);
  } catch (err) {
    recorder.event(pod, 'Warning', EventReason.FailedToKillPod, `error killing pod: ${messageOf(err)}`);
    throw new Error(`error killing terminating pod: ${messageOf(err)}`, { cause: err });
  }

  step('remove probes');
  kl.probeManager.removePod(pod);

  step('read final state');
  const stopped = yield* finalPodStatus(kl, ctx, pod);
  stopped.ips = podStatus.ips;
  const containers = [...stopped.containerStatuses].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  log.info(4, 'Post-termination container state', {
    ...kv,
    containers: containers.map((s) => ({
      Name: s.name,
      State: s.state,
      ExitCode: s.exitCode,
      FinishedAt: new Date(Number(s.finishedAt / 1_000_000n)).toISOString(),
    })),
  });
  const running = stopped.containerStatuses.filter((s) => s.state === 'running').map((s) => formatContainerID(s.id));
  if (running.length > 0)
    throw new Error(`detected running containers after a successful KillPod, CRI violation: [${running.join(' ')}]`);

  step('generateAPIPodStatus, terminal');
  const after = kl.generateAPIPodStatus(pod, stopped, true);
  step('SetPodStatus, terminal');
  kl.statusManager.setPodStatus(pod, after);
  log.info(4, 'Pod termination stopped all running containers', kv);
}

export function* finalPodStatus(
  kl: Pick<PodSyncerDeps, 'containerRuntime' | 'kernel'>,
  ctx: Context,
  pod: Pod,
): Go<RuntimePodStatus> {
  const { uid, name, namespace } = pod.metadata;
  let runtimePod: RuntimePod | null;
  try {
    runtimePod = yield* kl.containerRuntime.getPod(ctx, uid);
  } catch (err) {
    throw new Error(`unable to get pod prior to final pod termination: ${messageOf(err)}`, { cause: err });
  }
  runtimePod ??= { id: uid, name, namespace, timestamp: kl.kernel.now(), createdAt: 0n, containers: [], sandboxes: [] };
  try {
    return yield* kl.containerRuntime.getPodStatus(ctx, runtimePod);
  } catch (err) {
    throw new Error(`unable to read pod status prior to final pod termination: ${messageOf(err)}`, { cause: err });
  }
}

/** Stops a pod that only the runtime knows. upstream: pkg/kubelet/kubelet.go (*Kubelet).SyncTerminatingRuntimePod */
function* syncTerminatingRuntimePod(
  kl: KillPodDeps & Pick<PodSyncerDeps, 'kernel' | 'recorder'>,
  runningPod: RuntimePod,
): Go<void> {
  const pod = toAPIPod(runningPod);
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  const step = stepper(kl.kernel, 'SyncTerminatingRuntimePod', pod);
  kl.log.info(4, 'Orphaned running pod terminating without grace period', kv);
  step('killPod');
  try {
    // An override, whatever grace period is in the containers' annotations; killContainer raises it to 2 s.
    yield* killPod(kl, background, pod, runningPod, 1);
  } catch (err) {
    kl.recorder.event(pod, 'Warning', EventReason.FailedToKillPod, `error killing pod: ${messageOf(err)}`);
    kl.log.error(err, 'Unhandled Error');
    throw err;
  }
  kl.log.info(4, 'Pod termination stopped all running orphaned containers', kv);
}

/**
 * Cleans up after a pod whose containers have stopped.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).SyncTerminatedPod
 */
function* syncTerminatedPod(kl: PodSyncerDeps, ctx: Context, pod: Pod, podStatus: RuntimePodStatus): Go<void> {
  const { log } = kl;
  const uid = pod.metadata.uid;
  const kv = { pod: kObj(pod), podUID: uid };
  const step = stepper(kl.kernel, 'SyncTerminatedPod', pod);

  step('generateAPIPodStatus');
  const apiPodStatus = kl.generateAPIPodStatus(pod, podStatus, true);
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, apiPodStatus);

  step('unmount volumes');
  yield* kl.volumeManager.waitForUnmount(ctx, pod);
  log.info(4, 'Pod termination unmounted volumes', kv);
  step('volume paths');
  while (yield* podVolumesExist(kl, uid)) {
    log.info(3, 'Pod is terminated, but some volumes have not been cleaned up', kv);
    yield* sleep(100 * Millisecond);
    const err = ctx.err();
    if (err) throw err;
  }
  log.info(3, 'Pod termination cleaned up volume paths', kv);

  step('unregister secrets and configmaps');
  kl.objectManagers?.unregisterPod(pod);
  if (kl.config.cgroupsPerQOS) {
    step('destroy cgroup');
    const pcm = kl.containerManager.podContainers;
    yield* pcm.destroy(pcm.getPodContainerName(pod).name);
    log.info(4, 'Pod termination removed cgroups', kv);
  }
  step('release user namespace');
  step('TerminatePod');
  kl.statusManager.terminatePod(pod);
  log.info(4, 'Pod is terminated and will need no more status updates', kv);
}

/** Throws, with an event, while the pod would have no network. upstream: within kubelet.go (*Kubelet).SyncPod */
export function checkNetwork(kl: Pick<PodSyncerDeps, 'recorder' | 'runtimeState'>, pod: Pod): void {
  const networkError = kl.runtimeState.networkErrors();
  if (!networkError || isHostNetworkPod(pod)) return;
  const { message } = networkError;
  const text = `${NetworkNotReadyErrorMsg}: ${kl.runtimeState.rules.print?.([message]) ?? message}`;
  kl.recorder.event(pod, 'Warning', EventReason.NetworkNotReady, text);
  throw new Error(text);
}

/** Makes the pod's folders; an event tells what went wrong. upstream: within kubelet.go (*Kubelet).SyncPod */
export function* makeDataDirectories(kl: PodDirsDeps & Pick<PodSyncerDeps, 'log' | 'recorder'>, pod: Pod): Go<void> {
  try {
    yield* makePodDataDirs(kl, pod);
  } catch (err) {
    const text = `error making pod data directories: ${messageOf(err)}`;
    kl.recorder.event(pod, 'Warning', EventReason.FailedToMakePodDataDirectories, text);
    kl.log.error(err, 'Unable to make pod data directories for pod', { pod: kObj(pod) });
    throw err;
  }
}
