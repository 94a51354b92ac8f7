import { kObj, type Pod, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { background, frame, frameSync, type Go } from '../../../kernel/index.js';
import { SYNC_POD_TYPES } from '../../../trace/index.js';
import type { StepNamed } from '../../call-steps.js';
import type { RuntimePod } from '../../container/types.js';
import { admission, byCreationTime, deleteContainersOfEvicted, deletionOf, recordDue } from '../../handlers.js';
import { needToReconcilePodReadiness } from '../../status/generate.js';
import { isMirrorPod } from '../../types/pod-update.js';
import type { WorkItem } from '../../util/queue/work-queue.js';
import { rejectPod } from '../reject-pod.js';
import { filterOutTerminatedPods, podIsTerminated } from './pod-state.js';
import type { KubeletHandle } from './types.js';

const names = (pods: readonly Pod[]) => ({ pods: pods.map(kObj) });

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodAdditions */
export function handlePodAdditions(kl: KubeletHandle, given: readonly Pod[]): Go<void> {
  return frame('HandlePodAdditions', names(given), function* () {
    const step = kl.steps.of('HandlePodAdditions');
    for (const pod of byCreationTime(given, step)) {
      takesIn(kl, pod, step);
      const existingPods = kl.podManager.getPods();
      step('podManager.GetPods', { pods: existingPods.length }, pod);
      kl.podManager.addPod(pod);
      step('podManager.AddPod', {}, pod);
      if (isMirrorPod(pod)) {
        step('handleMirrorPod', {}, pod);
        handleMirrorPod(kl, pod);
        continue;
      }
      const terminated = podIsTerminated(kl, pod);
      step('podIsTerminated', { terminated }, pod);
      if (!terminated) {
        const activePods = filterOutTerminatedPods(kl, existingPods);
        step('filterOutTerminatedPods', { active: activePods.length, of: existingPods.length }, pod);
        const result = yield* kl.allocationManager.addPod(activePods, pod);
        step('canAdmitPod', admission(result), pod);
        if (!result.admit) {
          reject(kl, pod, result.reason, result.message);
          continue;
        }
      }
      const mirrorPod = mirrorPodOf(kl, pod, step);
      step('dispatchWork', { updateType: SYNC_POD_TYPES.create }, pod);
      kl.eraParts.dispatchWork(pod, 'create', mirrorPod);
      kl.probeManager.addPod(pod);
      step('probeManager.AddPod', {}, pod);
    }
  });
}

/** Runs a version's check for each pod that it takes in: v1.12 checks the limits of resolv.conf. */
function takesIn(kl: KubeletHandle, pod: Pod, step: StepNamed<'CheckLimitsForResolvConf'>): void {
  if (!kl.eraParts.takesIn) return;
  kl.eraParts.takesIn();
  step('CheckLimitsForResolvConf', {}, pod);
}

/** Finds the mirror pod of a static pod; it is a step only if there is one. */
export function mirrorPodOf(
  kl: Pick<KubeletHandle, 'podManager'>,
  pod: Pod,
  step: StepNamed<'GetMirrorPodByPod'>,
): Pod | undefined {
  const mirrorPod = kl.podManager.getMirrorPodByPod(pod);
  if (mirrorPod) step('GetMirrorPodByPod', { mirrorPod: kObj(mirrorPod) }, pod);
  return mirrorPod;
}

/** Sets the pod to Failed; no worker gets it. upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).rejectPod */
function reject(kl: KubeletHandle, pod: Pod, reason: string, message: string): void {
  frameSync('rejectPod', { ...podRef(pod), reason }, () => {
    rejectPod(kl, pod, reason, message);
  });
}

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodUpdates */
export function handlePodUpdates(kl: KubeletHandle, pods: readonly Pod[]): void {
  frameSync('HandlePodUpdates', names(pods), () => {
    const step = kl.steps.of('HandlePodUpdates');
    for (const pod of pods) {
      takesIn(kl, pod, step);
      kl.podManager.updatePod(pod);
      step('podManager.UpdatePod', deletionOf(pod), pod);
      if (isMirrorPod(pod)) {
        step('handleMirrorPod', {}, pod);
        handleMirrorPod(kl, pod);
        continue;
      }
      const mirrorPod = mirrorPodOf(kl, pod, step);
      step('dispatchWork', { updateType: SYNC_POD_TYPES.update }, pod);
      kl.eraParts.dispatchWork(pod, 'update', mirrorPod);
    }
  });
}

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodRemoves */
export function handlePodRemoves(kl: KubeletHandle, pods: readonly Pod[]): Go<void> {
  return frame('HandlePodRemoves', names(pods), function* () {
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
      try {
        yield* deletePod(kl, pod);
        step('deletePod', {}, pod);
      } catch (err) {
        step('deletePod', { error: messageOf(err) }, pod);
        // Housekeeping tries again.
        kl.log.info(2, 'Failed to delete pod', { pod: kObj(pod), err: messageOf(err) });
      }
      kl.probeManager.removePod(pod);
      step('probeManager.RemovePod', {}, pod);
    }
  });
}

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodReconcile */
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
        kl.eraParts.dispatchWork(pod, 'sync', kl.podManager.getMirrorPodByPod(pod));
      }
      deleteContainersOfEvicted(kl, pod, step);
    }
  });
}

/**
 * Hands pods to their workers again. `due`: their entries in the work queue, for the trace.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodSyncs
 */
export function handlePodSyncs(kl: KubeletHandle, pods: readonly Pod[], due?: ReadonlyMap<string, WorkItem>): void {
  frameSync('HandlePodSyncs', names(pods), () => {
    for (const pod of pods) {
      if (due) recordDue(kl.kernel, pod, due.get(pod.metadata.uid));
      kl.eraParts.dispatchWork(pod, 'sync', kl.podManager.getMirrorPodByPod(pod));
    }
  });
}

/**
 * Updates the static pod of a mirror pod, whatever happened to the mirror.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).handleMirrorPod
 */
function handleMirrorPod(kl: KubeletHandle, mirrorPod: Pod): void {
  frameSync('handleMirrorPod', podRef(mirrorPod), () => {
    const pod = kl.podManager.getPodByMirrorPod(mirrorPod);
    if (pod) kl.eraParts.dispatchWork(pod, 'update', mirrorPod);
  });
}

/**
 * Forgets the worker and asks the pod killer. Throws if that has to wait for housekeeping.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).deletePod
 */
function* deletePod(kl: KubeletHandle, pod: Pod): Go<void> {
  const { uid } = pod.metadata;
  yield* frame('deletePod', { pod: kObj(pod), uid }, function* () {
    if (!kl.sourcesReady.allReady()) throw new Error("skipping delete because sources aren't ready yet");
    kl.eraParts.workers.forgetWorker(uid);
    const started = kl.eraParts.lastContainerStartedTime.get(uid);
    if (started !== undefined)
      try {
        yield* kl.runtimeCache.forceUpdateIfOlder(background, started);
      } catch (err) {
        throw new Error(`error updating containers: ${messageOf(err)}`, { cause: err });
      }
    let runningPods: readonly RuntimePod[];
    try {
      runningPods = yield* kl.runtimeCache.getPods(background);
    } catch (err) {
      throw new Error(`error listing containers: ${messageOf(err)}`, { cause: err });
    }
    const runningPod = runningPods.find((p) => p.id === uid);
    if (!runningPod) throw new Error('pod not found');
    yield* kl.eraParts.podKiller.killPod({ apiPod: pod, runningPod });
  });
}
