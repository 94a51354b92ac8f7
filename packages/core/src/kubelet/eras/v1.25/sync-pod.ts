import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import { fromTimeNano } from '../../../api/time.js';
import { kObj, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import type { Context } from '../../../kernel/index.js';
import { background, frame, type Go, Second } from '../../../kernel/index.js';
import { convertPodStatusToRunningPod } from '../../container/helpers.js';
import { formatContainerID, type RuntimePod, type RuntimePodStatus } from '../../container/types.js';
import { errorOfSync } from '../../emulation.js';
import type { EraHandle } from '../../era/types.js';
import { EventReason } from '../../events.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import {
  checkNetwork,
  finalPodStatus,
  getPullSecretsForPod,
  makeDataDirectories,
  stepper,
  tryReconcileMirrorPods,
} from '../../sync-pod.js';
import { ConfigFirstSeenAnnotationKey } from '../../types/pod-update.js';
import { blocked, canRunPod } from '../can-run-pod.js';
import { ensurePodCgroup, killPod, waitForVolumes } from '../v1.21/sync-pod.js';
import type { PodSyncFns } from './pod-workers.js';

/**
 * Builds the functions that the workers call.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncPod and its siblings
 */
export function newPodSyncFns(kl: () => EraHandle): PodSyncFns {
  return {
    syncPod: (_ctx, update, podStatus) => syncPod(kl(), update.updateType, update.pod, update.mirrorPod, podStatus),
    syncTerminatingPod: (pod, podStatus, runningPod, gracePeriod, podStatusFn) =>
      syncTerminatingPod(kl(), pod, podStatus, runningPod, gracePeriod, podStatusFn),
    syncTerminatedPod: (ctx, pod, podStatus) => syncTerminatedPod(kl(), ctx, pod, podStatus),
  };
}

function* withEnterAndExitLogs<T>(kl: EraHandle, name: string, pod: Pod, body: () => Go<T>): Go<T> {
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  kl.log.info(4, `${name} enter`, kv);
  try {
    return yield* body();
  } finally {
    kl.log.info(4, `${name} exit`, kv);
  }
}

/**
 * Brings a pod towards its spec. If the pod has ended, its worker goes on to terminating.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncPod
 */
function syncPod(
  kl: EraHandle,
  updateType: Parameters<typeof frame>[0],
  pod: Pod,
  mirrorPod: Pod | undefined,
  podStatus: RuntimePodStatus,
): Go<{ readonly isTerminal: boolean }> {
  return frame(
    'SyncPod',
    { ...podRef(pod), updateType },
    () => withEnterAndExitLogs(kl, 'syncPod', pod, () => syncPodSteps(kl, updateType, pod, mirrorPod, podStatus)),
    (r) => ({ isTerminal: r.isTerminal }),
  );
}

function* syncPodSteps(
  kl: EraHandle,
  updateType: string,
  pod: Pod,
  mirrorPod: Pod | undefined,
  podStatus: RuntimePodStatus,
): Go<{ readonly isTerminal: boolean }> {
  const { kernel } = kl;
  const { uid } = pod.metadata;
  const step = stepper(kernel, 'SyncPod', pod);
  const metrics = metricsOf(kernel);
  const firstSeen = pod.metadata.annotations?.[ConfigFirstSeenAnnotationKey];
  const sinceFirstSeen = () => (kernel.now() - (fromTimeNano(kernel, firstSeen) ?? 0)) / Second;
  if (updateType === 'create' && firstSeen) metrics.podWorkerStartDuration.observe(sinceFirstSeen());

  step('generateAPIPodStatus');
  const apiPodStatus = kl.generateAPIPodStatus(pod, podStatus, false);
  step('pod IPs');
  const ips = (apiPodStatus.podIPs ?? []).map((i) => i.ip);
  podStatus.ips = ips.length > 0 ? ips : apiPodStatus.podIP ? [apiPodStatus.podIP] : [];

  step('terminal check');
  const terminal = isPodPhaseTerminal(apiPodStatus.phase);
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
  step('canRunPod');
  const runnable = yield* canRunPod(kl, pod);
  if (!runnable.admit) {
    // It is stopped, but stays: it may be admitted later.
    apiPodStatus.phase = 'Pending';
    blocked(apiPodStatus, runnable);
  }
  const existing = kl.statusManager.getPodStatus(uid);
  if (!existing || (existing.phase === 'Pending' && apiPodStatus.phase === 'Running' && firstSeen))
    metrics.podStartDuration.observe(sinceFirstSeen());
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, apiPodStatus);
  if (!runnable.admit) {
    const { message } = runnable;
    kl.log.info(2, 'Pod is not runnable and must have running containers stopped', {
      pod: kObj(pod),
      podUID: uid,
      message,
    });
    const running = convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus);
    yield* killed(kl, pod, () => killPod(kl, pod, running, null));
    // An error, so that it is asked again.
    throw new Error(`pod cannot be run: ${message}`);
  }

  step('network check');
  checkNetwork(kl, pod);
  const stays = () => !kl.podWorkers.isPodTerminationRequested(uid);
  if (stays()) {
    step('register secrets and configmaps');
    kl.objectManagers?.registerPod(pod);
    step('pod cgroup');
    yield* ensurePodCgroup(kl, pod, apiPodStatus, podStatus);
  }
  step('mirror pod');
  yield* tryReconcileMirrorPods(kl, background, pod, mirrorPod);
  step('data directories');
  yield* makeDataDirectories(kl, pod);
  if (stays()) {
    step('volumes');
    yield* waitForVolumes(kl, pod);
  }
  step('pull secrets');
  const pullSecrets = yield* getPullSecretsForPod(kl, pod);
  step('probes');
  kl.probeManager.addPod(pod);
  step('container runtime');
  const { crashLoopBackOff } = kl;
  const result = yield* kl.containerRuntime.syncPod(background, pod, podStatus, pullSecrets, crashLoopBackOff, false);
  step('reason cache');
  kl.reasonCache.update(uid, result);
  const error = errorOfSync(kl.config, result.error());
  if (error) throw error;
  return { isTerminal: false };
}

/**
 * Stops a pod's containers for good; also those of a pod that only the runtime knows.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncTerminatingPod
 */
function syncTerminatingPod(
  kl: EraHandle,
  pod: Pod,
  podStatus: RuntimePodStatus | null,
  runningPod: RuntimePod | null,
  gracePeriod: number | null,
  podStatusFn: ((status: PodStatus) => void) | null,
): Go<void> {
  return frame('SyncTerminatingPod', { ...podRef(pod), gracePeriod }, () =>
    withEnterAndExitLogs(kl, 'syncTerminatingPod', pod, () =>
      runningPod
        ? stopOrphan(kl, pod, runningPod, gracePeriod)
        : syncTerminatingPodSteps(kl, pod, podStatus as RuntimePodStatus, gracePeriod, podStatusFn),
    ),
  );
}

function* stopOrphan(kl: EraHandle, pod: Pod, runningPod: RuntimePod, gracePeriod: number | null): Go<void> {
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  kl.log.info(4, 'Pod terminating with grace period', { ...kv, gracePeriod });
  yield* killed(kl, pod, () => killPod(kl, pod, runningPod, gracePeriod));
  kl.log.info(4, 'Pod termination stopped all running orphan containers', kv);
}

function* killed(kl: EraHandle, pod: Pod, body: () => Go<void>): Go<void> {
  try {
    yield* body();
  } catch (err) {
    kl.recorder.event(pod, 'Warning', EventReason.FailedToKillPod, `error killing pod: ${messageOf(err)}`);
    throw err;
  }
}

function* syncTerminatingPodSteps(
  kl: EraHandle,
  pod: Pod,
  podStatus: RuntimePodStatus,
  gracePeriod: number | null,
  podStatusFn: ((status: PodStatus) => void) | null,
): Go<void> {
  const { log } = kl;
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  const step = stepper(kl.kernel, 'SyncTerminatingPod', pod);
  step('generateAPIPodStatus');
  const status = kl.generateAPIPodStatus(pod, podStatus, false);
  podStatusFn?.(status);
  // There is no condition yet for the end by the kubelet: DisruptionTarget comes with v1.26.
  status.conditions = status.conditions?.filter((c) => c.type !== 'DisruptionTarget');
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, status);
  log.info(4, 'Pod terminating with grace period', { ...kv, gracePeriod });
  step('stop liveness and startup probes');
  kl.probeManager.stopLivenessAndStartup(pod);
  step('killPod');
  const running = convertPodStatusToRunningPod(kl.containerRuntime.type(), podStatus);
  yield* killed(kl, pod, () => killPod(kl, pod, running, gracePeriod));
  step('remove probes');
  kl.probeManager.removePod(pod);
  step('read final state');
  const stopped = yield* finalPodStatus(kl, background, pod);
  const still = stopped.containerStatuses.filter((s) => s.state === 'running').map((s) => formatContainerID(s.id));
  if (still.length > 0)
    throw new Error(`detected running containers after a successful KillPod, CRI violation: [${still.join(' ')}]`);
  log.info(4, 'Pod termination stopped all running containers', kv);
}

/**
 * Cleans up after a pod whose containers have stopped.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).syncTerminatedPod
 */
function syncTerminatedPod(kl: EraHandle, ctx: Context, pod: Pod, podStatus: RuntimePodStatus): Go<void> {
  return frame('SyncTerminatedPod', podRef(pod), () =>
    withEnterAndExitLogs(kl, 'syncTerminatedPod', pod, () => syncTerminatedPodSteps(kl, ctx, pod, podStatus)),
  );
}

function* syncTerminatedPodSteps(kl: EraHandle, ctx: Context, pod: Pod, podStatus: RuntimePodStatus): Go<void> {
  const { log } = kl;
  const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
  const step = stepper(kl.kernel, 'SyncTerminatedPod', pod);
  step('generateAPIPodStatus');
  const status = kl.generateAPIPodStatus(pod, podStatus, false);
  step('SetPodStatus');
  kl.statusManager.setPodStatus(pod, status);
  step('unmount volumes');
  yield* kl.volumeManager.waitForUnmount(ctx, pod);
  log.info(4, 'Pod termination unmounted volumes', kv);
  step('unregister secrets and configmaps');
  kl.objectManagers?.unregisterPod(pod);
  if (kl.config.cgroupsPerQOS) {
    step('destroy cgroup');
    const pcm = kl.containerManager.podContainers;
    yield* pcm.destroy(pcm.getPodContainerName(pod).name);
    log.info(4, 'Pod termination removed cgroups', kv);
  }
  step('TerminatePod');
  kl.statusManager.terminatePod(pod);
  log.info(4, 'Pod is terminated and will need no more status updates', kv);
}
