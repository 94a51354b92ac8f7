import { findMatchingContainerRestartRule } from '../../api/pod/podutil.js';
import { type Container, kObj, type Pod, podRef } from '../../api/types.js';
import { frameSync } from '../../kernel/index.js';
import { findContainerStatusByName, shouldContainerBeRestarted } from '../container/helpers.js';
import { effectiveRestartPolicy } from '../container/restart-policy.js';
import type { RuntimePodStatus, Status } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { computeByPart } from './compute-by-part.js';
import {
  type ComputeInput,
  computeEphemeralContainers,
  containerChanged,
  decide,
  gatesOf,
  restartsAfterKill,
  shouldRestartOnFailure,
  statusValues,
} from './compute-helpers.js';
import { computeInitContainerActions, hasAnyRegularContainerCreated } from './compute-init-container-actions.js';
import { computePodLevelResourcesResizeAction, computePodResizeAction } from './compute-pod-resize-action.js';
import {
  type ContainerKillReason,
  type ContainerToRemoveInfo,
  type PodActions,
  podActionsRecord,
} from './pod-actions.js';
import { runtimeRules } from './rules.js';
import { podSandboxChanged } from './util.js';

/**
 * Computes what must be done to bring a pod from its status to its spec.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).computePodActions
 */
export function computePodActions(
  input: ComputeInput,
  pod: Pod,
  podStatus: RuntimePodStatus,
  restartAllContainers: boolean,
): PodActions {
  return frameSync(
    'computePodActions',
    { pod: kObj(pod), uid: pod.metadata.uid, restartAllContainers },
    () => {
      const actions = compute(input, pod, podStatus, restartAllContainers);
      input.kernel.emit({ kind: 'pod-actions', actions: podActionsRecord(pod, actions), ...podRef(pod) });
      return actions;
    },
    (actions) => podActionsRecord(pod, actions),
  );
}

function compute(
  input: ComputeInput,
  pod: Pod,
  podStatus: RuntimePodStatus,
  restartAllContainers: boolean,
): PodActions {
  const { kernel } = input;
  const log = new Logger(kernel, 'kuberuntime_manager.go');
  log.info(5, 'Syncing Pod', { pod: kObj(pod) });
  const sandbox = podSandboxChanged(kernel, pod, podStatus);
  const changes: PodActions = {
    killPod: sandbox.changed,
    createSandbox: sandbox.changed,
    sandboxID: sandbox.sandboxID,
    attempt: sandbox.attempt,
    initContainersToStart: [],
    containersToStart: [],
    ephemeralContainersToStart: [],
    containersToKill: new Map(),
    containersToReset: [],
    containersToUpdate: { memory: [], cpu: [] },
    updatePodResources: false,
    updatePodLevelResources: false,
  };

  if (restartAllContainers && featureEnabled(gatesOf(input), 'RestartAllContainersOnContainerExits')) {
    log.info(3, 'Pod marked for RestartAllContainers', { pod: kObj(pod) });
    const init = getContainersToReset(pod.spec.initContainers ?? [], podStatus);
    const regular = getContainersToReset(pod.spec.containers, podStatus);
    changes.containersToReset = [...regular.targets, ...init.targets, ...regular.sources, ...init.sources];
    decide(kernel, pod, 'RestartAllContainers', 'reset', {
      containers: changes.containersToReset.map((c) => c.container.name),
    });
    return changes;
  }

  const replaced = input.parts?.podActions;
  if (replaced) {
    computeByPart(input, replaced, pod, podStatus, sandbox, changes);
    return changes;
  }

  if (sandbox.changed) {
    computeForNewSandbox(input, pod, podStatus, sandbox.attempt, changes);
    return changes;
  }

  computeEphemeralContainers(input, pod, podStatus, changes);

  const hasInitialized = computeInitContainerActions(input, pod, podStatus, changes);
  if (changes.killPod || !hasInitialized) {
    decide(kernel, pod, 'computeInitContainerActions', changes.killPod ? 'kill pod' : 'not initialized', {
      initContainersToStart: changes.initContainersToStart,
    });
    return changes;
  }

  let keepCount = 0;
  for (const [idx, container] of pod.spec.containers.entries()) {
    const status = findContainerStatusByName(podStatus, container.name);
    if (status?.state !== 'running') computeForStopped(input, log, pod, podStatus, idx, container, status, changes);
    else if (computeForRunning(input, log, pod, idx, container, status, changes)) keepCount++;
  }
  if (keepCount === 0 && changes.containersToStart.length === 0) {
    // Sidecars must not keep a finished pod alive (fidelity 2:C-13).
    changes.killPod = true;
    changes.initContainersToStart = [];
    decide(kernel, pod, 'keepCount', 'kill pod', { keepCount, containersToStart: 0 });
  }
  changes.updatePodLevelResources = computePodLevelResourcesResizeAction(input, pod);
  return changes;
}

/**
 * Computes the actions of a pod whose sandbox is gone or not there yet: everything starts from the beginning, or
 * nothing does (fidelity 2:C-02 to 2:C-05).
 */
function computeForNewSandbox(
  input: ComputeInput,
  pod: Pod,
  podStatus: RuntimePodStatus,
  attempt: number,
  changes: PodActions,
): void {
  const { kernel } = input;
  const statuses = podStatus.containerStatuses.length;
  if (!shouldRestartOnFailure(pod) && attempt !== 0 && statuses !== 0) {
    changes.createSandbox = false;
    decide(kernel, pod, 'shouldRestartOnFailure', 'kill pod, no new sandbox', {
      restartPolicy: 'Never',
      attempt,
      containerStatuses: statuses,
    });
    return;
  }
  const containersToStart: number[] = [];
  for (const [idx, c] of pod.spec.containers.entries()) {
    const policy = effectiveRestartPolicy(gatesOf(input), c, pod.spec);
    const status = findContainerStatusByName(podStatus, c.name);
    const succeeded = status?.state === 'exited' && status.exitCode === 0;
    const start = !(policy === 'OnFailure' && succeeded);
    if (start) containersToStart.push(idx);
    decide(
      kernel,
      pod,
      'containerSucceeded',
      start ? 'start' : 'leave alone',
      { restartPolicy: policy, status: statusValues(status) },
      c.name,
    );
  }
  if (containersToStart.length === 0 && hasAnyRegularContainerCreated(pod, podStatus)) {
    changes.createSandbox = false;
    decide(kernel, pod, 'HasAnyRegularContainerCreated', 'kill pod, no new sandbox', { containersToStart: 0 });
    return;
  }
  if ((pod.spec.initContainers ?? []).length > 0) {
    changes.initContainersToStart = [0];
    decide(
      kernel,
      pod,
      'new sandbox',
      'start from the first init container',
      { attempt },
      pod.spec.initContainers?.[0]?.name,
    );
    return;
  }
  changes.containersToStart = containersToStart;
}

/** A regular container that does not run: started if its policy says so (fidelity 2:C-08, 2:C-10). */
function computeForStopped(
  input: ComputeInput,
  log: Logger,
  pod: Pod,
  podStatus: RuntimePodStatus,
  idx: number,
  container: Container,
  status: Status | undefined,
  changes: PodActions,
): void {
  const { kernel } = input;
  const { restart, why } = shouldContainerBeRestarted(gatesOf(input), container, pod, podStatus);
  decide(
    kernel,
    pod,
    'ShouldContainerBeRestarted',
    restart ? 'start' : 'leave alone',
    { why, status: statusValues(status), deletionTimestamp: pod.metadata.deletionTimestamp ?? null },
    container.name,
  );
  if (!restart) return;
  log.info(3, 'Container of pod is not in the desired state and shall be started', {
    containerName: container.name,
    pod: kObj(pod),
  });
  changes.containersToStart.push(idx);
  if (status?.state === 'unknown')
    // It may be running after all: two of it must not.
    changes.containersToKill.set(status.id.id, {
      id: status.id,
      name: status.name,
      container,
      message: `Container is in "${status.state}" state, try killing it before restart`,
      reason: 'Unknown',
    });
}

/** A running regular container: true when it is kept (fidelity 2:C-11, 2:C-12). */
function computeForRunning(
  input: ComputeInput,
  log: Logger,
  pod: Pod,
  idx: number,
  container: Container,
  status: Status,
  changes: PodActions,
): boolean {
  const { kernel } = input;
  const { texts } = input.rules ?? runtimeRules;
  // A running container has no exit code, so the policy decides and not the rules.
  let restart = restartsAfterKill(gatesOf(input), pod, container);
  const { expected, actual, changed } = containerChanged(container, status);
  const liveness = input.livenessManager.get(status.id);
  const startup = input.startupManager.get(status.id);
  let message: string;
  let reason: ContainerKillReason = '';
  let rule: string;
  if (changed) {
    rule = 'containerChanged';
    message = texts.definitionChanged(container.name, [String(actual), String(expected)]);
    restart = true;
  } else if (liveness === 'Failure') {
    rule = 'livenessManager';
    message = texts.failedProbe(container.name, 'liveness');
    reason = 'LivenessProbe';
  } else if (startup === 'Failure') {
    rule = 'startupManager';
    message = texts.failedProbe(container.name, 'startup');
    reason = 'StartupProbe';
  } else if (!computePodResizeAction(input, pod, idx, false, status, changes)) return false;
  else {
    decide(
      kernel,
      pod,
      'computePodActions',
      'keep',
      { hash: actual.toString(16), liveness, startup, status: statusValues(status) },
      container.name,
    );
    return true;
  }
  if (restart) {
    message = texts.toBeRestarted(message);
    changes.containersToStart.push(idx);
  }
  changes.containersToKill.set(status.id.id, { id: status.id, name: status.name, container, message, reason });
  log.info(2, 'Message for Container of pod', {
    containerName: container.name,
    containerStatusID: { Type: status.id.type, ID: status.id.id },
    pod: kObj(pod),
    containerMessage: message,
  });
  decide(
    kernel,
    pod,
    rule,
    restart ? 'kill and restart' : 'kill',
    {
      message,
      specHash: expected.toString(16),
      runningHash: actual.toString(16),
      liveness,
      startup,
      restartPolicy: effectiveRestartPolicy(gatesOf(input), container, pod.spec),
      status: statusValues(status),
    },
    container.name,
  );
  return false;
}

/**
 * Returns all instances of the given containers: those that triggered the restart of all, and the others (fidelity
 * 2:R-05).
 * upstream: getContainersToReset
 */
function getContainersToReset(
  containers: readonly Container[],
  podStatus: RuntimePodStatus,
): { sources: ContainerToRemoveInfo[]; targets: ContainerToRemoveInfo[] } {
  const sources: ContainerToRemoveInfo[] = [];
  const targets: ContainerToRemoveInfo[] = [];
  for (const container of containers)
    for (const status of podStatus.containerStatuses) {
      if (status.name !== container.name) continue;
      const exited = status.state === 'exited';
      const trigger =
        exited && findMatchingContainerRestartRule(container, status.exitCode)?.action === 'RestartAllContainers';
      (trigger ? sources : targets).push({ containerID: status.id, container, kill: !exited });
    }
  return { sources, targets };
}
