import { kObj, type Pod, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import { background, frame, frameSync, type Go } from '../../../kernel/index.js';
import type { RuntimePod } from '../../container/types.js';
import { deleteContainersOfEvicted, recordDue } from '../../handlers.js';
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
    const created = (p: Pod) => Date.parse(p.metadata.creationTimestamp ?? '') || 0;
    for (const pod of [...given].sort((a, b) => created(a) - created(b))) {
      kl.eraParts.takesIn?.();
      const existingPods = kl.podManager.getPods();
      kl.podManager.addPod(pod);
      if (isMirrorPod(pod)) {
        handleMirrorPod(kl, pod);
        continue;
      }
      if (!podIsTerminated(kl, pod)) {
        const result = yield* kl.allocationManager.addPod(filterOutTerminatedPods(kl, existingPods), pod);
        if (!result.admit) {
          reject(kl, pod, result.reason, result.message);
          continue;
        }
      }
      kl.eraParts.dispatchWork(pod, 'create', kl.podManager.getMirrorPodByPod(pod));
      kl.probeManager.addPod(pod);
    }
  });
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
    for (const pod of pods) {
      kl.eraParts.takesIn?.();
      kl.podManager.updatePod(pod);
      if (isMirrorPod(pod)) handleMirrorPod(kl, pod);
      else kl.eraParts.dispatchWork(pod, 'update', kl.podManager.getMirrorPodByPod(pod));
    }
  });
}

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodRemoves */
export function handlePodRemoves(kl: KubeletHandle, pods: readonly Pod[]): Go<void> {
  return frame('HandlePodRemoves', names(pods), function* () {
    for (const pod of pods) {
      kl.podManager.removePod(pod);
      kl.allocationManager.removePod(pod.metadata.uid);
      if (isMirrorPod(pod)) {
        handleMirrorPod(kl, pod);
        continue;
      }
      try {
        yield* deletePod(kl, pod);
      } catch (err) {
        // Housekeeping tries again.
        kl.log.info(2, 'Failed to delete pod', { pod: kObj(pod), err: messageOf(err) });
      }
      kl.probeManager.removePod(pod);
    }
  });
}

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).HandlePodReconcile */
export function handlePodReconcile(kl: KubeletHandle, pods: readonly Pod[]): void {
  frameSync('HandlePodReconcile', names(pods), () => {
    for (const pod of pods) {
      kl.podManager.updatePod(pod);
      if (needToReconcilePodReadiness(pod)) kl.eraParts.dispatchWork(pod, 'sync', kl.podManager.getMirrorPodByPod(pod));
      deleteContainersOfEvicted(kl, pod);
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
