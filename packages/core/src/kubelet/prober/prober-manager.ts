import { isRestartableInitContainer, podConditionStatus } from '../../api/pod/podutil.js';
import { fromTime } from '../../api/time.js';
import { type Container, type ContainerStatus, kObj, type Pod, type PodStatus } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import type { Micros, ProbeType } from '../../trace/index.js';
import type { Runtime } from '../container/types.js';
import { changesStatusOnRestart } from '../emulation.js';
import type { EventRecorder } from '../events.js';
import { defaultGates } from '../features.js';
import { Logger } from '../klog.js';
import type { KubeletParts } from '../parts/types.js';
import type { StatusManager } from '../status/types.js';
import { probeOf, probeTypeName } from './probe-spec.js';
import { Prober } from './prober.js';
import type { WritableResultsManager } from './results.js';
import type { ProberManager } from './types.js';
import { kubeletRestartGracePeriod, parseContainerID, Worker, type WorkerHost } from './worker.js';

export interface ProberManagerOptions {
  readonly kernel: Kernel;
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
  readonly livenessManager: WritableResultsManager;
  readonly readinessManager: WritableResultsManager;
  readonly startupManager: WritableResultsManager;
  readonly runtime: Pick<Runtime, 'runInContainer'>;
  readonly recorder: EventRecorder;
  readonly probeTransport: ProbeTransport;
  readonly config?: ProberConfig;
  /** False if no probe waits for a startup probe, and no status says whether a container has started. Default: true. */
  readonly startupProbes?: boolean;
  /** Replaced parts. Default: none. */
  readonly parts?: Pick<KubeletParts, 'probeResult'>;
}

/**
 * One worker per probe of each container, and ready and started from their results.
 * upstream: pkg/kubelet/prober/prober_manager.go NewManager
 */
export function newProberManager(options: ProberManagerOptions): ProberManager {
  return new Manager(options);
}

const keyOf = (uid: string, container: string, type: ProbeType): string => `${uid} ${container} ${type}`;

/** Regular containers, then sidecars: those whose probes count. */
const probed = (pod: Pod): Container[] => [
  ...pod.spec.containers,
  ...(pod.spec.initContainers ?? []).filter(isRestartableInitContainer),
];

type ProberConfig = Parameters<typeof changesStatusOnRestart>[0];

class Manager implements ProberManager, WorkerHost {
  readonly kernel: Kernel;
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
  readonly prober: Prober;
  readonly start: Micros;
  readonly config: ProberConfig;
  readonly changesStatusOnRestart: boolean;
  readonly startupProbes: boolean;
  readonly parts: Pick<KubeletParts, 'probeResult'>;
  private readonly log: Logger;
  private readonly workers = new Map<string, Worker>();

  constructor(private readonly o: ProberManagerOptions) {
    this.kernel = o.kernel;
    this.statusManager = o.statusManager;
    this.prober = new Prober(o);
    this.start = o.kernel.now();
    this.config = o.config ?? defaultGates;
    this.parts = o.parts ?? {};
    this.startupProbes = o.startupProbes ?? true;
    this.changesStatusOnRestart = changesStatusOnRestart(this.config);
    this.log = new Logger(o.kernel, 'prober_manager.go');
  }

  addPod(pod: Pod): void {
    const managers = {
      startup: this.o.startupManager,
      readiness: this.o.readinessManager,
      liveness: this.o.livenessManager,
    };
    for (const c of probed(pod))
      for (const type of ['startup', 'readiness', 'liveness'] as const) {
        if (!probeOf(c, type)) continue;
        const key = keyOf(pod.metadata.uid, c.name, type);
        if (this.workers.has(key)) {
          this.log.info(8, `${probeTypeName(type)} probe already exists for container`, {
            pod: kObj(pod),
            containerName: c.name,
          });
          // As in upstream, the first worker that exists makes it skip the whole pod.
          return;
        }
        const worker = new Worker(this, type, pod, c, managers[type]);
        this.workers.set(key, worker);
        this.kernel.go(worker.name, () => worker.run(), { place: 'probes', daemon: true });
      }
  }

  stopLivenessAndStartup(pod: Pod): void {
    for (const c of pod.spec.containers)
      for (const type of ['liveness', 'startup'] as const) this.worker(pod, c.name, type)?.stop();
  }

  removePod(pod: Pod): void {
    for (const c of probed(pod))
      for (const type of ['readiness', 'liveness', 'startup'] as const) this.worker(pod, c.name, type)?.stop();
  }

  cleanupPods(desiredPods: ReadonlySet<string>): readonly string[] {
    const dropped = new Set<string>();
    for (const worker of this.workers.values()) {
      const { uid } = worker.pod.metadata;
      if (desiredPods.has(uid)) continue;
      worker.stop();
      dropped.add(uid);
    }
    return [...dropped];
  }

  removeWorker(worker: Worker): void {
    const key = keyOf(worker.pod.metadata.uid, worker.container.name, worker.probeType);
    if (this.workers.get(key) === worker) this.workers.delete(key);
  }

  updatePodStatus(pod: Pod, status: PodStatus): void {
    for (const c of status.containerStatuses ?? []) {
      const started = this.startupProbes ? this.isContainerStarted(pod, c) : c.state.running !== undefined;
      if (this.startupProbes) c.started = started;
      // Unless the container has started, ready keeps its value, false.
      if (started)
        c.ready = this.isReady(
          pod,
          c,
          pod.spec.containers.find((spec) => spec.name === c.name),
        );
    }
    const init = pod.spec.initContainers ?? [];
    for (const [i, c] of (status.initContainerStatuses ?? []).entries()) {
      c.started = this.isContainerStarted(pod, c);
      const spec = init[i];
      if (spec?.name !== c.name) {
        this.log.info(4, 'Mismatch between pod spec and status, likely programmer error', {
          pod: kObj(pod),
          containerName: c.name,
        });
        continue;
      }
      if (!isRestartableInitContainer(spec)) {
        if (c.state.terminated?.exitCode === 0) c.ready = true;
      } else if (c.started) c.ready = this.isReady(pod, c, spec);
    }
    inFieldOrder(status);
  }

  /** upstream: (*manager).isContainerStarted (fidelity 2:W-19) */
  private isContainerStarted(pod: Pod, c: ContainerStatus): boolean {
    if (!c.state.running) return false;
    const result = this.o.startupManager.get(parseContainerID(c.containerID ?? ''));
    if (result !== undefined) return result === 'Success';
    if (c.started && !this.changesStatusOnRestart) return true;
    return !this.worker(pod, c.name, 'startup');
  }

  /** Returns true if a started container is ready (fidelity 2:W-20). If no result exists, its worker runs at once. */
  private isReady(pod: Pod, c: ContainerStatus, spec: Container | undefined): boolean {
    if (!c.state.running) return false;
    const result = this.o.readinessManager.get(parseContainerID(c.containerID ?? ''));
    if (result === 'Success') return true;
    const worker = this.worker(pod, c.name, 'readiness');
    if (worker && !worker.trigger())
      this.log.info(0, 'Failed to trigger a manual run', { probe: probeTypeName('readiness') });
    return spec && !this.changesStatusOnRestart
      ? this.readyOnKubeletRestart(!worker, pod, c, spec, result !== undefined)
      : !worker;
  }

  /**
   * Returns true for a container that ran before the kubelet started and was ready: it keeps that until it is probed
   * (fidelity 2:W-05).
   * upstream: (*manager).setReadyStateOnKubeletRestart
   */
  private readyOnKubeletRestart(
    ready: boolean,
    pod: Pod,
    c: ContainerStatus,
    spec: Container,
    hasResult: boolean,
  ): boolean {
    const startedAt = fromTime(this.kernel, c.state.running?.startedAt);
    if (startedAt === null || startedAt >= this.start - kubeletRestartGracePeriod) return ready;
    if (!hasResult) ready = true;
    return spec.readinessProbe && podConditionStatus(pod.status, 'Ready') !== 'True' ? false : ready;
  }

  private worker(pod: Pod, container: string, type: ProbeType): Worker | undefined {
    return this.workers.get(keyOf(pod.metadata.uid, container, type));
  }
}

/** Puts `started` where the API has it, after the container's ID. */
function inFieldOrder(status: PodStatus): void {
  for (const key of ['containerStatuses', 'initContainerStatuses'] as const) {
    const list = status[key];
    if (!list) continue;
    status[key] = list.map(
      ({ name, state, lastState, ready, restartCount, image, imageID, containerID, started, ...rest }) => ({
        name,
        state,
        lastState,
        ready,
        restartCount,
        image,
        imageID,
        ...(containerID === undefined ? {} : { containerID }),
        ...(started === undefined ? {} : { started }),
        ...rest,
      }),
    );
  }
}
