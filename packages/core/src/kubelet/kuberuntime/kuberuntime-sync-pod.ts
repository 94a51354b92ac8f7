import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { type Container, type EphemeralContainer, formatPod, kObj, type Pod, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { PodSandboxConfig, PodSandboxStatus } from '../../cri/index.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import { convertPodStatusToRunningPod, fromRuntimeTime, isHostNetworkPod } from '../container/helpers.js';
import { PodSyncResult, ReasonError, type SyncResult } from '../container/sync-result.js';
import type { PodStateProvider, RuntimePodStatus } from '../container/types.js';
import { EventReason } from '../events.js';
import { ImageReason } from '../images/types.js';
import { countStartedPod } from '../metrics/counted.js';
import { type ContainerType, type KubeletMetrics, metricsOf } from '../metrics/kubelet-metrics.js';
import type { ResultsManager } from '../prober/types.js';
import type { BackOff } from '../util/backoff.js';
import { decide } from './compute-helpers.js';
import { computePodActions } from './compute-pod-actions.js';
import { doBackOff } from './kuberuntime-backoff.js';
import type { StartContainerDeps } from './kuberuntime-container.js';
import { StartContainerError, startContainer } from './kuberuntime-container.js';
import { KillReason, killContainer, killPodWithSyncResult } from './kuberuntime-container-kill.js';
import type { RemoveContainerDeps } from './kuberuntime-container-remove.js';
import {
  pruneInitContainersBeforeStart,
  purgeInitContainers,
  removeContainer,
} from './kuberuntime-container-remove.js';
import { getImageVolumes, type ImageVolumePull, toKubeContainerImageVolumes } from './kuberuntime-image-volumes.js';
import type { ResizeDeps } from './kuberuntime-resize.js';
import { doPodResizeAction } from './kuberuntime-resize.js';
import type { PodSandboxDeps } from './kuberuntime-sandbox.js';
import {
  CreatePodSandboxFailure,
  createPodSandbox,
  determinePodSandboxIPs,
  generatePodSandboxConfig,
} from './kuberuntime-sandbox.js';
import { type PodActions, podActionsText } from './pod-actions.js';
import type { SyncPodStep } from './rules.js';

/** upstream: metrics.Container, InitContainer, EphemeralContainer */
const metricLabels = {
  container: 'container',
  'init container': 'init_container',
  'ephemeral container': 'ephemeral_container',
} as const satisfies Record<string, ContainerType>;

export interface SyncPodInput {
  readonly pod: Pod;
  readonly podStatus: RuntimePodStatus;
  readonly pullSecrets: readonly unknown[];
  readonly backOff: BackOff;
  readonly restartAllContainers: boolean;
}

/** The parts of the runtime manager that its nine steps work with. */
interface SyncPodDeps extends StartContainerDeps, RemoveContainerDeps, PodSandboxDeps, ResizeDeps {
  readonly podStateProvider: PodStateProvider;
  readonly livenessManager: ResultsManager;
  readonly startupManager: ResultsManager;
  updateActuatedPodLevelResources(pod: Pod): Go<void>;
}

/**
 * Brings a pod from its status to its spec, in nine steps (fidelity 2:P-01). Never throws for what the runtime does.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).SyncPod
 */
export function* syncPod(m: SyncPodDeps, ctx: Context, input: SyncPodInput): Go<PodSyncResult> {
  const { pod, restartAllContainers } = input;
  return yield* frame(
    'kuberuntime.SyncPod',
    { pod: kObj(pod), uid: pod.metadata.uid, restartAllContainers },
    () => new PodSync(m, ctx, input).run(),
    (r) => ({
      syncError: r.syncError?.message ?? null,
      results: r.syncResults.map((s) => ({
        action: s.action,
        target: s.target,
        error: s.error?.message ?? null,
        message: s.message,
      })),
    }),
  );
}

/** One pass. A step that returns false ends it. */
class PodSync {
  private readonly result = new PodSyncResult();
  private podIPs: readonly string[];
  private podSandboxID = '';

  constructor(
    private readonly m: SyncPodDeps,
    private readonly ctx: Context,
    private readonly input: SyncPodInput,
  ) {
    this.podIPs = input.podStatus.ips;
  }

  *run(): Go<PodSyncResult> {
    const { m, ctx, result } = this;
    const { pod, podStatus } = this.input;
    this.step('compute sandbox and container changes');
    const changes = computePodActions(m, pod, podStatus, this.input.restartAllContainers);
    m.log.manager.info(3, 'computePodActions got for pod', { podActions: podActionsText(changes), pod: kObj(pod) });
    if (changes.createSandbox) {
      if (changes.sandboxID)
        m.recorder.event(
          pod,
          'Normal',
          EventReason.SandboxChanged,
          'Pod sandbox changed, it will be killed and re-created.',
        );
      else m.log.manager.info(4, 'SyncPod received new pod, will create a sandbox for it', { pod: kObj(pod) });
    }
    this.podSandboxID = changes.sandboxID;
    if (!(yield* changes.killPod ? this.killPod(changes) : this.killContainers(changes))) return result;
    yield* pruneInitContainersBeforeStart(m, ctx, pod, podStatus);
    if (!changes.createSandbox) return yield* this.inSandbox(changes);
    const done = (yield* this.createSandbox(changes)) ? yield* this.inSandbox(changes) : result;
    // A user namespace that cannot be made shows anywhere on the way, mostly where containers are created.
    if (pod.spec.hostUsers === false && done.error() !== null)
      metricsOf(m.kernel).startedUserNamespacedPodsErrors.add(1);
    return done;
  }

  /** Runs the steps that follow once there is a sandbox. */
  private *inSandbox(changes: PodActions): Go<PodSyncResult> {
    const { m, ctx, result } = this;
    const { pod } = this.input;
    let config: PodSandboxConfig;
    let imageVolumes: Map<string, ImageVolumePull>;
    try {
      config = generatePodSandboxConfig(m, pod, changes.attempt);
    } catch (err) {
      m.log.manager.error(err, 'GeneratePodSandboxConfig for pod failed', { pod: kObj(pod) });
      result.fail(
        new Error(`GeneratePodSandboxConfig for pod "${formatPod(pod)}" failed: ${messageOf(err)}`, { cause: err }),
      );
      return result;
    }
    try {
      imageVolumes = yield* getImageVolumes(m, ctx, pod, config, this.input.pullSecrets);
    } catch (err) {
      m.log.manager.error(err, 'Get image volumes for pod failed', { pod: kObj(pod) });
      result.fail(err instanceof Error ? err : new Error(messageOf(err)));
      return result;
    }
    yield* this.startAll(changes, config, imageVolumes);
    return result;
  }

  private step(name: SyncPodStep, container?: string): void {
    const { kernel, rules } = this.m;
    kernel.emit({
      kind: 'step',
      fn: 'kuberuntime.SyncPod',
      n: rules.syncPodSteps.indexOf(name) + 1,
      name,
      ...(container === undefined ? {} : { container }),
      ...podRef(this.input.pod),
    });
  }

  /** Step 2: kills the pod if the sandbox changed, or nothing is left to run. */
  private *killPod(changes: PodActions): Go<boolean> {
    const { m, ctx, result } = this;
    const { pod, podStatus } = this.input;
    this.step('kill pod');
    const why = changes.createSandbox
      ? 'Stopping PodSandbox for pod, will start new one'
      : 'Stopping PodSandbox for pod, because all other containers are dead';
    m.log.manager.info(4, why, { pod: kObj(pod) });
    const killResult = yield* killPodWithSyncResult(
      m,
      ctx,
      pod,
      convertPodStatusToRunningPod(m.type(), podStatus),
      null,
    );
    result.addPodSyncResult(killResult);
    const error = killResult.error();
    if (error) {
      m.log.manager.error(error, 'killPodWithSyncResult failed');
      return false;
    }
    if (changes.createSandbox) yield* purgeInitContainers(m, ctx, pod, podStatus);
    return true;
  }

  /**
   * Step 3: kills the containers that should not run, one after another; for RestartAllContainers everything goes
   * (fidelity 2:P-04, 2:R-06).
   */
  private *killContainers(changes: PodActions): Go<boolean> {
    const { m, ctx, result } = this;
    const { pod } = this.input;
    if (changes.containersToKill.size > 0 || changes.containersToReset.length > 0)
      this.step('kill unwanted containers');
    for (const { id, name, message, reason } of changes.containersToKill.values()) {
      const values = { containerName: name, containerID: { Type: id.type, ID: id.id }, pod: kObj(pod) };
      m.log.manager.info(3, 'Killing unwanted container for pod', values);
      const killResult = result.add('KillContainer', name);
      try {
        yield* killContainer(m, ctx, {
          pod,
          containerID: id,
          containerName: name,
          message,
          reason,
          gracePeriodOverride: null,
          ordering: null,
        });
      } catch (err) {
        fail(killResult, KillReason.ErrKillContainer, messageOf(err));
        m.log.manager.error(err, 'killContainer for pod failed', values);
        return false;
      }
    }
    for (const { containerID: id, container, kill } of changes.containersToReset) {
      const values = { containerName: container.name, containerID: { Type: id.type, ID: id.id }, pod: kObj(pod) };
      m.log.manager.info(3, 'Removing container before pod restarts', values);
      const removeResult = result.add('RemoveContainer', container.name);
      if (kill) {
        m.log.manager.info(3, 'Killing container before removal', values);
        try {
          yield* killContainer(m, ctx, {
            pod,
            containerID: id,
            containerName: container.name,
            message: 'killing',
            reason: 'RestartAllContainers',
            gracePeriodOverride: 0,
            ordering: null,
          });
        } catch (err) {
          fail(removeResult, KillReason.ErrKillContainer, messageOf(err));
          m.log.manager.error(err, 'killContainer for pod failed', values);
          return false;
        }
      }
      try {
        yield* removeContainer(m, ctx, id.id, true);
      } catch (err) {
        fail(removeResult, 'RemoveContainerError', messageOf(err));
        m.log.manager.error(err, 'removeContainer for pod failed', values);
        return false;
      }
    }
    return true;
  }

  /** Steps 4 and 5: creates the sandbox (fidelity 2:S-07, 2:S-14, 2:S-16, 2:S-17). */
  private *createSandbox(changes: PodActions): Go<boolean> {
    const { m, ctx, result } = this;
    const { pod } = this.input;
    this.step('create sandbox');
    m.log.manager.info(4, 'Creating PodSandbox for pod', { pod: kObj(pod) });
    countStartedPod(m.kernel);
    if (pod.spec.hostUsers === false) metricsOf(m.kernel).startedUserNamespacedPods.add(1);
    const createResult = result.add('CreatePodSandbox', formatPod(pod));
    try {
      this.podSandboxID = yield* createPodSandbox(m, ctx, pod, changes.attempt);
    } catch (err) {
      // A pod that is going away while its sandbox is made is not a failure.
      const gone = m.rules.excusesSandboxOfGonePod && m.podStateProvider.isPodTerminationRequested(pod.metadata.uid);
      decide(m.kernel, pod, 'createPodSandbox', gone ? 'ignored: termination was requested' : 'failed', {
        error: messageOf(err),
      });
      if (gone) {
        m.log.manager.info(4, 'Pod was deleted and sandbox failed to be created', {
          pod: kObj(pod),
          podUID: pod.metadata.uid,
        });
        return false;
      }
      metricsOf(m.kernel).startedPodsErrors.add(1);
      fail(createResult, 'CreatePodSandboxError', err instanceof CreatePodSandboxFailure ? err.detail : messageOf(err));
      m.log.manager.error(err, 'CreatePodSandbox for pod failed', { pod: kObj(pod) });
      m.recorder.event(pod, 'Warning', EventReason.FailedCreatePodSandBox, m.rules.texts.sandboxFailed(messageOf(err)));
      return false;
    }
    // The pod's cgroup is made with the sandbox here.
    yield* m.updateActuatedPodLevelResources(pod);
    m.log.manager.info(4, 'Created PodSandbox for pod', { podSandboxID: this.podSandboxID, pod: kObj(pod) });
    let status: PodSandboxStatus | undefined;
    try {
      ({ status } = yield* m.runtimeService.podSandboxStatus(ctx, { podSandboxId: this.podSandboxID }));
    } catch (err) {
      m.recorder.event(
        pod,
        'Warning',
        EventReason.FailedStatusPodSandBox,
        `Unable to get pod sandbox status: ${messageOf(err)}`,
      );
      m.log.manager.error(err, 'Failed to get pod sandbox status; Skipping pod', { pod: kObj(pod) });
      result.fail(err instanceof Error ? err : new Error(messageOf(err)));
      return false;
    }
    if (!status) {
      result.fail(new Error('pod sandbox status is nil'));
      return false;
    }
    if (!isHostNetworkPod(pod)) {
      this.podIPs = determinePodSandboxIPs(m, kObj(pod), status);
      m.log.manager.info(4, 'Determined the ip for pod after sandbox changed', { IPs: this.podIPs, pod: kObj(pod) });
    }
    if (!m.rules.tellsSandboxReady) return true;
    this.step('sandbox ready callback');
    m.log.manager.info(4, 'Pod sandbox and network ready, invoking callback', { pod: kObj(pod), podIPs: this.podIPs });
    try {
      yield* m.runtimeHelper.onPodSandboxReady(ctx, pod);
    } catch (err) {
      m.log.manager.error(err, 'Failed to invoke sandbox ready callback, continuing with pod creation', {
        pod: kObj(pod),
      });
    }
    return true;
  }

  /** Steps 6 to 9. */
  private *startAll(
    changes: PodActions,
    config: PodSandboxConfig,
    volumes: ReadonlyMap<string, ImageVolumePull>,
  ): Go<void> {
    const { m } = this;
    const { pod } = this.input;
    for (const i of changes.ephemeralContainersToStart) {
      const container = pod.spec.ephemeralContainers?.[i] as EphemeralContainer;
      this.step('start ephemeral container', container.name);
      yield* this.start('ephemeral container', container, config, volumes);
    }
    for (const i of changes.initContainersToStart) {
      const container = pod.spec.initContainers?.[i] as Container;
      this.step('start init container', container.name);
      if (yield* this.start('init container', container, config, volumes)) {
        m.log.manager.info(4, 'Completed init container for pod', { containerName: container.name, pod: kObj(pod) });
        continue;
      }
      const values = { initContainerName: container.name, pod: kObj(pod) };
      if (!isRestartableInitContainer(container)) {
        m.log.manager.info(4, 'Failed to initialize the pod, as the init container failed to start, aborting', values);
        return;
      }
      m.log.manager.info(4, 'Failed to start the restartable init container for the pod, skipping', values);
    }
    this.initContainersFinished();
    const { containersToUpdate: update, updatePodResources, updatePodLevelResources } = changes;
    if (update.memory.length + update.cpu.length > 0 || updatePodResources || updatePodLevelResources) {
      this.step('resize running containers');
      yield* doPodResizeAction(m, this.ctx, pod, changes, this.result.add('ResizePodInPlace', formatPod(pod)));
    }
    for (const i of changes.containersToStart) {
      const container = pod.spec.containers[i] as Container;
      this.step('start container', container.name);
      yield* this.start('container', container, config, volumes);
    }
  }

  /** upstream: within SyncPod, podInitContainerTimeRecorder */
  private initContainersFinished(): void {
    const { pod, podStatus } = this.input;
    const { podStartup } = metricsOf(this.m.kernel);
    for (const c of podStatus.containerStatuses) {
      const init = pod.spec.initContainers?.find(({ name }) => name === c.name);
      if (init && !isRestartableInitContainer(init) && c.state === 'exited' && c.finishedAt !== 0n)
        podStartup.initContainerFinished(pod.metadata.uid, fromRuntimeTime(this.m.kernel, c.finishedAt));
    }
  }

  /**
   * Checks the back-off, then starts the container; the error goes into the result (fidelity 2:P-08). Returns true if
   * it started.
   */
  private *start(
    containerType: keyof typeof metricLabels,
    container: Container | EphemeralContainer,
    podSandboxConfig: PodSandboxConfig,
    volumes: ReadonlyMap<string, ImageVolumePull>,
  ): Go<boolean> {
    const { m, ctx } = this;
    const { pod, podStatus, pullSecrets, backOff } = this.input;
    const result = this.result.add('StartContainer', container.name);
    const values = { containerType, container: container.name, pod: kObj(pod) };
    const backoff = doBackOff(m, pod, container, podStatus, backOff);
    if (backoff) {
      result.error = backoff.error;
      result.message = backoff.message;
      m.log.manager.info(4, 'Backing Off restarting container in pod', values);
      return false;
    }
    const startup = metricsOf(m.kernel);
    const type = { container_type: metricLabels[containerType] };
    startup.startedContainers.add(1, type);
    m.log.manager.info(4, 'Creating container in pod', values);
    const imageVolumes = toKubeContainerImageVolumes(m, pod, container, volumes, result);
    if (result.error) return false;
    try {
      yield* startContainer(m, ctx, {
        podSandboxID: this.podSandboxID,
        podSandboxConfig,
        container,
        pod,
        podStatus,
        pullSecrets,
        podIP: this.podIPs[0] ?? '',
        podIPs: this.podIPs,
        imageVolumes,
      });
      countImageVolumes(startup, container, imageVolumes, null);
      if (containerType === 'init container' && !isRestartableInitContainer(container as Container))
        startup.podStartup.initContainerStarted(pod.metadata.uid);
      return true;
    } catch (err) {
      countImageVolumes(startup, container, imageVolumes, err);
      startup.startedContainersErrors.add(1, { ...type, code: messageOf(err) });
      const message = err instanceof StartContainerError ? err.detail : messageOf(err);
      result.error = err instanceof Error ? err : new Error(messageOf(err));
      result.message = message;
      if (messageOf(err) === ImageReason.ErrImagePullBackOff)
        m.log.manager.info(3, 'Container start failed in pod', {
          ...values,
          containerMessage: message,
          err: messageOf(err),
        });
      else
        m.log.manager.error(
          new Error(
            `${containerType} ${container.name} start failed in pod ${formatPod(pod)}: ${messageOf(err)}: ${message}`,
          ),
          'Unhandled Error',
          { logger: 'UnhandledError' },
        );
      return false;
    }
  }
}

/** upstream: incrementImageVolumeMetrics */
function countImageVolumes(
  metrics: KubeletMetrics,
  container: Container | EphemeralContainer,
  imageVolumes: ReadonlyMap<string, unknown> | null,
  err: unknown,
): void {
  if (!imageVolumes) return;
  metrics.imageVolumesRequested.add(imageVolumes.size);
  const failed =
    err instanceof StartContainerError &&
    err.reason === 'CreateContainerError' &&
    err.detail.startsWith('ImageVolumeMountFailed');
  const { imageVolumesFailed, imageVolumesMounted } = metrics;
  for (const { name } of container.volumeMounts ?? [])
    if (imageVolumes.has(name)) (failed ? imageVolumesFailed : imageVolumesMounted).add(1);
}

function fail(result: SyncResult, reason: string, message: string): void {
  result.error = new ReasonError(reason);
  result.message = message;
}
