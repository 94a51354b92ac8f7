import type { Pod } from '../api/types.js';
import type { RejectPodDeps } from '../handlers.js';

/**
 * Sets the pod to Failed without giving it to a worker. The words of the message came with v1.26, the QoS class later.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).rejectPod
 */
export function rejectPod(kl: RejectPodDeps, pod: Pod, reason: string, message: string): void {
  kl.recorder.event(pod, 'Warning', reason, message);
  kl.statusManager.setPodStatus(pod, { phase: 'Failed', reason, message: `Pod ${message}` });
}
