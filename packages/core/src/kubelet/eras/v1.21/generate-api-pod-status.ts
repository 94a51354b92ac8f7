import { isPodPhaseTerminal } from '../../../api/pod/podutil.js';
import { kObj, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import type { Json } from '../../../trace/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import { Logger } from '../../klog.js';
import { getPhase } from '../../kubelet-pods-phase.js';
import { convertStatusToAPIStatus, type GenerateAPIPodStatusDeps, setHostIPs } from '../../kubelet-pods-status.js';
import {
  condition,
  generateContainersReadyCondition,
  generatePodInitializedCondition,
  generatePodReadyCondition,
} from '../../status/generate.js';
import { copyStatus, inFieldOrder } from '../../status/normalize.js';

/**
 * The pod's status from what the runtime shows. Only the phase of the API sticks, reason and message do not, and an
 * evicted pod has no conditions.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).generateAPIPodStatus
 */
export function generateAPIPodStatus(deps: GenerateAPIPodStatusDeps, pod: Pod, podStatus: RuntimePodStatus): PodStatus {
  return frameSync(
    'generateAPIPodStatus',
    podRef(pod),
    () => generate(deps, pod, podStatus),
    (s) => ({ phase: s.phase }),
  );
}

function generate(deps: GenerateAPIPodStatusDeps, pod: Pod, podStatus: RuntimePodStatus): PodStatus {
  const { kernel } = deps;
  const log = new Logger(kernel, 'kubelet_pods.go');
  log.info(3, 'Generating pod status', { pod: kObj(pod) });
  const old = copyStatus(deps.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status);
  const s = convertStatusToAPIStatus(deps, pod, podStatus, old);
  for (const handler of deps.podSyncHandlers) {
    const { evict, reason, message } = handler.shouldEvict(pod);
    if (evict) return inFieldOrder({ ...s, phase: 'Failed', reason, message });
  }
  const all = [...(s.containerStatuses ?? []), ...(s.initContainerStatuses ?? [])];
  s.phase = getPhase(kernel, deps.config, pod, all, false, false);
  const { phase } = pod.status;
  if (isPodPhaseTerminal(phase) && s.phase !== phase) {
    log.error(null, 'Pod attempted illegal phase transition', {
      originalStatusPhase: phase,
      apiStatusPhase: s.phase,
      apiStatus: s as unknown as Json,
    });
    s.phase = phase;
  }
  deps.probeManager.updatePodStatus(pod, s);
  // This version does not use whether an init container has started.
  s.initContainerStatuses = s.initContainerStatuses?.map(({ started: _, ...status }) => status);
  // A failed pod has no reason of its own: its containers are not ready.
  const of = s.phase === 'Failed' ? 'Running' : s.phase;
  const conditions = [generatePodInitializedCondition(deps.config, pod, old, s.initContainerStatuses ?? [], of)];
  conditions.push(generatePodReadyCondition(pod, pod.status.conditions ?? [], s.containerStatuses ?? [], of));
  conditions.push(generateContainersReadyCondition(pod, s.containerStatuses ?? [], of));
  conditions.push(condition(pod, 'PodScheduled', 'True'));
  s.conditions = conditions;
  setHostIPs(deps, pod, s);
  // The list came with v1.28.
  delete s.hostIPs;
  return inFieldOrder(s);
}
