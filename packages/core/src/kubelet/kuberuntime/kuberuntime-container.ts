import { type Container, type EphemeralContainer, kObj, type Pod, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { ContainerConfig, ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import type { CallStepName } from '../../trace/index.js';
import type { StateCheckpoint } from '../allocation/state.js';
import type { CallSteps, Found } from '../call-steps.js';
import { RequestTooLarge } from '../container/expansion.js';
import { findContainerStatusByName, hashContainer } from '../container/helpers.js';
import { ReasonError } from '../container/sync-result.js';
import { type ContainerID, formatContainerID, type RuntimePodStatus } from '../container/types.js';
import { EventReason } from '../events.js';
import type { ImageManager } from '../images/image-manager.js';
import { EnsureImageError } from '../images/image-manager.js';
import { HookError } from '../lifecycle/handlers.js';
import { decide } from './compute-helpers.js';
import { buildContainerLogsDirectory, statusMessage } from './helpers.js';
import type { ContainerConfigDeps } from './kuberuntime-container-config.js';
import { generateContainerConfig } from './kuberuntime-container-config.js';
import { recordContainerEvent } from './kuberuntime-container-event.js';
import type { KillContainerDeps } from './kuberuntime-container-kill.js';
import { killContainer } from './kuberuntime-container-kill.js';
import { setActuatedContainerResources } from './kuberuntime-resize.js';
import { legacyLogSymlink } from './legacy.js';
import type { RuntimeRules } from './rules.js';
import type { InternalContainerLifecycle, RuntimeHandlers, RuntimeType } from './types.js';

/** The reasons why a container did not start. upstream: kuberuntime_container.go, container/sync_result.go */
export const StartReason = {
  ErrCreateContainerConfig: 'CreateContainerConfigError',
  ErrPreCreateHook: 'PreCreateHookError',
  ErrCreateContainer: 'CreateContainerError',
  ErrPreStartHook: 'PreStartHookError',
  ErrRunContainer: 'RunContainerError',
} as const;

/** A container was not started: the result's error (`message` is the reason) and its text. */
export class StartContainerError extends ReasonError {
  constructor(
    reason: string,
    readonly detail: string,
  ) {
    super(reason);
  }
}

/**
 * The next restart count as the log files tell it (fidelity 2:T-04); 0 if there are none.
 * upstream: calcRestartCountByLogDir
 */
export function* calcRestartCountByLogDir(m: { readonly os: OSInterface }, path: string): Go<number> {
  if ((yield* m.os.stat(path)) === null) return 0;
  let restartCount = 0;
  for (const { name, dir } of yield* m.os.readDir(path)) {
    const match = dir ? null : /^(\d+)\.log(\..*)?/.exec(name);
    if (!match) continue;
    const digits = BigInt(match[1] as string);
    // A kubelet has never written a number that does not fit.
    if (digits <= 0x7fffffffffffffffn) restartCount = Math.max(restartCount, Number(digits) + 1);
  }
  return restartCount;
}

/** The parts of the runtime manager that a container is started with. */
export interface StartContainerDeps
  extends ContainerConfigDeps,
    KillContainerDeps,
    RuntimeType,
    Pick<RuntimeHandlers, 'podRuntimeHandler'> {
  readonly imagePuller: Pick<ImageManager, 'ensureImageExists'>;
  readonly internalLifecycle: InternalContainerLifecycle;
  readonly actuatedState: StateCheckpoint;
  readonly rules: RuntimeRules;
  readonly steps: CallSteps;
}

export interface StartContainerInput {
  readonly podSandboxID: string;
  readonly podSandboxConfig: PodSandboxConfig;
  readonly container: Container | EphemeralContainer;
  readonly pod: Pod;
  readonly podStatus: RuntimePodStatus;
  readonly pullSecrets: readonly unknown[];
  readonly podIP: string;
  readonly podIPs: readonly string[];
  readonly imageVolumes: ReadonlyMap<string, ImageSpec> | null;
}

/**
 * Starts a container: pulls the image, creates, starts, runs postStart (fidelity 2, section 7); throws a
 * StartContainerError.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).startContainer
 */
export function* startContainer(m: StartContainerDeps, ctx: Context, input: StartContainerInput): Go<void> {
  const { pod, container } = input;
  yield* frame('startContainer', { pod: kObj(pod), uid: pod.metadata.uid, container: container.name }, () =>
    start(m, ctx, input),
  );
}

function* start(m: StartContainerDeps, ctx: Context, input: StartContainerInput): Go<void> {
  const { pod, container, podSandboxConfig, podSandboxID } = input;
  const step = (n: number, name: string) =>
    m.kernel.emit({ kind: 'step', fn: 'startContainer', n, name, container: container.name, ...podRef(pod) });
  const event = (type: 'Normal' | 'Warning', reason: string, message: string, containerID = '') =>
    recordContainerEvent(m, pod, container, containerID, type, reason, message);

  const stepWithin = m.steps.of('startContainer');
  const within = (name: CallStepName<'startContainer'>, found: Found) => stepWithin(name, found, pod, container.name);

  const runtimeHandler = m.podRuntimeHandler(pod);
  if (runtimeHandler !== '') within('getPodRuntimeHandler', { runtimeHandler });
  step(1, 'pull image');
  let imageRef: string;
  try {
    imageRef = yield* m.imagePuller.ensureImageExists(ctx, {
      pod,
      container,
      image: container.image ?? '',
      pullSecrets: input.pullSecrets,
      podSandboxConfig,
      runtimeHandler,
      pullPolicy: container.imagePullPolicy,
    });
  } catch (err) {
    event('Warning', EventReason.FailedToCreateContainer, `Error: ${statusMessage(err)}`);
    throw err instanceof EnsureImageError
      ? new StartContainerError(err.reason, err.detail)
      : new StartContainerError(messageOf(err), messageOf(err));
  }

  step(2, 'create container');
  const restartCount = yield* nextRestartCount(m, input);
  let config: ContainerConfig;
  try {
    const target = getTargetID(container, input.podStatus);
    if (target) within('getTargetID', { target: formatContainerID(target) });
    const { podIP, podIPs, imageVolumes } = input;
    config = yield* generateContainerConfig(m, ctx, {
      pod,
      container,
      restartCount,
      podIP,
      podIPs,
      imageRef,
      target,
      imageVolumes,
    });
    within('generateContainerConfig', { imageRef, restartCount, hash: hashContainer(container) });
  } catch (err) {
    event('Warning', EventReason.FailedToCreateContainer, `Error: ${statusMessage(err)}`);
    // It is the runtime that would refuse it.
    const reason =
      err instanceof RequestTooLarge ? StartReason.ErrCreateContainer : StartReason.ErrCreateContainerConfig;
    throw new StartContainerError(reason, statusMessage(err));
  }
  try {
    // The container is created with the resources that are recorded here.
    yield* setActuatedContainerResources(m, pod, container);
  } catch (err) {
    event('Warning', EventReason.FailedToCreateContainer, `Error: ${messageOf(err)}`);
    throw new StartContainerError(StartReason.ErrCreateContainerConfig, messageOf(err));
  }
  try {
    yield* m.internalLifecycle.preCreateContainer(pod, container, config);
    within('PreCreateContainer', {});
  } catch (err) {
    within('PreCreateContainer', { error: statusMessage(err) });
    event(
      'Warning',
      EventReason.FailedToCreateContainer,
      `Internal PreCreateContainer hook failed: ${statusMessage(err)}`,
    );
    throw new StartContainerError(StartReason.ErrPreCreateHook, statusMessage(err));
  }
  let containerID: string;
  try {
    containerID =
      (yield* m.runtimeService.createContainer(ctx, {
        podSandboxId: podSandboxID,
        config,
        sandboxConfig: podSandboxConfig,
      })).containerId ?? '';
  } catch (err) {
    event('Warning', EventReason.FailedToCreateContainer, `Error: ${statusMessage(err)}`);
    throw new StartContainerError(StartReason.ErrCreateContainer, statusMessage(err));
  }
  try {
    yield* m.internalLifecycle.preStartContainer(pod, container, containerID);
    within('PreStartContainer', {});
  } catch (err) {
    within('PreStartContainer', { error: statusMessage(err) });
    event(
      'Warning',
      EventReason.FailedToStartContainer,
      `Internal PreStartContainer hook failed: ${statusMessage(err)}`,
      containerID,
    );
    throw new StartContainerError(StartReason.ErrPreStartHook, statusMessage(err));
  }
  event('Normal', EventReason.CreatedContainer, m.rules.texts.created(container.name), containerID);

  step(3, 'start container');
  try {
    yield* m.runtimeService.startContainer(ctx, { containerId: containerID });
  } catch (err) {
    event('Warning', EventReason.FailedToStartContainer, `Error: ${statusMessage(err)}`, containerID);
    throw new StartContainerError(StartReason.ErrRunContainer, statusMessage(err));
  }
  event('Normal', EventReason.StartedContainer, m.rules.texts.started(container.name), containerID);
  const log = `${podSandboxConfig.logDirectory ?? ''}/${config.logPath ?? ''}`;
  within('legacyLogSymlink', yield* linkLog(m, pod, container, containerID, log));

  if (!container.lifecycle?.postStart) return;
  step(4, 'postStart hook');
  const id: ContainerID = { type: m.type(), id: containerID };
  try {
    yield* m.runner.run(ctx, id, pod, container, container.lifecycle.postStart);
  } catch (err) {
    const values = {
      pod: kObj(pod),
      podUID: pod.metadata.uid,
      containerName: container.name,
      containerID: formatContainerID(id),
    };
    m.log.container.error(err, 'Failed to execute PostStartHook', values);
    const detail = err instanceof HookError ? err.detail : messageOf(err);
    event('Warning', EventReason.FailedPostStartHook, m.rules.texts.postStartFailed(detail), containerID);
    try {
      yield* killContainer(m, ctx, {
        pod,
        containerID: id,
        containerName: container.name,
        message: 'FailedPostStartHook',
        reason: 'FailedPostStartHook',
        gracePeriodOverride: null,
        ordering: null,
      });
    } catch (killErr) {
      m.log.container.error(killErr, 'Failed to kill container', values);
    }
    throw new StartContainerError(m.rules.texts.postStartReason(messageOf(err)), detail);
  }
}

/**
 * One more than the newest status says, whatever its state; without a status as the log files say (fidelity 2:T-03,
 * 2:T-04).
 */
function* nextRestartCount(
  m: Pick<StartContainerDeps, 'kernel' | 'log' | 'os' | 'podLogsDirectory' | 'rules'>,
  { pod, container, podStatus }: StartContainerInput,
): Go<number> {
  const status = findContainerStatusByName(podStatus, container.name);
  const { name, namespace, uid } = pod.metadata;
  const logDir = buildContainerLogsDirectory(m.podLogsDirectory, namespace, name, uid, container.name);
  let restartCount = 0;
  if (status) restartCount = status.restartCount + 1;
  else if (m.rules.restartCountFromLogs) {
    try {
      restartCount = yield* calcRestartCountByLogDir(m, logDir);
    } catch (err) {
      m.log.container.info(0, 'Cannot calculate restartCount from the log directory', { logDir, err: messageOf(err) });
    }
  }
  const byLogDir = !status && m.rules.restartCountFromLogs;
  const rule = byLogDir ? 'calcRestartCountByLogDir' : 'restartCount';
  const from = byLogDir ? { logDir } : { status: status ? formatContainerID(status.id) : null };
  decide(m.kernel, pod, rule, String(restartCount), from, container.name);
  return restartCount;
}

/**
 * Returns the container whose processes an ephemeral container shall see; throws if there is none.
 * upstream: (*startSpec).getTargetID
 */
function getTargetID(container: Container | EphemeralContainer, podStatus: RuntimePodStatus): ContainerID | null {
  const name = 'targetContainerName' in container ? container.targetContainerName : undefined;
  if (!name) return null;
  const status = findContainerStatusByName(podStatus, name);
  if (!status) throw new Error(`unable to find target container ${name}`);
  return status.id;
}

/** Makes the link for log shippers, if there is a log file yet (fidelity 2:T-11); returns what the step found. */
function* linkLog(
  m: Pick<StartContainerDeps, 'log' | 'os'>,
  pod: Pod,
  container: Container,
  containerID: string,
  containerLogPath: string,
): Go<Found> {
  const path = legacyLogSymlink(containerID, container.name, pod.metadata.name, pod.metadata.namespace);
  try {
    const there = (yield* m.os.stat(containerLogPath)) !== null;
    if (there) yield* m.os.symlink(containerLogPath, path);
    return { linked: there };
  } catch (err) {
    m.log.container.error(err, 'Failed to create legacy symbolic link', { path, containerID, containerLogPath });
    return { linked: false, error: messageOf(err) };
  }
}
