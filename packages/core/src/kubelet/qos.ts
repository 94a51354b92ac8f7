import { getPodQOS } from '../api/pod/qos.js';
import type { Container, Pod, ResourceList } from '../api/types.js';
import { quantityValue, resourceOf } from '../base/index.js';
import { isCriticalPod } from './types/pod-update.js';

const guaranteedOOMScoreAdj = -997;
const besteffortOOMScoreAdj = 1000;

const memoryRequest = (list: ResourceList | undefined): number => quantityValue(resourceOf(list, 'memory'));

/**
 * Returns the oom_score_adj of a container's processes (fidelity 2:G-09).
 * upstream: pkg/kubelet/qos/policy.go GetContainerOOMScoreAdjust
 */
export function getContainerOOMScoreAdjust(pod: Pod, container: Container, memoryCapacity: number): number {
  // upstream: types.IsNodeCriticalPod
  if (isCriticalPod(pod) && pod.spec.priorityClassName === 'system-node-critical') return guaranteedOOMScoreAdj;
  const qos = getPodQOS(pod);
  if (qos === 'Guaranteed') return guaranteedOOMScoreAdj;
  if (qos === 'BestEffort') return besteffortOOMScoreAdj;
  const share = Object.keys(pod.spec.resources?.requests ?? {}).length > 0 ? remainingPodMemReqPerContainer(pod) : 0;
  const adjust = (request: number) => 1000 - Math.trunc((1000 * (request + share)) / memoryCapacity);
  let score = adjust(memoryRequest(container.resources?.requests));
  const sidecar =
    container.restartPolicy === 'Always' && pod.spec.initContainers?.some((c) => c.name === container.name);
  if (sidecar)
    score = Math.min(score, adjust(Math.min(...pod.spec.containers.map((c) => memoryRequest(c.resources?.requests)))));
  if (score < 1000 + guaranteedOOMScoreAdj) return 1000 + guaranteedOOMScoreAdj;
  return score === besteffortOOMScoreAdj ? score - 1 : score;
}

/** A pod's own memory request beyond its containers', shared among them. upstream: remainingPodMemReqPerContainer */
function remainingPodMemReqPerContainer(pod: Pod): number {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')];
  const own = memoryRequest(pod.spec.resources?.requests);
  const taken = all.reduce((n, c) => n + memoryRequest(c.resources?.requests), 0);
  return own > taken && all.length > 0 ? Math.trunc((own - taken) / all.length) : 0;
}
