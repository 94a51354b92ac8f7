import { type Container, formatPod, kObj, type Pod, type Probe, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { isNotFound } from '../../cri/index.js';
import type { Kernel } from '../../kernel/index.js';
import {
  type Context,
  frame,
  type Go,
  makeChan,
  receive,
  recv,
  Second,
  select,
  send,
  Timer,
  WaitGroup,
} from '../../kernel/index.js';
import { quoteGo } from '../../trace/index.js';
import { getContainerSpec, hasRestartableInitContainer } from '../container/helpers.js';
import { PodSyncResult, ReasonError, type SyncResult } from '../container/sync-result.js';
import { type ContainerID, formatContainerID, type RuntimePod } from '../container/types.js';
import type { EventRecorder } from '../events.js';
import { EventReason } from '../events.js';
import { type HandlerRunner, HookError } from '../lifecycle/handlers.js';
import type { KubeletParts } from '../parts/types.js';
import { decide } from './compute-helpers.js';
import { recordContainerEvent } from './kuberuntime-container-event.js';
import { TerminationOrdering } from './kuberuntime-termination-order.js';
import { getContainerInfoFromAnnotations, getContainerInfoFromLabels } from './labels.js';
import type { ContainerKillReason } from './pod-actions.js';
import type { RuntimeRules } from './rules.js';
import type { RuntimeServiceDeps } from './types.js';

/** Least seconds between the stop signal and the kill (fidelity 2:K-06). upstream: minimumGracePeriodInSeconds */
export const minimumGracePeriodInSeconds = 2;

/** upstream: container/sync_result.go */
export const KillReason = { ErrKillContainer: 'KillContainerError', ErrKillPodSandbox: 'KillPodSandboxError' } as const;

/** The parts of the runtime manager that a container is killed with. */
export interface KillContainerDeps extends RuntimeServiceDeps {
  readonly rules: Pick<RuntimeRules, 'killingEventAfterStop' | 'overrideReplacesGrace' | 'texts'>;
  readonly kernel: Kernel;
  readonly recorder: EventRecorder;
  readonly runner: HandlerRunner;
  /** Replaced parts. Default: none. */
  readonly parts?: KubeletParts;
}

export interface KillContainerInput {
  /** Null: the needed fields are restored from the container's labels. */
  readonly pod: Pod | null;
  readonly containerID: ContainerID;
  readonly containerName: string;
  /** Text of the event; '' for the usual one. */
  readonly message: string;
  readonly reason: ContainerKillReason;
  /** Seconds; null: none. */
  readonly gracePeriodOverride: number | null;
  readonly ordering: TerminationOrdering | null;
}

/**
 * Kills a container: event, preStop, wait for the turn, StopContainer (fidelity 2:K-01); throws the runtime's error.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).killContainer
 */
export function* killContainer(m: KillContainerDeps, ctx: Context, input: KillContainerInput): Go<void> {
  const { containerName, containerID, reason, message } = input;
  const args = {
    pod: input.pod ? kObj(input.pod) : null,
    container: containerName,
    containerID: formatContainerID(containerID),
    message,
    reason,
    gracePeriodOverride: input.gracePeriodOverride,
  };
  yield* frame('killContainer', args, () => kill(m, ctx, input));
}

function* kill(m: KillContainerDeps, ctx: Context, input: KillContainerInput): Go<void> {
  const { containerID, containerName, reason, gracePeriodOverride, ordering } = input;
  let pod: Pod;
  let spec: Container;
  if (input.pod) {
    const found = getContainerSpec(input.pod, containerName);
    if (!found)
      throw new Error(
        `failed to get containerSpec ${quoteGo(containerName)} (id=${quoteGo(formatContainerID(containerID))}) in pod ${quoteGo(formatPod(input.pod))} when killing container for reason ${quoteGo(input.message)}`,
      );
    pod = input.pod;
    spec = found;
  } else ({ pod, container: spec } = yield* restoreSpecsFromContainerLabels(m, ctx, containerID));

  const values = {
    pod: kObj(pod),
    podUID: pod.metadata.uid,
    containerName,
    containerID: formatContainerID(containerID),
  };
  const part = m.parts?.killContainer;
  let gracePeriod = part ? 0 : setTerminationGracePeriod(m, pod, spec, containerID, reason);
  const { killingEventAfterStop, overrideReplacesGrace, texts } = m.rules;
  const killing = () => {
    const text = texts.killing(spec.name, formatContainerID(containerID), input.message);
    recordContainerEvent(m, pod, spec, containerID.id, 'Normal', EventReason.KillingContainer, text);
  };
  if (!killingEventAfterStop) killing();
  const override = () => {
    if (gracePeriodOverride === null) return;
    gracePeriod = gracePeriodOverride;
    m.log.container.info(3, 'Killing container with a grace period override', { ...values, gracePeriod });
  };
  if (part) gracePeriod = yield* graceByPart(m, part, ctx, pod, spec, input);
  else {
    if (!overrideReplacesGrace) override();
    if (spec.lifecycle?.preStop && gracePeriod > 0)
      gracePeriod -= yield* executePreStopHook(m, ctx, pod, spec, containerID, gracePeriod);
    if (ordering && gracePeriod > 0) gracePeriod -= Math.trunc(yield* ordering.waitForTurn(containerName, gracePeriod));
    if (gracePeriod < minimumGracePeriodInSeconds) gracePeriod = minimumGracePeriodInSeconds;
  }
  if (overrideReplacesGrace) override();

  m.kernel.emit({
    kind: 'kill',
    container: spec.name,
    id: containerID.id,
    gracePeriod,
    ...(reason !== '' && reason !== 'Unknown' && { reason }),
    ...podRef(pod),
  });
  m.log.container.info(2, 'Killing container with a grace period', { ...values, gracePeriod });
  try {
    yield* m.runtimeService.stopContainer(ctx, { containerId: containerID.id, timeout: String(gracePeriod) });
  } catch (err) {
    if (!isNotFound(err)) {
      m.log.container.error(err, 'Container termination failed with gracePeriod', { ...values, gracePeriod });
      if (killingEventAfterStop) killing();
      throw err;
    }
  }
  m.log.container.info(3, 'Container exited normally', values);
  if (killingEventAfterStop) killing();
  ordering?.containerTerminated(containerName);
}

/** Seconds that a replaced part gives a container: it says whether the hook runs, and then what is left. */
function* graceByPart(
  m: KillContainerDeps,
  part: NonNullable<KubeletParts['killContainer']>,
  ctx: Context,
  pod: Pod,
  spec: Container,
  { containerID, containerName, reason, gracePeriodOverride, ordering }: KillContainerInput,
): Go<number> {
  const facts = {
    container: spec.name,
    reason: reason === 'LivenessProbe' || reason === 'StartupProbe' ? reason : ('' as const),
    deletionGracePeriodSeconds: pod.metadata.deletionGracePeriodSeconds ?? null,
    terminationGracePeriodSeconds: pod.spec.terminationGracePeriodSeconds ?? null,
    livenessGracePeriodSeconds: spec.livenessProbe?.terminationGracePeriodSeconds ?? null,
    startupGracePeriodSeconds: spec.startupProbe?.terminationGracePeriodSeconds ?? null,
    gracePeriodOverride,
    hasPreStop: spec.lifecycle?.preStop !== undefined,
  };
  const begin = part(null, { ...facts, event: 'kill', spentSeconds: 0 });
  const { gracePeriodSeconds } = begin;
  let spentSeconds = 0;
  if (begin.runPreStop) spentSeconds += yield* executePreStopHook(m, ctx, pod, spec, containerID, gracePeriodSeconds);
  const left = gracePeriodSeconds - spentSeconds;
  if (ordering && left > 0) spentSeconds += Math.trunc(yield* ordering.waitForTurn(containerName, left));
  return part(begin.state, { ...facts, event: 'stop', spentSeconds }).gracePeriodSeconds;
}

/** Seconds that a container gets to stop (fidelity 2:K-02). upstream: setTerminationGracePeriod */
function setTerminationGracePeriod(
  m: KillContainerDeps,
  pod: Pod,
  spec: Container,
  containerID: ContainerID,
  reason: ContainerKillReason,
): number {
  const { deletionGracePeriodSeconds: deletion } = pod.metadata;
  const { terminationGracePeriodSeconds: ofPod } = pod.spec;
  const decided = (seconds: number, why: string): number => {
    decide(
      m.kernel,
      pod,
      'setTerminationGracePeriod',
      String(seconds),
      { why, reason, deletionGracePeriodSeconds: deletion ?? null, terminationGracePeriodSeconds: ofPod ?? null },
      spec.name,
    );
    return seconds;
  };
  if (typeof deletion === 'number') return decided(deletion, 'deletionGracePeriodSeconds');
  if (typeof ofPod !== 'number') return decided(minimumGracePeriodInSeconds, 'neither is set');
  const ofProbe = (probe: Probe | undefined, probeType: string): number | null => {
    const seconds = probe?.terminationGracePeriodSeconds;
    if (typeof seconds !== 'number') return null;
    if (seconds > ofPod)
      m.log.container.info(4, 'Using probe-level grace period that is greater than the pod-level grace period', {
        pod: kObj(pod),
        podUID: pod.metadata.uid,
        containerName: spec.name,
        containerID: formatContainerID(containerID),
        probeType,
        probeGracePeriod: seconds,
        podGracePeriod: ofPod,
      });
    return seconds;
  };
  const own =
    reason === 'StartupProbe'
      ? ofProbe(spec.startupProbe, 'StartupProbe')
      : reason === 'LivenessProbe'
        ? ofProbe(spec.livenessProbe, 'LivenessProbe')
        : null;
  return own !== null
    ? decided(own, "the probe's terminationGracePeriodSeconds")
    : decided(ofPod, 'terminationGracePeriodSeconds');
}

/**
 * Runs the hook, at most `gracePeriod` seconds awaited but never cancelled; whole seconds that it took (fidelity
 * 2:K-04).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).executePreStopHook
 */
function* executePreStopHook(
  m: KillContainerDeps,
  ctx: Context,
  pod: Pod,
  spec: Container,
  containerID: ContainerID,
  gracePeriod: number,
): Go<number> {
  const preStop = spec.lifecycle?.preStop;
  if (!preStop) return 0;
  return yield* frame('executePreStopHook', { pod: kObj(pod), container: spec.name, gracePeriod }, function* () {
    const { kernel } = m;
    const values = {
      pod: kObj(pod),
      podUID: pod.metadata.uid,
      containerName: spec.name,
      containerID: formatContainerID(containerID),
    };
    m.log.container.info(3, 'Running preStop hook', values);
    const start = kernel.now();
    const done = makeChan<never>(kernel, `preStop done ${spec.name}`);
    kernel.go(
      `preStop ${spec.name}`,
      function* () {
        try {
          yield* m.runner.run(ctx, containerID, pod, spec, preStop);
        } catch (err) {
          m.log.container.error(err, 'PreStop hook failed', values);
          const detail = err instanceof HookError ? err.detail : messageOf(err);
          recordContainerEvent(
            m,
            pod,
            spec,
            containerID.id,
            'Warning',
            EventReason.FailedPreStopHook,
            m.rules.texts.preStopFailed(detail),
          );
        } finally {
          done.close();
        }
      },
      { place: 'pod/runtime', uid: pod.metadata.uid },
    );
    const timer = new Timer(kernel, gracePeriod * Second, { name: `preStop grace ${spec.name}` });
    const r = yield* select({ expired: recv(timer.c), done: recv(done) });
    timer.stop();
    if (r.case === 'expired')
      m.log.container.info(2, 'PreStop hook not completed in grace period', { ...values, gracePeriod });
    else m.log.container.info(3, 'PreStop hook completed', values);
    return Math.trunc((kernel.now() - start) / Second);
  });
}

/**
 * Restores as much of pod and container as a kill needs, from labels and annotations (fidelity 2:K-12).
 * upstream: restoreSpecsFromContainerLabels
 */
function* restoreSpecsFromContainerLabels(
  m: KillContainerDeps,
  ctx: Context,
  containerID: ContainerID,
): Go<{ pod: Pod; container: Container }> {
  const { status } = yield* m.runtimeService.containerStatus(ctx, { containerId: containerID.id });
  if (!status) throw new Error('container status is nil');
  const l = getContainerInfoFromLabels(status.labels);
  const a = getContainerInfoFromAnnotations(status.annotations);
  const container: Container = {
    name: l.containerName,
    ports: a.containerPorts,
    terminationMessagePath: a.terminationMessagePath,
  };
  if (a.preStopHandler) container.lifecycle = { preStop: a.preStopHandler };
  const pod: Pod = {
    metadata: {
      uid: l.podUID,
      name: l.podName,
      namespace: l.podNamespace,
      deletionGracePeriodSeconds: a.podDeletionGracePeriod ?? undefined,
    },
    spec: { containers: [], terminationGracePeriodSeconds: a.podTerminationGracePeriod ?? undefined },
    status: {},
  };
  return { pod, container };
}

/**
 * Kills all running containers at the same time; results in the order of completion (fidelity 2:K-08).
 * upstream: killContainersWithSyncResult
 */
function* killContainersWithSyncResult(
  m: KillContainerDeps,
  ctx: Context,
  pod: Pod | null,
  runningPod: RuntimePod,
  gracePeriodOverride: number | null,
): Go<SyncResult[]> {
  const { kernel } = m;
  const { containers } = runningPod;
  const results = makeChan<SyncResult>(kernel, 'containerResults', containers.length, {
    describe: (r) => ({ container: r.target, error: r.error?.message ?? null }),
  });
  const wg = new WaitGroup(kernel, 'killContainers');
  wg.add(containers.length);
  const ordering =
    pod && hasRestartableInitContainer(pod)
      ? new TerminationOrdering(
          kernel,
          pod,
          containers.map((c) => c.name),
        )
      : null;
  for (const container of containers)
    kernel.go(
      `killContainer ${container.name}`,
      function* () {
        const result: SyncResult = { action: 'KillContainer', target: container.name, error: null, message: '' };
        try {
          yield* killContainer(m, ctx, {
            pod,
            containerID: container.id,
            containerName: container.name,
            message: '',
            reason: 'Unknown',
            gracePeriodOverride,
            ordering,
          });
        } catch (err) {
          result.error = new ReasonError(KillReason.ErrKillContainer);
          result.message = messageOf(err);
          m.log.container.error(err, 'Kill container failed', {
            pod: kObj({ metadata: runningPod }),
            podUID: runningPod.id,
            containerName: container.name,
            containerID: { Type: container.id.type, ID: container.id.id },
          });
        }
        yield* send(results, result);
        wg.done();
      },
      { place: 'pod/runtime', uid: runningPod.id },
    );
  yield* wg.wait();
  results.close();
  const out: SyncResult[] = [];
  for (;;) {
    const [result, ok] = yield* receive(results);
    if (!ok) return out;
    out.push(result);
  }
}

/**
 * Stops what runs of a pod, then every sandbox, even if a container would not stop. Nothing is removed.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).killPodWithSyncResult
 */
export function* killPodWithSyncResult(
  m: KillContainerDeps,
  ctx: Context,
  pod: Pod | null,
  runningPod: RuntimePod,
  gracePeriodOverride: number | null,
): Go<PodSyncResult> {
  const args = {
    pod: kObj({ metadata: runningPod }),
    uid: runningPod.id,
    containers: runningPod.containers.map((c) => c.name),
    sandboxes: runningPod.sandboxes.length,
    gracePeriodOverride,
  };
  return yield* frame('killPodWithSyncResult', args, function* () {
    const result = new PodSyncResult();
    result.addSyncResult(...(yield* killContainersWithSyncResult(m, ctx, pod, runningPod, gracePeriodOverride)));
    const killSandboxResult = result.add('KillPodSandbox', runningPod.id);
    for (const sandbox of runningPod.sandboxes) {
      try {
        yield* m.runtimeService.stopPodSandbox(ctx, { podSandboxId: sandbox.id.id });
      } catch (err) {
        if (isNotFound(err)) continue;
        killSandboxResult.error = new ReasonError(KillReason.ErrKillPodSandbox);
        killSandboxResult.message = messageOf(err);
        m.log.manager.error(null, 'Failed to stop sandbox', {
          podSandboxID: { Type: sandbox.id.type, ID: sandbox.id.id },
        });
      }
    }
    return result;
  });
}
