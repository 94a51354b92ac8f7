import type { Pod, PodStatus } from '../../api/types.js';
import type { RuntimePodStatus } from '../../container/types.js';
import { type GenerateAPIPodStatusDeps, generateAPIPodStatus as today } from '../../kubelet-pods-status.js';
import { withoutLaterFields } from '../v1.21/generate-api-pod-status.js';

/**
 * As today, but the phase goes by the containers alone, whether or not anything will start again, and without the
 * fields that came later.
 * upstream: v1.25 pkg/kubelet/kubelet_pods.go (*Kubelet).generateAPIPodStatus
 */
export function generateAPIPodStatus(deps: GenerateAPIPodStatusDeps, pod: Pod, podStatus: RuntimePodStatus): PodStatus {
  const status = today(deps, pod, podStatus, false);
  return {
    ...status,
    ...(status.containerStatuses && { containerStatuses: status.containerStatuses.map(withoutLaterFields) }),
    ...(status.initContainerStatuses && {
      initContainerStatuses: status.initContainerStatuses.map((s) => {
        const { started: _, ...then } = withoutLaterFields(s);
        return then;
      }),
    }),
  };
}
