import { getContainerStatus, isRestartableInitContainer } from '../../api/pod/podutil.js';
import { fromTime } from '../../api/time.js';
import {
  type Container,
  type ContainerStatus,
  kObj,
  type Pod,
  type PodStatus,
  type Probe,
  podRef,
} from '../../api/types.js';
import {
  type Chan,
  frame,
  type Go,
  type Kernel,
  makeChan,
  recv,
  Second,
  select,
  sleep,
  Ticker,
} from '../../kernel/index.js';
import type { Json, Micros, ProbeType } from '../../trace/index.js';
import { shouldAllContainersRestart } from '../container/helpers.js';
import { containerShouldRestart } from '../container/restart-policy.js';
import { type ContainerID, formatContainerID } from '../container/types.js';
import { type FeatureConfig, featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { Labels } from '../metrics/registry.js';
import type { KubeletParts } from '../parts/types.js';
import type { StatusManager } from '../status/types.js';
import { probeDefaults, probeOf, probeTypeName } from './probe-spec.js';
import type { Prober } from './prober.js';
import type { WritableResultsManager } from './results.js';
import type { ProbeResult } from './types.js';

/** The part of its manager that a worker needs. */
export interface WorkerHost {
  readonly kernel: Kernel;
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
  readonly prober: Prober;
  /** The time at which the manager, so the kubelet, started. */
  readonly start: Micros;
  readonly config: FeatureConfig;
  /** Gate ChangeContainerStatusOnKubeletRestart: what ran before the kubelet started counts as not probed yet. */
  readonly changesStatusOnRestart: boolean;
  /** True if other probes wait until a container has started. */
  readonly startupProbes: boolean;
  readonly parts: Pick<KubeletParts, 'probeResult'>;
  /** Called by the worker when it has ended. */
  removeWorker(worker: Worker): void;
}

/**
 * A container that started more than this before the kubelet was running already.
 * upstream: kubeletRestartGracePeriod
 */
export const kubeletRestartGracePeriod = 10 * Second;

/** Takes `containerd://id` apart. upstream: kubecontainer.ParseContainerID */
export function parseContainerID(text: string): ContainerID {
  const at = text.indexOf('://');
  return at < 0 ? { type: '', id: '' } : { type: text.slice(0, at), id: text.slice(at + 3) };
}

/** Result until the first probe has run. upstream: newWorker */
const initialValues: Record<ProbeType, ProbeResult> = { readiness: 'Failure', liveness: 'Success', startup: 'Unknown' };

/**
 * Runs one probe of one container again and again, in a goroutine of its own.
 * upstream: pkg/kubelet/prober/worker.go worker
 */
export class Worker {
  readonly stopCh: Chan<true>;
  readonly manualTriggerCh: Chan<true>;
  readonly spec: Probe;
  private readonly numbers: ReturnType<typeof probeDefaults>;
  private readonly log: Logger;
  /** The labels of its metrics, and those of each result. */
  private readonly metricLabels: Labels;
  private readonly resultLabels: Readonly<Record<'Success' | 'Failure', Labels>>;
  /** The last container seen. */
  private containerID: ContainerID | null = null;
  private lastResult: ProbeResult | null = null;
  private resultRun = 0;
  /** No probing until there is a new container. */
  private onHold = false;
  /** The memory of a replaced part. */
  private state: Json = null;

  constructor(
    private readonly host: WorkerHost,
    readonly probeType: ProbeType,
    /** The spec as it was when the worker was made (fidelity 2:W-07). */
    readonly pod: Pod,
    readonly container: Container,
    private readonly results: WritableResultsManager,
  ) {
    const { kernel } = host;
    this.spec = probeOf(container, probeType) as Probe;
    this.numbers = probeDefaults(this.spec);
    this.log = new Logger(kernel, 'worker.go');
    const { name, namespace, uid } = pod.metadata;
    const labels = { probe_type: probeTypeName(probeType), container: container.name, pod: name, namespace };
    this.metricLabels = labels;
    this.resultLabels = {
      Success: { ...labels, result: 'successful', pod_uid: uid },
      Failure: { ...labels, result: 'failed', pod_uid: uid },
    };
    this.stopCh = makeChan(kernel, `${this.name} stopCh`, 1, { quiet: true });
    this.manualTriggerCh = makeChan(kernel, `${this.name} manualTriggerCh`, 1);
  }

  /** Returns true if a container that ended so may run again, which is worth waiting for. */
  private mayRunAgain(status: PodStatus, exitCode: number): boolean {
    const { config } = this.host;
    const { pod, container } = this;
    if (!featureEnabled(config, 'ContainerRestartRules')) {
      const sidecar = pod.spec.initContainers?.some((c) => c.name === container.name && isRestartableInitContainer(c));
      return pod.spec.restartPolicy !== 'Never' || sidecar === true;
    }
    return (
      containerShouldRestart(config, container, pod.spec, exitCode) ||
      (featureEnabled(config, 'RestartAllContainersOnContainerExits') && shouldAllContainersRestart(pod, null, status))
    );
  }

  get name(): string {
    return `probe ${this.probeType} ${kObj(this.pod)}/${this.container.name}`;
  }

  /** Asks it to end; may be called again. upstream: (*worker).stop */
  stop(): void {
    this.stopCh.trySend(true);
  }

  /** Triggers a run now; false when one is already triggered. */
  trigger(): boolean {
    return this.manualTriggerCh.trySend(true);
  }

  /** upstream: (*worker).run */
  *run(): Go<void> {
    const { kernel, start } = this.host;
    const period = this.numbers.periodSeconds * Second;
    // After a restart of the kubelet the probes of all pods would come at once (fidelity 2:W-02).
    if (period > kernel.now() - start) yield* sleep(Math.floor(kernel.random.float() * period));
    const ticker = new Ticker(kernel, period, { name: `${this.name} ticker` });
    try {
      while (yield* this.doProbe()) {
        const s = yield* select({ stop: recv(this.stopCh), tick: recv(ticker.c), manual: recv(this.manualTriggerCh) });
        if (s.case === 'stop') break;
        if (s.case === 'manual') {
          ticker.reset(period);
          this.log.info(4, 'Triggered Probe by manual run', this.ref({ probeType: probeTypeName(this.probeType) }));
        }
      }
    } finally {
      ticker.stop();
      if (this.containerID) this.results.remove(this.containerID);
      this.host.removeWorker(this);
      this.uncount();
    }
  }

  /**
   * Makes one run; returns false when the worker is to end. A panic in it is logged and survived.
   * upstream: pkg/kubelet/prober/worker.go (*worker).doProbe
   */
  private *doProbe(): Go<boolean> {
    try {
      return yield* frame(
        'doProbe',
        { ...podRef(this.pod), container: this.container.name, probeType: this.probeType },
        () => this.probeOnce(),
        (keepGoing) => ({ keepGoing }),
      );
    } catch (error) {
      this.log.error(error, 'Observed a panic');
      return true;
    }
  }

  private *probeOnce(): Go<boolean> {
    const { kernel, statusManager, prober } = this.host;
    const { pod, container, probeType, numbers } = this;
    const startTime = kernel.now();
    const status = statusManager.getPodStatus(pod.metadata.uid);
    if (!status) {
      this.log.info(3, 'No status for pod', { pod: kObj(pod) });
      return this.decide('wait', 'no status for the pod');
    }
    if (status.phase === 'Failed' || status.phase === 'Succeeded') {
      this.log.info(3, 'Pod is terminated, exiting probe worker', { pod: kObj(pod), phase: status.phase });
      return this.decide('end', `the pod is ${status.phase}`, false);
    }
    const c = [status.containerStatuses, status.initContainerStatuses]
      .map((list) => getContainerStatus(list, container.name))
      .find((s) => s?.containerID);
    if (!c) {
      this.log.info(3, 'Probe target container not found', { pod: kObj(pod), containerName: container.name });
      return this.decide('wait', 'no container ID in the status');
    }
    if (!this.containerID || formatContainerID(this.containerID) !== c.containerID) yield* this.adopt(c);
    const containerID = this.containerID as unknown as ContainerID;
    if (this.onHold) return this.decide('wait', 'on hold until there is a new container');

    const { running, terminated } = c.state;
    if (!running) {
      this.log.info(3, 'Non-running container probed', { pod: kObj(pod), containerName: container.name });
      yield* this.results.set(containerID, 'Failure', pod, container.name);
      if (!terminated) return this.decide('wait', 'the container is not running');
      const again = this.mayRunAgain(status, terminated.exitCode);
      return this.decide(again ? 'wait' : 'end', `the container exited with ${terminated.exitCode}`, again);
    }
    if (pod.metadata.deletionTimestamp && probeType !== 'readiness') {
      this.log.info(3, 'Pod deletion requested, setting probe result to success', {
        probeType: probeTypeName(probeType),
        pod: kObj(pod),
        containerName: container.name,
      });
      if (probeType === 'startup')
        this.log.info(0, 'Pod deletion requested before container has fully started', {
          pod: kObj(pod),
          containerName: container.name,
        });
      yield* this.results.set(containerID, 'Success', pod, container.name);
      return this.decide('end', 'the pod is being deleted', false);
    }
    const age = Math.trunc((kernel.now() - (fromTime(kernel, running.startedAt) ?? kernel.now())) / Second);
    if (age < numbers.initialDelaySeconds)
      return this.decide('wait', 'within initialDelaySeconds', true, {
        ageSeconds: age,
        initialDelaySeconds: numbers.initialDelaySeconds,
      });
    if (c.started && probeType === 'startup') return this.decide('wait', 'the container has started');
    if (!c.started && probeType !== 'startup' && this.host.startupProbes)
      return this.decide('wait', 'the container has not started');

    const outcome = yield* prober.probe(probeType, pod, status, container, containerID);
    const emit = (run: number): void => {
      const threshold = outcome.result === 'Success' ? numbers.successThreshold : numbers.failureThreshold;
      kernel.emitCause({
        kind: 'probe',
        container: container.name,
        probeType,
        outcome: outcome.outcome,
        output: outcome.output,
        run,
        threshold,
        ...podRef(pod),
      });
    };
    const { probeResult } = this.host.parts;
    if (probeResult) {
      if (outcome.result !== null) this.count(outcome.result, kernel.now() - startTime);
      emit(0);
      yield* this.decideBy(probeResult, outcome.result, containerID);
      return true;
    }
    // An error says nothing about the container (fidelity 2:W-14).
    if (outcome.result === null) {
      emit(this.resultRun);
      return true;
    }
    this.count(outcome.result, kernel.now() - startTime);
    if (this.lastResult === outcome.result) this.resultRun++;
    else {
      this.lastResult = outcome.result;
      this.resultRun = 1;
    }
    emit(this.resultRun);
    const threshold = outcome.result === 'Failure' ? numbers.failureThreshold : numbers.successThreshold;
    if (this.resultRun < threshold)
      return this.decide('below threshold', outcome.result, true, { run: this.resultRun, threshold });
    yield* this.results.set(containerID, outcome.result, pod, container.name);
    if ((probeType === 'liveness' && outcome.result === 'Failure') || probeType === 'startup') {
      // The container will be restarted, or needs no startup probe any more (fidelity 2:W-11).
      this.onHold = true;
      this.resultRun = 0;
    }
    return true;
  }

  /** Does what a replaced part says of an outcome. */
  private *decideBy(
    part: NonNullable<KubeletParts['probeResult']>,
    result: 'Success' | 'Failure' | null,
    containerID: ContainerID,
  ): Go<void> {
    const { successThreshold, failureThreshold } = this.numbers;
    const said = part(this.state, {
      probeType: this.probeType,
      container: this.container.name,
      result: result ?? 'Unknown',
      successThreshold,
      failureThreshold,
    });
    this.state = said.state;
    if (said.publish !== null) yield* this.results.set(containerID, said.publish, this.pod, this.container.name);
    if (said.hold) this.onHold = true;
  }

  /** upstream: ProberResults, ProberDuration (fidelity 3:MET-11) */
  private count(result: 'Success' | 'Failure', took: Micros): void {
    const { proberResults, proberDuration } = metricsOf(this.host.kernel);
    proberResults.add(1, this.resultLabels[result]);
    if (result === 'Success') proberDuration.observe(took / Second, this.metricLabels);
  }

  /** Removes the container's metrics together with its worker. */
  private uncount(): void {
    const { proberResults, proberDuration } = metricsOf(this.host.kernel);
    proberResults.delete({ ...this.metricLabels, pod_uid: this.pod.metadata.uid });
    proberDuration.delete(this.metricLabels);
  }

  /** Takes over a container not seen before: the old one's result goes, probing resumes (fidelity 2:W-04, 2:W-05). */
  private *adopt(c: ContainerStatus): Go<void> {
    const { kernel, start, changesStatusOnRestart } = this.host;
    if (this.containerID) this.results.remove(this.containerID);
    const id = parseContainerID(c.containerID as string);
    this.containerID = id;
    const startedAt = fromTime(kernel, c.state.running?.startedAt);
    const isRestart = !changesStatusOnRestart && startedAt !== null && startedAt < start - kubeletRestartGracePeriod;
    this.decide(
      'new container',
      isRestart
        ? 'it ran before the kubelet started: no initial result'
        : `initial result ${initialValues[this.probeType]}`,
    );
    const sidecar =
      !changesStatusOnRestart &&
      isRestartableInitContainer(this.container) &&
      (this.pod.spec.initContainers ?? []).some((i) => i.name === this.container.name);
    if (sidecar && this.probeType === 'startup' && c.started)
      yield* this.results.set(id, 'Success', this.pod, this.container.name);
    if (!isRestart) yield* this.results.set(id, initialValues[this.probeType], this.pod, this.container.name);
    this.onHold = false;
  }

  /** Records why the probe did or did not run; returns `keepGoing`. */
  private decide(
    verdict: string,
    why: string,
    keepGoing = true,
    values: { readonly [key: string]: Json } = {},
  ): boolean {
    this.host.kernel.emit({
      kind: 'decision',
      rule: 'doProbe',
      verdict,
      values: { why, probeType: this.probeType, ...values },
      container: this.container.name,
      ...podRef(this.pod),
    });
    return keepGoing;
  }

  private ref(first: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
    return { ...first, pod: kObj(this.pod), podUID: this.pod.metadata.uid, containerName: this.container.name };
  }
}
