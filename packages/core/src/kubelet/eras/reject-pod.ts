import type { Pod } from '../../api/types.js';
import type { RejectPodDeps } from '../handlers.js';

/**
 * Sets the pod to Failed without giving it to a worker. Until v1.25 it says nothing of the pod's QoS class, and no
 * metric counts it. upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).rejectPod
 */
export function rejectPod(kl: RejectPodDeps, pod: Pod, reason: string, message: string): void {
  kl.recorder.event(pod, 'Warning', reason, message);
  kl.statusManager.setPodStatus(pod, { phase: 'Failed', reason, message: `Pod ${message}` });
}
