import { podRef } from '../../../api/types.js';
import { frame, type Go } from '../../../kernel/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { UpdatePodOptions } from '../v1.21/pod-workers.js';
import { syncPodSteps } from '../v1.21/sync-pod.js';
import type { KubeletHandle } from '../v1.21/types.js';

/**
 * Syncs a pod like v1.21, but without the question whether the pod is just being killed.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).syncPod
 */
export function syncPod(kl: KubeletHandle, update: UpdatePodOptions, podStatus: RuntimePodStatus): Go<void> {
  const { pod, updateType } = update;
  return frame('SyncPod', { ...podRef(pod), updateType }, () => syncPodSteps(nothing, kl, update, podStatus));
}

function* nothing(): Go<void> {}
