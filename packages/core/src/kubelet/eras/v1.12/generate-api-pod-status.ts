import type { Pod, PodStatus } from '../../../api/types.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { GenerateAPIPodStatusDeps } from '../../kubelet-pods-status.js';
import { generateAPIPodStatus as v1_21 } from '../v1.21/generate-api-pod-status.js';

/**
 * Like v1.21's, but with one address: the list came with v1.16.
 * upstream: v1.12 pkg/kubelet/kubelet_pods.go (*Kubelet).generateAPIPodStatus
 */
export function generateAPIPodStatus(deps: GenerateAPIPodStatusDeps, pod: Pod, podStatus: RuntimePodStatus): PodStatus {
  const { podIPs: _, ...status } = v1_21(deps, pod, podStatus);
  return status;
}
