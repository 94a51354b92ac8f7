import type { Pod } from '../../../api/types.js';
import { Second } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import type { KubeletHandle } from './types.js';

/** Gives a pod to its worker. upstream: v1.21 within pkg/kubelet/kubelet.go (*Kubelet).dispatchWork */
export function toWorker(kl: KubeletHandle, pod: Pod, updateType: UpdateType, mirrorPod: Pod | undefined): void {
  const { kernel } = kl;
  const metrics = metricsOf(kernel);
  const start = kernel.now();
  kl.eraParts.workers.updatePod({
    pod,
    ...(mirrorPod && { mirrorPod }),
    updateType,
    // Only what failed is measured.
    onComplete(error) {
      if (error === null) return;
      metrics.podWorkerDuration.observe((kernel.now() - start) / Second, { operation_type: updateType });
    },
  });
  if (updateType === 'create') metrics.containersPerPod.observe(pod.spec.containers.length);
}
