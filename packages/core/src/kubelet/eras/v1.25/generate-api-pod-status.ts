import type { Pod, PodCondition, PodStatus } from '../../../api/types.js';
import type { RuntimePodStatus } from '../../container/types.js';
import { olderFeatureEnabled } from '../../features.js';
import { type GenerateAPIPodStatusDeps, generateAPIPodStatus as today } from '../../kubelet-pods-status.js';
import { generatePodReadyToStartContainersCondition } from '../../status/generate.js';

/**
 * Generates the status like v1.36, but the phase depends on the containers alone, whether or not anything will start
 * again.
 * upstream: v1.25 pkg/kubelet/kubelet_pods.go (*Kubelet).generateAPIPodStatus
 */
export function generateAPIPodStatus(deps: GenerateAPIPodStatusDeps, pod: Pod, podStatus: RuntimePodStatus): PodStatus {
  const status = today(deps, pod, podStatus, false);
  if (olderFeatureEnabled(deps.config, 'PodHasNetworkCondition'))
    status.conditions = withNetwork(deps, pod, podStatus, status.conditions ?? []);
  return status;
}

/**
 * Returns the conditions with PodHasNetwork before the kubelet's other ones.
 * upstream: v1.25 status/generate.go GeneratePodHasNetworkCondition
 */
function withNetwork(
  { runtime }: GenerateAPIPodStatusDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  conditions: readonly PodCondition[],
): PodCondition[] {
  const ready = generatePodReadyToStartContainersCondition(pod, podStatus, runtime);
  const own = conditions.findIndex((c) => c.type === 'Initialized');
  return [...conditions.slice(0, own), { ...ready, type: 'PodHasNetwork' }, ...conditions.slice(own)];
}
