import { podRequests } from '../api/pod/pod-resources.js';
import { isPodPhaseTerminal, isRestartableInitContainer } from '../api/pod/podutil.js';
import { getPodQOS } from '../api/pod/qos.js';
import { resourceNumbers, sameNumbers } from '../api/pod/resources.js';
import { kObj, type Pod, type PodStatus, podRef } from '../api/types.js';
import { resourceOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import { frame, frameSync, type Go } from '../kernel/index.js';
import { SYNC_POD_TYPES } from '../trace/index.js';
import type { PodAdmitResult } from './admission/types.js';
import type { AllocationManager, RetryTrigger } from './allocation/allocation-manager.js';
import type { CallSteps, Found, StepNamed } from './call-steps.js';
import type { SourcesReady } from './config/sources.js';
import type { KubeletConfig } from './config.js';
import type { EventRecorder } from './events.js';
import type { Logger } from './klog.js';
import { recordAdmissionRejection } from './metrics/admission-rejections.js';
import { type KubeletMetrics, metricsOf } from './metrics/kubelet-metrics.js';
import { missingForUpdate } from './nodestatus/declared-features.js';
import type { Cache } from './pleg/types.js';
import type { PodContainerDeletor } from './pod-container-deletor.js';
import type { PodManager } from './podmanager/types.js';
import type { PodWorkers } from './podworkers/types.js';
import { needToReconcilePodReadiness } from './status/generate.js';
import type { PodResizeConditions } from './status/resize-conditions.js';
import type { StatusManager } from './status/types.js';
import type { WorkItem } from './util/queue/work-queue.js';

/** The parts of the kubelet that show a rejected pod. */
export interface RejectPodDeps {
  readonly recorder: EventRecorder;
  readonly statusManager: StatusManager;
}

/** The parts of the kubelet that hand a pod to its worker again. */
export interface PodSyncsDeps {
  readonly kernel: Kernel;
  readonly log: Logger;
  readonly podManager: PodManager;
  readonly podWorkers: PodWorkers;
}

/**
 * The parts of the kubelet that take in changes of its pods.
 * upstream: kubelet.go SyncHandler, which is the whole *Kubelet
 */
export interface PodHandlersDeps extends PodSyncsDeps, RejectPodDeps {
  readonly allocationManager: AllocationManager;
  readonly config: KubeletConfig;
  readonly containerDeletor: PodContainerDeletor;
  readonly podCache: Cache;
  readonly resizeConditions: PodResizeConditions;
  readonly sourcesReady: SourcesReady;
  readonly steps: CallSteps;
  getActivePods(): Pod[];
}

const names = (pods: readonly Pod[]) => ({ pods: pods.map(kObj) });

function unknownStaticPod(log: Logger, mirrorPod: Pod | undefined): void {
  log.info(2, 'Unable to find pod for mirror pod, skipping', {
    mirrorPod: mirrorPod ? kObj(mirrorPod) : '',
    mirrorPodUID: mirrorPod?.metadata.uid ?? '',
  });
}

/** On a conflict the older pod wins. A step only where there is an order. upstream: sliceutils.PodsByCreationTime */
export function byCreationTime(given: readonly Pod[], step: StepNamed<'sort.Sort(PodsByCreationTime)'>): Pod[] {
  const created = (p: Pod) => Date.parse(p.metadata.creationTimestamp ?? '') || 0;
  const pods = [...given].sort((a, b) => created(a) - created(b));
  if (pods.length > 1) step('sort.Sort(PodsByCreationTime)', { order: pods.map(kObj) });
  return pods;
}

/** Returns the findings of a step about a pod's admission. */
export const admission = (result: PodAdmitResult): Found =>
  result.admit ? { admit: true } : { admit: false, reason: result.reason };

/** Returns the findings of a step about a pod that is wanted to end. */
export const deletionOf = ({ metadata: { deletionTimestamp } }: Pod): Found => ({
  ...(deletionTimestamp && { deletionTimestamp }),
});

/** The static pod of a mirror pod, or the mirror pod of a static one: a step only where there is one. */
function podAndMirrorPod(kl: Pick<PodHandlersDeps, 'podManager'>, given: Pod, step: StepNamed<'GetPodAndMirrorPod'>) {
  const found = kl.podManager.getPodAndMirrorPod(given);
  const { pod, mirrorPod, wasMirror } = found;
  if (mirrorPod)
    step('GetPodAndMirrorPod', { wasMirror, mirrorPod: kObj(mirrorPod), staticPod: pod ? kObj(pod) : '' }, given);
  return found;
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodAdditions */
export function handlePodAdditions(kl: PodHandlersDeps, given: readonly Pod[]): Go<void> {
  return frame('HandlePodAdditions', names(given), function* () {
    const startTime = kl.kernel.now();
    const { allocationManager } = kl;
    const pendingResizes: string[] = [];
    const step = kl.steps.of('HandlePodAdditions');
    const pods = byCreationTime(given, step);
    for (const added of pods) {
      // A pod that will be rejected is added too: from here on it is a pod of this node.
      kl.podManager.addPod(added);
      step('podManager.AddPod', {}, added);
      const { pod, mirrorPod, wasMirror } = podAndMirrorPod(kl, added, step);
      if (wasMirror) {
        if (!pod) unknownStaticPod(kl.log, mirrorPod);
        else kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'update', startTime });
        continue;
      }
      if (!pod) continue;
      const requested = kl.podWorkers.isPodTerminationRequested(pod.metadata.uid);
      const terminal = isPodPhaseTerminal(pod.status.phase);
      step('IsPodTerminationRequested', { requested, terminal }, pod);
      if (!requested && !terminal) {
        const activePods = kl.getActivePods();
        step('getAllocatedPods', { active: activePods.length }, pod);
        step('GetActivePods', { active: activePods.length }, pod);
        const result = yield* allocationManager.addPod(activePods, pod);
        step('canAdmitPod', admission(result), pod);
        step('allocationManager.AddPod', admission(result), pod);
        if (!result.admit) {
          rejectPod(kl, pod, result.reason, result.message);
          recordAdmissionRejection(kl.kernel, result.reason);
          continue;
        }
        if (allocationManager.updatePodFromAllocation(pod).updated) pendingResizes.push(pod.metadata.uid);
      }
      step('podWorkers.UpdatePod', { updateType: SYNC_POD_TYPES.create }, pod);
      kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'create', startTime });
    }
    // Resizes are retried only now that all pods are admitted.
    kl.resizeConditions.backfill(pods);
    for (const uid of pendingResizes) allocationManager.pushPendingResize(uid);
    if (pendingResizes.length > 0) yield* allocationManager.retryPendingResizes('pods_added');
  });
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodUpdates */
export function handlePodUpdates(kl: PodHandlersDeps, pods: readonly Pod[]): Go<void> {
  return frame('HandlePodUpdates', names(pods), function* () {
    const startTime = kl.kernel.now();
    const { allocationManager } = kl;
    const step = kl.steps.of('HandlePodUpdates');
    for (const updated of pods) {
      const oldPod = kl.podManager.getPodByUID(updated.metadata.uid);
      kl.podManager.updatePod(updated);
      step('podManager.UpdatePod', deletionOf(updated), updated);
      const { pod, mirrorPod } = podAndMirrorPod(kl, updated, step);
      if (!pod) {
        unknownStaticPod(kl.log, mirrorPod);
        continue;
      }
      if (recordResizeOperations(metricsOf(kl.kernel), oldPod, pod)) {
        const { updated: resized } = allocationManager.updatePodFromAllocation(pod);
        step('recordResizeOperations', { resized }, pod);
        if (resized) {
          allocationManager.pushPendingResize(pod.metadata.uid);
          yield* allocationManager.retryPendingResizes('pod_updated');
        }
        // A resize that was taken back while it waited.
        else kl.resizeConditions.clearPending(pod.metadata.uid);
      }
      if (oldPod) checkDeclaredFeatures(kl, oldPod, pod);
      step('podWorkers.UpdatePod', { updateType: SYNC_POD_TYPES.update }, pod);
      kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'update', startTime });
    }
  });
}

/**
 * Reports missing node features; the pod is updated all the same: the scheduler and the API server should have known.
 */
function checkDeclaredFeatures({ config, log, recorder }: PodHandlersDeps, before: Pod, pod: Pod): void {
  const missing = missingForUpdate(config, before, pod).join(', ');
  if (missing === '') return;
  const why = 'Pod requires node features that are not available';
  log.error(null, why, { missingFeatures: missing });
  recorder.event(pod, 'Warning', 'FailedNodeDeclaredFeaturesCheck', `${why}: ${missing}`);
}

/**
 * Counts each changed resource of a resizable container; returns true if there is one, or if the pod's own changed.
 * upstream: kubelet.go recordResizeOperations, recordContainerResizeOperations
 */
function recordResizeOperations(
  { containerRequestedResizes }: KubeletMetrics,
  old: Pod | undefined,
  pod: Pod,
): boolean {
  if (!old) return true;
  const resizable = ({ spec }: Pod) => [
    ...(spec.initContainers ?? []).filter(isRestartableInitContainer),
    ...spec.containers,
  ];
  const now = new Map(resizable(pod).map((c) => [c.name, c.resources]));
  let any = !sameNumbers(resourceNumbers(old.spec.resources), resourceNumbers(pod.spec.resources));
  for (const { name, resources: before } of resizable(old)) {
    const after = now.get(name);
    for (const resource of ['memory', 'cpu'])
      for (const requirement of ['requests', 'limits'] as const) {
        const operation = resizeOperation(
          resourceOf(before?.[requirement], resource),
          resourceOf(after?.[requirement], resource),
        );
        if (operation === null) continue;
        any = true;
        containerRequestedResizes.add(1, { resource, requirement, operation });
      }
  }
  return any;
}

/** upstream: resizeOperationForResources */
function resizeOperation(before: bigint, after: bigint): 'add' | 'remove' | 'increase' | 'decrease' | null {
  if (before === after) return null;
  return after === 0n ? 'remove' : before === 0n ? 'add' : after < before ? 'decrease' : 'increase';
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodRemoves */
export function handlePodRemoves(kl: PodHandlersDeps, pods: readonly Pod[]): Go<void> {
  return frame('HandlePodRemoves', names(pods), function* () {
    const startTime = kl.kernel.now();
    const step = kl.steps.of('HandlePodRemoves');
    for (const removed of pods) {
      kl.podManager.removePod(removed);
      step('podManager.RemovePod', {}, removed);
      kl.allocationManager.removePod(removed.metadata.uid);
      step('allocationManager.RemovePod', {}, removed);
      const { pod, mirrorPod, wasMirror } = podAndMirrorPod(kl, removed, step);
      if (wasMirror) {
        if (!pod) unknownStaticPod(kl.log, mirrorPod);
        else kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'update', startTime });
        continue;
      }
      if (!pod) continue;
      const err = deletePod(kl, pod);
      step('deletePod', { error: err?.message }, pod);
      // Housekeeping kills it later, as an orphaned pod.
      if (err) kl.log.info(2, 'Failed to delete pod', { pod: kObj(pod), err: err.message });
    }
    yield* kl.allocationManager.retryPendingResizes('pods_removed');
  });
}

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodReconcile */
export function handlePodReconcile(kl: PodHandlersDeps, pods: readonly Pod[]): Go<void> {
  return frame('HandlePodReconcile', names(pods), function* () {
    const startTime = kl.kernel.now();
    const step = kl.steps.of('HandlePodReconcile');
    let retry: RetryTrigger | null = null;
    const hasPendingResizes = kl.allocationManager.hasPendingResizes();
    for (const reconciled of pods) {
      const oldPod = kl.podManager.getPodByUID(reconciled.metadata.uid);
      kl.podManager.updatePod(reconciled);
      step('podManager.UpdatePod', {}, reconciled);
      const { pod, mirrorPod, wasMirror } = podAndMirrorPod(kl, reconciled, step);
      if (!pod) {
        if (wasMirror) unknownStaticPod(kl.log, mirrorPod);
        continue;
      }
      if (hasPendingResizes && oldPod) retry ??= resizeRetryTrigger(kl.allocationManager, oldPod, pod);
      const needed = needToReconcilePodReadiness(pod);
      step('NeedToReconcilePodReadiness', { needed }, pod);
      if (needed) {
        step('podWorkers.UpdatePod', { updateType: SYNC_POD_TYPES.sync }, pod);
        kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'sync', startTime });
      }
      deleteContainersOfEvicted(kl, pod, step);
    }
    if (retry) yield* kl.allocationManager.retryPendingResizes(retry);
  });
}

/**
 * Returns the reason why others may grow now: the pod has ended, or its status shows that it takes less; null if they
 * may not.
 * upstream: within HandlePodReconcile
 */
function resizeRetryTrigger(allocationManager: AllocationManager, oldPod: Pod, pod: Pod): RetryTrigger | null {
  const used = (p: Pod) => podRequests(allocationManager.updatePodFromAllocation(p).pod, { useStatusResources: true });
  const [before, after] = [used(oldPod), used(pod)];
  if (['memory', 'cpu'].some((name) => resourceOf(after, name) < resourceOf(before, name))) return 'pod_resized';
  return isPodPhaseTerminal(pod.status.phase) && !isPodPhaseTerminal(oldPod.status.phase) ? 'pod_terminated' : null;
}

/**
 * Hands pods to their workers again. `due`: their entries in the work queue, for the trace.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodSyncs
 */
export function handlePodSyncs(kl: PodSyncsDeps, pods: readonly Pod[], due?: ReadonlyMap<string, WorkItem>): void {
  frameSync('HandlePodSyncs', names(pods), () => {
    const startTime = kl.kernel.now();
    for (const given of pods) {
      const { pod, mirrorPod, wasMirror } = kl.podManager.getPodAndMirrorPod(given);
      if (!pod) {
        unknownStaticPod(kl.log, mirrorPod);
        continue;
      }
      if (wasMirror) {
        kl.log.info(3, 'Programmer error, HandlePodSyncs does not expect to receive mirror pods', {
          podUID: pod.metadata.uid,
          mirrorPodUID: mirrorPod?.metadata.uid ?? '',
        });
        continue;
      }
      if (due) recordDue(kl.kernel, pod, due.get(pod.metadata.uid));
      kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType: 'sync', startTime });
    }
  });
}

/** Deletes what is left of a pod that was evicted. */
export function deleteContainersOfEvicted(
  kl: Pick<PodHandlersDeps, 'containerDeletor' | 'podCache'>,
  pod: Pod,
  step: StepNamed<'deleteContainersInPod'>,
): void {
  if (pod.status.phase !== 'Failed' || pod.status.reason !== 'Evicted') return;
  step('deleteContainersInPod', { evicted: true }, pod);
  try {
    kl.containerDeletor.deleteContainersInPod('', kl.podCache.get(pod.metadata.uid), true);
  } catch {
    // Unknown state: the garbage collector comes by later.
  }
}

/** Records why getPodsToSync took this pod: its entry in the work queue, or without one a handler that wants it. */
export function recordDue(kernel: Kernel, pod: Pod, item: WorkItem | undefined): void {
  // The cause is what put it into the queue, not the tick that took it out.
  kernel.emitCause(
    {
      kind: 'decision',
      rule: 'getPodsToSync',
      verdict: item ? 'due' : 'a handler wants it',
      values: item ? { why: item.why, due: item.due, now: kernel.now() } : {},
      ...podRef(pod),
    },
    item?.seq,
  );
}

/** Kills the pod; returns an error if that has to wait. upstream: pkg/kubelet/kubelet.go (*Kubelet).deletePod */
function deletePod(kl: Pick<PodHandlersDeps, 'log' | 'podWorkers' | 'sourcesReady'>, pod: Pod): Error | null {
  return frameSync('deletePod', { pod: kObj(pod), uid: pod.metadata.uid }, () => {
    if (!kl.sourcesReady.allReady()) return new Error("skipping delete because sources aren't ready yet");
    kl.log.info(3, 'Pod has been deleted and must be killed', { pod: kObj(pod), podUID: pod.metadata.uid });
    kl.podWorkers.updatePod({ pod, updateType: 'kill' });
    return null;
  });
}

/** Sets the pod to Failed without giving it to a worker. upstream: pkg/kubelet/kubelet.go (*Kubelet).rejectPod */
export function rejectPod(kl: RejectPodDeps, pod: Pod, reason: string, message: string): void {
  frameSync('rejectPod', { ...podRef(pod), reason }, () => reject(kl, pod, reason, message));
}

function reject(kl: RejectPodDeps, pod: Pod, reason: string, message: string): void {
  kl.recorder.event(pod, 'Warning', reason, message);
  const status: PodStatus = {
    qosClass: getPodQOS(pod),
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
  };
  kl.statusManager.setPodStatus(pod, status);
}
