import { fromTimeNano } from '../../../api/time.js';
import { getPodFullName, kObj, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { background, frame, type Go, Second } from '../../../kernel/index.js';
import { convertPodStatusToRunningPod, toAPIPod } from '../../container/helpers.js';
import { AggregateSyncError, BackoffError, errorIs } from '../../container/sync-result.js';
import type { RuntimePod, RuntimePodStatus } from '../../container/types.js';
import { EventReason } from '../../events.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import {
  checkNetwork,
  getPullSecretsForPod,
  makeDataDirectories,
  stepper,
  tryReconcileMirrorPods,
} from '../../sync-pod.js';
import { ConfigFirstSeenAnnotationKey } from '../../types/pod-update.js';
import { blocked, canRunPod } from '../can-run-pod.js';
import { podIsTerminated } from './pod-state.js';
import type { UpdatePodOptions } from './pod-workers.js';
import type { KubeletHandle } from './types.js';

/**
 * Brings a pod towards its spec or, in the same function, to its end. Nothing cancels it.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).syncPod
 */
export function syncPod(kl: KubeletHandle, update: UpdatePodOptions, podStatus: RuntimePodStatus): Go<void> {
  const { pod, updateType } = update;
  return frame('SyncPod', { ...podRef(pod), updateType }, () =>
    syncPodSteps(pendingTermination, kl, update, podStatus),
  );
}

/** Throws if the pod is being killed: it is not synced, and an error is the only way to wait. */
function* pendingTermination(kl: KubeletHandle, pod: Pod, step: (name: string) => void): Go<void> {
  step('pending termination');
  const podFullName = getPodFullName(pod);
  if (yield* kl.eraParts.podKiller.isPodPendingTerminationByPodName(podFullName))
    throw new Error(`pod ${JSON.stringify(podFullName)} is pending termination`);
}

/** Runs the steps of syncPod. `beforeSync` comes before all that is not a kill. */
export function* syncPodSteps(
  beforeSync: (kl: KubeletHandle, pod: Pod, step: (name: string) => void) => Go<void>,
  kl: KubeletHandle,
  update: UpdatePodOptions,
  podStatus: RuntimePodStatus,
): Go<void> {
  const { kernel, recorder } = kl;
  const { pod, mirrorPod, updateType } = update;
  const { uid } = pod.metadata;
  const step = stepper(kernel, 'SyncPod', pod);
  if (updateType === 'kill') {
    step('kill');
    yield* syncPodKill(kl, update, podStatus);
    return;
  }

  yield* beforeSync(kl, pod, step);

  const metrics = metricsOf(kernel);
  const firstSeen = pod.metadata.annotations?.[ConfigFirstSeenAnnotationKey];
  const sinceFirstSeen = () => (kernel.now() - (fromTimeNano(kernel, firstSeen) ?? 0)) / Second;
  if (updateType === 'create' && firstSeen) metrics.podWorkerStartDuration.observe(sinceFirstSeen());

  step('generateAPIPodStatus');
  const apiPodStatus = kl.generateAPIPodStatus(pod, podStatus, false);
  step('pod IPs');
  const ips = (apiPodStatus.podIPs ?? []).map((i) => i.ip);
  podStatus.ips = ips.length > 0 ? ips : apiPodStatus.podIP ? [apiPodStatus.podIP] : [];
  const existing = kl.statusManager.getPodStatus(uid);
  if (!existing || (existing.phase === 'Pending' && apiPodStatus.phase === 'Running' && firstSeen))
    metrics.podStartDuration.observe(sinceFirstSeen());

  step('canRunPod');
  const runnable = yield* canRunPod(kl, pod);
  if (!runnable.admit) blocked(apiPodStatus, runnable);

  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, apiPodStatus);

  step('kill what should not run');
  const deleted = pod.metadata.deletionTimestamp !== undefined;
  const unwanted = !runnable.admit || deleted || apiPodStatus.phase === 'Failed';
  kernel.emit({
    kind: 'decision',
    rule: 'syncPod: kill',
    verdict: unwanted ? 'kill' : 'goes on',
    values: { phase: apiPodStatus.phase ?? '', deleted, runnable: runnable.admit },
    ...podRef(pod),
  });
  if (unwanted) {
    try {
      yield* killPod(kl, pod, convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus), null);
    } catch (err) {
      recorder.event(pod, 'Warning', EventReason.FailedToKillPod, `error killing pod: ${messageOf(err)}`);
      throw new Error(`error killing pod: ${messageOf(err)}`, { cause: err });
    }
    // An error, so that it is asked again.
    if (!runnable.admit) throw new Error(`pod cannot be run: ${runnable.message}`);
    return;
  }

  step('network check');
  checkNetwork(kl, pod);

  if (!podIsTerminated(kl, pod)) {
    step('pod cgroup');
    kl.objectManagers?.registerPod(pod);
    yield* ensurePodCgroup(kl, pod, apiPodStatus, podStatus);
  }

  step('mirror pod');
  yield* tryReconcileMirrorPods(kl, background, pod, mirrorPod);

  step('data directories');
  yield* makeDataDirectories(kl, pod);

  if (!podIsTerminated(kl, pod)) {
    step('volumes');
    yield* waitForVolumes(kl, pod);
  }

  step('pull secrets');
  const pullSecrets = yield* getPullSecretsForPod(kl, pod);
  step('container runtime');
  const { crashLoopBackOff } = kl;
  const result = yield* kl.containerRuntime.syncPod(background, pod, podStatus, pullSecrets, crashLoopBackOff, false);
  step('reason cache');
  kl.reasonCache.update(uid, result);
  const error = result.error();
  if (error) throw withoutExpiry(error);
}

/**
 * A back-off is an error like any other, whose end the worker does not know. Upstream means to leave back-offs out, but
 * takes a result without an error for an error that is not a back-off, and such a result always exists.
 */
function withoutExpiry(error: Error): Error {
  const all = error instanceof AggregateSyncError ? error.errors : [error];
  const waits = (one: Error) => errorIs(one, (e) => e instanceof BackoffError);
  return new AggregateSyncError(all.map((one) => (waits(one) ? new Error(one.message) : one)));
}

/**
 * Kills a pod for an eviction, a preemption or a shutdown of the node.
 * upstream: v1.21 within kubelet.go (*Kubelet).syncPod
 */
function* syncPodKill(kl: KubeletHandle, update: UpdatePodOptions, podStatus: RuntimePodStatus): Go<void> {
  const { pod, killPodOptions: options } = update;
  if (!options) throw new Error('kill pod options are required if update type is kill');
  kl.statusManager.setPodStatus(pod, options.podStatusFunc(pod, podStatus));
  try {
    const running = convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus);
    yield* killPod(kl, pod, running, options.podTerminationGracePeriodSecondsOverride);
  } catch (err) {
    kl.recorder.event(pod, 'Warning', EventReason.FailedToKillPod, `error killing pod: ${messageOf(err)}`);
    throw err;
  }
}

/**
 * Kills a pod; `pod` is null if only the runtime knows it.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).killPod
 */
export function* killPod(
  kl: Pick<KubeletHandle, 'containerManager' | 'containerRuntime' | 'log'>,
  pod: Pod | null,
  runningPod: RuntimePod,
  gracePeriodOverride: number | null,
): Go<void> {
  yield* frame('killPod', { ...podRef(pod ?? toAPIPod(runningPod)), gracePeriodOverride }, function* () {
    yield* kl.containerRuntime.killPod(background, pod, runningPod, gracePeriodOverride);
    try {
      yield* kl.containerManager.updateQOSCgroups();
    } catch (err) {
      kl.log.info(2, 'Failed to update QoS cgroups while killing pod', { err: messageOf(err) });
    }
  });
}

/** Makes sure that the pod has a cgroup. upstream: v1.21 within kubelet.go (*Kubelet).syncPod */
export function* ensurePodCgroup(
  kl: Pick<KubeletHandle, 'containerManager' | 'containerRuntime' | 'kernel' | 'log' | 'recorder'>,
  pod: Pod,
  apiPodStatus: PodStatus,
  podStatus: RuntimePodStatus,
): Go<void> {
  const pcm = kl.containerManager.podContainers;
  if (yield* pcm.exists(pod)) return;
  const firstSync = !(apiPodStatus.containerStatuses ?? []).some((s) => s.state.running);
  let podKilled = false;
  if (!firstSync)
    try {
      yield* killPod(kl, pod, convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus), null);
      podKilled = true;
    } catch (err) {
      kl.log.error(err, 'killPod failed', { pod: kObj(pod) });
    }
  const runOnce = pod.spec.restartPolicy === 'Never';
  kl.kernel.emit({
    kind: 'decision',
    rule: 'SyncPod: pod cgroup',
    verdict: podKilled && runOnce ? 'leave it' : 'create',
    values: { firstSync, podKilled, restartPolicy: pod.spec.restartPolicy ?? 'Always' },
    ...podRef(pod),
  });
  if (podKilled && runOnce) return;
  try {
    yield* kl.containerManager.updateQOSCgroups();
  } catch (err) {
    kl.log.info(2, 'Failed to update QoS cgroups while syncing pod', { pod: kObj(pod), err: messageOf(err) });
  }
  try {
    yield* pcm.ensureExists(pod);
  } catch (err) {
    const text = `unable to ensure pod container exists: ${messageOf(err)}`;
    kl.recorder.event(pod, 'Warning', EventReason.FailedToCreatePodContainer, text);
    throw new Error(
      `failed to ensure that the pod: ${pod.metadata.uid} cgroups exist and are correctly applied: ${messageOf(err)}`,
    );
  }
}

/** Waits for the pod's volumes; an event tells what went wrong. upstream: v1.21 within kubelet.go (*Kubelet).syncPod */
export function* waitForVolumes(kl: Pick<KubeletHandle, 'log' | 'recorder' | 'volumeManager'>, pod: Pod): Go<void> {
  try {
    yield* kl.volumeManager.waitForAttachAndMount(background, pod);
  } catch (err) {
    const text = `Unable to attach or mount volumes: ${messageOf(err)}`;
    kl.recorder.event(pod, 'Warning', EventReason.FailedMountVolume, text);
    kl.log.error(err, 'Unable to attach or mount volumes for pod; skipping pod', { pod: kObj(pod) });
    throw err;
  }
}
