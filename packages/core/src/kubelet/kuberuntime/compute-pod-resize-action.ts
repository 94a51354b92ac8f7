import { limitsOf, type ResourceNumbers, resourceNumbers, sameNumbers } from '../../api/pod/resources.js';
import { type Container, kObj, type Pod } from '../../api/types.js';
import type { Status } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { type ComputeInput, decide, gatesOf } from './compute-helpers.js';
import type { PodActions } from './pod-actions.js';

/**
 * Decides how a running container gets the resources that were allocated to it: by an update in place, or by a restart.
 * Returns true if it is kept (fidelity 2:Z-01, 2:Z-02). Compared are spec and record, never what the runtime says.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).computePodResizeAction
 */
export function computePodResizeAction(
  input: ComputeInput,
  pod: Pod,
  containerIdx: number,
  initContainer: boolean,
  status: Status,
  changes: PodActions,
): boolean {
  const { kernel, actuatedState } = input;
  const container = (initContainer ? pod.spec.initContainers : pod.spec.containers)?.[containerIdx] as Container;
  if (!featureEnabled(gatesOf(input), 'InPlacePodVerticalScaling')) return true;
  if (!actuatedState || status.state !== 'running') return true;
  const actuated = actuatedState.getContainerResources(pod.metadata.uid, container.name);
  if (!actuated)
    // Treated as not actuated: a redundant update does no harm.
    new Logger(kernel, 'kuberuntime_manager.go').error(null, 'Missing actuated resource record', {
      pod: kObj(pod),
      container: container.name,
    });
  const ofPod = actuatedState.getPodLevelResources(pod.metadata.uid).resources;
  const podLevel = resizesPodLevel(input);
  const desired = numbersOf(podLevel ? pod.spec.resources : undefined, container.resources);
  const current = numbersOf(podLevel ? ofPod : undefined, actuated);
  if (sameNumbers(current, desired)) return true;

  const policy = (name: 'cpu' | 'memory') =>
    container.resizePolicy?.find((p) => p.resourceName === name)?.restartPolicy ?? 'NotRequired';
  const changed = (name: 'cpu' | 'memory') =>
    desired[`${name}Limit`] !== current[`${name}Limit`] || desired[`${name}Request`] !== current[`${name}Request`];
  const values = { desired: { ...desired }, current: { ...current } };
  const restart = (['memory', 'cpu'] as const).filter((n) => changed(n) && policy(n) === 'RestartContainer');
  if (restart.length > 0) {
    const message = `Container ${container.name} resize requires restart`;
    changes.containersToKill.set(status.id.id, { id: status.id, name: status.name, container, message, reason: '' });
    (initContainer ? changes.initContainersToStart : changes.containersToStart).push(containerIdx);
    changes.updatePodResources = true;
    decide(kernel, pod, 'computePodResizeAction', 'kill and restart', { ...values, restart }, container.name);
    return false;
  }
  // One record for both: what memory has been set to counts when CPU is.
  const info = { container, kubeContainerID: status.id, desired, current: { ...current } };
  for (const name of ['memory', 'cpu'] as const) {
    if (!changed(name)) continue;
    const [to, from] =
      desired[`${name}Limit`] !== current[`${name}Limit`]
        ? [desired[`${name}Limit`], current[`${name}Limit`]]
        : [desired[`${name}Request`], current[`${name}Request`]];
    // Decreases come first, to make room for increases.
    if (to < from) changes.containersToUpdate[name].unshift(info);
    else changes.containersToUpdate[name].push(info);
  }
  decide(kernel, pod, 'computePodResizeAction', 'update in place', values, container.name);
  return true;
}

const resizesPodLevel = (input: ComputeInput): boolean =>
  featureEnabled(gatesOf(input), 'InPlacePodLevelResourcesVerticalScaling');

/** upstream: containerResourcesFromRequirements */
const numbersOf = (pod: Pod['spec']['resources'], container: Container['resources']): ResourceNumbers =>
  resourceNumbers({ ...container, limits: limitsOf(pod, container) });

/** upstream: (*kubeGenericRuntimeManager).computePodLevelResourcesResizeAction */
export function computePodLevelResourcesResizeAction(input: ComputeInput, pod: Pod): boolean {
  if (!input.actuatedState || !resizesPodLevel(input)) return false;
  const { resources } = input.actuatedState.getPodLevelResources(pod.metadata.uid);
  return !sameNumbers(resourceNumbers(resources), resourceNumbers(pod.spec.resources));
}
