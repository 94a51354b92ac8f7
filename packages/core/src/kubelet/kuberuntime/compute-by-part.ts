import type { Container, Pod } from '../../api/types.js';
import { findContainerStatusByName } from '../container/helpers.js';
import { effectiveRestartPolicy } from '../container/restart-policy.js';
import type { RuntimePodStatus, Status } from '../container/types.js';
import type { KubeletParts, PartPodActions } from '../parts/types.js';
import { type ComputeInput, computeEphemeralContainers, containerChanged, gatesOf } from './compute-helpers.js';
import { computePodLevelResourcesResizeAction, computePodResizeAction } from './compute-pod-resize-action.js';
import type { ContainerKillReason, PodActions } from './pod-actions.js';
import { runtimeRules } from './rules.js';
import type { SandboxChange } from './util.js';

/**
 * Takes the plan of a replaced part into `changes`. Ephemeral containers and the resize of what goes on are not part of
 * that plan: they are computed as ever.
 */
export function computeByPart(
  input: ComputeInput,
  part: NonNullable<KubeletParts['podActions']>,
  pod: Pod,
  podStatus: RuntimePodStatus,
  sandbox: SandboxChange,
  changes: PodActions,
): void {
  const plan = part({
    pod,
    podStatus,
    sandbox,
    policyOf: (container) => effectiveRestartPolicy(gatesOf(input), container, pod.spec),
    isChanged: (container, status) => containerChanged(container, status).changed,
    liveness: (status) => input.livenessManager.get(status.id),
    startup: (status) => input.startupManager.get(status.id),
  });
  const inits = pod.spec.initContainers ?? [];
  const indexes = (list: readonly Container[], names: readonly string[]) =>
    names.map((name) => list.findIndex((c) => c.name === name)).filter((i) => i >= 0);
  changes.killPod = plan.killPod;
  changes.createSandbox = plan.createSandbox;
  changes.initContainersToStart = indexes(inits, plan.initContainersToStart);
  changes.containersToStart = indexes(pod.spec.containers, plan.containersToStart);
  for (const kill of plan.containersToKill) {
    const container = [...inits, ...pod.spec.containers].find((c) => c.name === kill.name);
    const status = findContainerStatusByName(podStatus, kill.name);
    if (!container || !status) continue;
    const again = [...plan.initContainersToStart, ...plan.containersToStart].includes(kill.name);
    changes.containersToKill.set(status.id.id, {
      id: status.id,
      name: status.name,
      container,
      message: messageOf(input, kill, container, status, again),
      reason: (kill.reason === 'Changed' ? '' : kill.reason) satisfies ContainerKillReason,
    });
  }
  if (sandbox.changed) return;
  computeEphemeralContainers(input, pod, podStatus, changes);
  if (plan.killPod) return;
  for (const [idx, container] of pod.spec.containers.entries()) {
    const status = findContainerStatusByName(podStatus, container.name);
    if (status?.state === 'running' && !changes.containersToKill.has(status.id.id))
      computePodResizeAction(input, pod, idx, false, status, changes);
  }
  changes.updatePodLevelResources = computePodLevelResourcesResizeAction(input, pod);
}

function messageOf(
  input: ComputeInput,
  { name, reason }: PartPodActions['containersToKill'][number],
  container: Container,
  status: Status,
  again: boolean,
): string {
  const { texts } = input.rules ?? runtimeRules;
  if (reason === 'Unknown') return `Container is in "${status.state}" state, try killing it before restart`;
  const { expected, actual } = containerChanged(container, status);
  const message =
    reason === 'Changed'
      ? texts.definitionChanged(name, [String(actual), String(expected)])
      : texts.failedProbe(name, reason === 'LivenessProbe' ? 'liveness' : 'startup');
  return again ? texts.toBeRestarted(message) : message;
}
