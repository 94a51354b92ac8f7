import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { type Container, kObj, type Pod } from '../../api/types.js';
import { findContainerStatusByName, shouldContainerBeRestarted } from '../container/helpers.js';
import type { RuntimePodStatus, Status } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import {
  type ComputeInput,
  containerChanged,
  decide,
  gatesOf,
  restartsAfterKill,
  statusValues,
} from './compute-helpers.js';
import { computePodResizeAction } from './compute-pod-resize-action.js';
import { isInitContainerFailed } from './helpers.js';
import type { ContainerKillReason, PodActions } from './pod-actions.js';

/**
 * Returns true if some regular container was created at some time: all init containers were done then.
 * upstream: HasAnyRegularContainerCreated
 */
export function hasAnyRegularContainerCreated(pod: Pod, podStatus: RuntimePodStatus): boolean {
  return pod.spec.containers.some((c) => {
    const state = findContainerStatusByName(podStatus, c.name)?.state;
    return state === 'created' || state === 'running' || state === 'exited';
  });
}

/**
 * Adds to `changes` what init containers and sidecars need; true when the pod is initialized (fidelity 2, section 3).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).computeInitContainerActions
 */
export function computeInitContainerActions(
  input: ComputeInput,
  pod: Pod,
  podStatus: RuntimePodStatus,
  changes: PodActions,
): boolean {
  const inits = pod.spec.initContainers ?? [];
  if (inits.length === 0) return true;
  const { kernel } = input;
  const log = new Logger(kernel, 'kuberuntime_container.go');

  // Exited does not count: after a reboot everything is exited (fidelity 2:I-01).
  let podHasInitialized = pod.spec.containers.some((c) => {
    const state = findContainerStatusByName(podStatus, c.name)?.state;
    return state === 'created' || state === 'running';
  });
  let isPreviouslyInitialized = podHasInitialized;
  const last = inits.length - 1;

  // From the last to the first: the highest one with a status says how far the pod got, even if earlier ones were
  // removed.
  for (let i = last; i >= 0; i--) {
    const container = inits[i] as Container;
    const sidecar = isRestartableInitContainer(container);
    const status = findContainerStatusByName(podStatus, container.name);
    const say = (verdict: string, values: Parameters<typeof decide>[4] = {}) =>
      decide(
        kernel,
        pod,
        'computeInitContainerActions',
        verdict,
        { index: i, sidecar, status: statusValues(status), podHasInitialized, isPreviouslyInitialized, ...values },
        container.name,
      );
    log.info(4, 'Computing init container action', {
      pod: kObj(pod),
      container: container.name,
      status: statusValues(status),
    });
    if (!status) {
      const lost = isPreviouslyInitialized && sidecar;
      if (lost) changes.initContainersToStart.push(i);
      say(lost ? 'start' : 'skip: no status');
      continue;
    }
    if (isPreviouslyInitialized && !sidecar) {
      say('skip: already done');
      continue;
    }
    const kill = (message: string, reason: ContainerKillReason) =>
      changes.containersToKill.set(status.id.id, { id: status.id, name: container.name, container, message, reason });
    const start = (index: number) => changes.initContainersToStart.push(index);
    const giveUp = () => {
      changes.killPod = true;
      changes.initContainersToStart = [];
    };
    /** Goes on after a container that is done or up: the pod is initialized, or the next one's turn has come. */
    const advance = () => {
      log.info(4, 'Init container has been initialized', { pod: kObj(pod), container: container.name });
      if (i === last) podHasInitialized = true;
      else if (!sidecar || !isPreviouslyInitialized) start(i + 1);
    };

    switch (status.state) {
      case 'created':
        // It was created but could not be started.
        start(i);
        say('start');
        break;
      case 'running':
        if (!sidecar) {
          if (featureEnabled(gatesOf(input), 'InPlacePodVerticalScalingInitContainers'))
            computePodResizeAction(input, pod, i, true, status, changes);
          say('wait: running');
        } else {
          const resize = () => computePodResizeAction(input, pod, i, true, status, changes);
          say(runningSidecar(input, container, status, { kill, start: () => start(i), advance, resize }));
        }
        break;
      case 'exited':
        if (sidecar) {
          start(i);
          say('restart sidecar');
        } else if (!isInitContainerFailed(status)) {
          advance();
          say(i === last ? 'initialized' : 'start the next one');
        } else {
          const { restart, why } = shouldContainerBeRestarted(gatesOf(input), container, pod, podStatus);
          if (!restart) {
            giveUp();
            say('kill pod: failed for good', { why });
            return false;
          }
          start(i);
          say('restart', { why });
        }
        break;
      default: {
        const restart = sidecar || restartsAfterKill(gatesOf(input), pod, container);
        if (!restart) {
          giveUp();
          say('kill pod: state unknown');
          return false;
        }
        kill(`Init container is in "${status.state}" state, try killing it before restart`, 'Unknown');
        start(i);
        say('kill and restart: state unknown');
      }
    }
    // Whatever became of it, those before it are done.
    isPreviouslyInitialized = true;
  }

  if (!isPreviouslyInitialized) {
    changes.initContainersToStart.push(0);
    decide(kernel, pod, 'computeInitContainerActions', 'start the first one', { index: 0 }, inits[0]?.name);
  }
  // Collected backwards, started in the order of the spec (fidelity 2:I-15).
  changes.initContainersToStart.reverse();
  return podHasInitialized;
}

/** A sidecar that runs: its probes and its hash (fidelity 2:I-09 to 2:I-11). Returns the verdict. */
function runningSidecar(
  input: ComputeInput,
  container: Container,
  status: Status,
  act: {
    kill: (message: string, reason: ContainerKillReason) => void;
    start: () => void;
    advance: () => void;
    resize: () => boolean;
  },
): string {
  if (container.startupProbe) {
    const startup = input.startupManager.get(status.id);
    if (startup === 'Failure') {
      act.kill(`Init container ${container.name} failed startup probe`, 'StartupProbe');
      act.start();
      return 'kill and restart: startup probe failed';
    }
    if (startup !== 'Success') return 'wait: startup probe has not succeeded yet';
  }
  act.advance();
  if (containerChanged(container, status).changed) {
    act.kill(`Init container ${container.name} definition changed`, '');
    act.start();
    return 'kill and restart: definition changed';
  }
  // Its liveness does not hold up what comes after it.
  if (container.livenessProbe) {
    const liveness = input.livenessManager.get(status.id);
    if (liveness === undefined) return 'keep: liveness probe has not run yet';
    if (liveness === 'Failure') {
      act.kill(`Init container ${container.name} failed liveness probe`, 'LivenessProbe');
      act.start();
      return 'kill and restart: liveness probe failed';
    }
  }
  return act.resize() ? 'keep: started' : 'kill and restart: resize';
}
