import { getPodCondition, isPodPhaseTerminal, podConditionStatus, updatePodCondition } from '../../api/pod/podutil.js';
import type { Pod, PodStatus, Time } from '../../api/types.js';
import type { FeatureConfig } from '../features.js';
import { terminalPhaseCondition } from './generate.js';
import {
  copyStatus,
  fieldsOfOthers,
  podConditionByKubelet,
  podConditionSharedByKubelet,
  replaceOrAppendPodCondition,
  updateLastTransitionTime,
} from './normalize.js';

/**
 * Returns the status that is written to the API: the kubelet's status with the conditions of others, and with the
 * terminal phase held back while containers may still run (fidelity 1:S08). Changes neither input.
 * upstream: pkg/kubelet/status/status_manager.go mergePodStatus
 */
export function mergePodStatus(
  gates: FeatureConfig,
  pod: Pod,
  oldPodStatus: PodStatus,
  newPodStatus: PodStatus,
  couldHaveRunningContainers: boolean,
  now: Time,
): PodStatus {
  const merged = copyStatus({ ...newPodStatus, ...fieldsOfOthers(oldPodStatus) });
  let conditions = (oldPodStatus.conditions ?? []).filter((c) => !podConditionByKubelet(gates, c.type));
  const becomesTerminal = !isPodPhaseTerminal(oldPodStatus.phase) && isPodPhaseTerminal(merged.phase);
  for (const c of merged.conditions ?? []) {
    if (podConditionByKubelet(gates, c.type)) conditions.push(c);
    else if (podConditionSharedByKubelet(c.type) && becomesTerminal && !couldHaveRunningContainers) {
      // The condition was held back until this moment, so its time of change is now.
      updateLastTransitionTime(merged, oldPodStatus, c.type, now);
      conditions = replaceOrAppendPodCondition(conditions, getPodCondition(merged, c.type) ?? c);
    }
  }
  merged.conditions = conditions;
  if (becomesTerminal && couldHaveRunningContainers) {
    for (const key of ['phase', 'reason', 'message'] as const) {
      delete merged[key];
      if (oldPodStatus[key]) Object.assign(merged, { [key]: oldPodStatus[key] });
    }
  }
  if (
    isPodPhaseTerminal(merged.phase) &&
    (podConditionStatus(merged, 'Ready') === 'True' || podConditionStatus(merged, 'ContainersReady') === 'True')
  )
    for (const type of ['ContainersReady', 'Ready'])
      updatePodCondition(merged, terminalPhaseCondition(pod, type, merged.phase), now);
  return merged;
}
