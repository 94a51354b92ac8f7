import { kObj, type Pod, podRef } from '../../../api/types.js';
import { frame, frameSync, type Go } from '../../../kernel/index.js';
import { SYNC_POD_TYPES, type UpdateType } from '../../../trace/index.js';
import { admission, byCreationTime, deleteContainersOfEvicted, deletionOf, recordDue } from '../../handlers.js';
import { observeContainersPerPod } from '../../metrics/counted.js';
import { needToReconcilePodReadiness } from '../../status/generate.js';
import { isMirrorPod } from '../../types/pod-update.js';
import type { WorkItem } from '../../util/queue/work-queue.js';
import { rejectPod } from '../reject-pod.js';
import { mirrorPodOf } from '../v1.21/handlers.js';
import type { KubeletHandle } from './types.js';

const names = (pods: readonly Pod[]) => ({ pods: pods.map(kObj) });

/** upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).HandlePodAdditions */
export function handlePodAdditions(kl: KubeletHandle, given: readonly Pod[]): Go<void> {
  return frame('HandlePodAdditions', names(given), function* () {
    const step = kl.steps.of('HandlePodAdditions');
    for (const pod of byCreationTime(given, step)) {
      const existingPods = kl.podManager.getPods();
      step('podManager.GetPods', { pods: existingPods.length }, pod);
      kl.podManager.addPod(pod);
      step('podManager.AddPod', {}, pod);
      if (isMirrorPod(pod)) {
        step('handleMirrorPod', {}, pod);
        handleMirrorPod(kl, pod);
        continue;
      }
      const requested = kl.podWorkers.isPodTerminationRequested(pod.metadata.uid);
      step('IsPodTerminationRequested', { requested }, pod);
      if (!requested) {
        const activePods = kl.filterOutInactivePods(existingPods);
        step('filterOutInactivePods', { active: activePods.length, of: existingPods.length }, pod);
        const result = yield* kl.allocationManager.addPod(activePods, pod);
        step('canAdmitPod', admission(result), pod);
        if (!result.admit) {
          reject(kl, pod, result.reason, result.message);
          continue;
        }
      }
      const mirrorPod = mirrorPodOf(kl, pod, step);
      step('dispatchWork', { updateType: SYNC_POD_TYPES.create }, pod);
      dispatchWork(kl, pod, 'create', mirrorPod);
    }
  });
}

/** Sets the pod to Failed; no worker gets it. upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).rejectPod */
function reject(kl: KubeletHandle, pod: Pod, reason: string, message: string): void {
  frameSync('rejectPod', { ...podRef(pod), reason }, () => {
    rejectPod(kl, pod, reason, message);
  });
}

/** upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).HandlePodUpdates */
export function handlePodUpdates(kl: KubeletHandle, pods: readonly Pod[]): void {
  frameSync('HandlePodUpdates', names(pods), () => {
    const step = kl.steps.of('HandlePodUpdates');
    for (const pod of pods) {
      kl.podManager.updatePod(pod);
      step('podManager.UpdatePod', deletionOf(pod), pod);
      if (isMirrorPod(pod)) {
        step('handleMirrorPod', {}, pod);
        handleMirrorPod(kl, pod);
        continue;
      }
      const mirrorPod = mirrorPodOf(kl, pod, step);
      step('dispatchWork', { updateType: SYNC_POD_TYPES.update }, pod);
      dispatchWork(kl, pod, 'update', mirrorPod);
    }
  });
}

/** upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).HandlePodRemoves */
export function handlePodRemoves(kl: KubeletHandle, pods: readonly Pod[]): void {
  frameSync('HandlePodRemoves', names(pods), () => {
    const step = kl.steps.of('HandlePodRemoves');
    for (const pod of pods) {
      kl.podManager.removePod(pod);
      step('podManager.DeletePod', {}, pod);
      kl.allocationManager.removePod(pod.metadata.uid);
      if (isMirrorPod(pod)) {
        step('handleMirrorPod', {}, pod);
        handleMirrorPod(kl, pod);
        continue;
      }
      const err = deletePod(kl, pod);
      step('deletePod', { error: err?.message }, pod);
      // Housekeeping kills it later, as an orphaned pod.
      if (err) kl.log.info(2, 'Failed to delete pod', { pod: kObj(pod), err: err.message });
    }
  });
}

/** upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).HandlePodReconcile */
export function handlePodReconcile(kl: KubeletHandle, pods: readonly Pod[]): void {
  frameSync('HandlePodReconcile', names(pods), () => {
    const step = kl.steps.of('HandlePodReconcile');
    for (const pod of pods) {
      kl.podManager.updatePod(pod);
      step('podManager.UpdatePod', {}, pod);
      const needed = needToReconcilePodReadiness(pod);
      step('NeedToReconcilePodReadiness', { needed }, pod);
      if (needed) {
        step('dispatchWork', { updateType: SYNC_POD_TYPES.sync }, pod);
        dispatchWork(kl, pod, 'sync', kl.podManager.getMirrorPodByPod(pod));
      }
      deleteContainersOfEvicted(kl, pod, step);
    }
  });
}

/**
 * Hands pods to their workers again. `due`: their entries in the work queue, for the trace.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).HandlePodSyncs
 */
export function handlePodSyncs(kl: KubeletHandle, pods: readonly Pod[], due?: ReadonlyMap<string, WorkItem>): void {
  frameSync('HandlePodSyncs', names(pods), () => {
    for (const pod of pods) {
      if (due) recordDue(kl.kernel, pod, due.get(pod.metadata.uid));
      dispatchWork(kl, pod, 'sync', kl.podManager.getMirrorPodByPod(pod));
    }
  });
}

/**
 * Updates the static pod of a mirror pod, whatever happened to the mirror.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).handleMirrorPod
 */
function handleMirrorPod(kl: KubeletHandle, mirrorPod: Pod): void {
  frameSync('handleMirrorPod', podRef(mirrorPod), () => {
    const pod = kl.podManager.getPodByMirrorPod(mirrorPod);
    if (pod) dispatchWork(kl, pod, 'update', mirrorPod);
  });
}

/** Hands a pod to its worker, which decides. upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).dispatchWork */
export function dispatchWork(kl: KubeletHandle, pod: Pod, updateType: UpdateType, mirrorPod: Pod | undefined): void {
  frameSync('dispatchWork', { ...podRef(pod), updateType }, () => {
    const startTime = kl.kernel.now();
    kl.podWorkers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType, startTime });
    if (updateType === 'create') observeContainersPerPod(kl.kernel, pod.spec.containers.length);
  });
}

/**
 * Kills the pod; returns an error if that has to wait.
 * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).deletePod
 */
function deletePod(kl: KubeletHandle, pod: Pod): Error | null {
  return frameSync('deletePod', { pod: kObj(pod), uid: pod.metadata.uid }, () => {
    if (!kl.sourcesReady.allReady()) return new Error("skipping delete because sources aren't ready yet");
    kl.log.info(3, 'Pod has been deleted and must be killed', { pod: kObj(pod), podUID: pod.metadata.uid });
    kl.podWorkers.updatePod({ pod, updateType: 'kill' });
    return null;
  });
}
