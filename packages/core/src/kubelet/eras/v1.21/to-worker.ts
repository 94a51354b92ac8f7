import type { Pod } from '../../../api/types.js';
import { Second } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import { observeContainersPerPod, observePodWorker } from '../../metrics/counted.js';
import type { KubeletHandle } from './types.js';

/** Gives a pod to its worker. upstream: v1.21 within pkg/kubelet/kubelet.go (*Kubelet).dispatchWork */
export function toWorker(kl: KubeletHandle, pod: Pod, updateType: UpdateType, mirrorPod: Pod | undefined): void {
  const { kernel } = kl;
  const start = kernel.now();
  kl.eraParts.workers.updatePod({
    pod,
    ...(mirrorPod && { mirrorPod }),
    updateType,
    // Only what failed is measured.
    onComplete(error) {
      if (error === null) return;
      observePodWorker(kernel, updateType, (kernel.now() - start) / Second);
    },
  });
  if (updateType === 'create') observeContainersPerPod(kernel, pod.spec.containers.length);
}
