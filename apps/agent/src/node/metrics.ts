/** The kubelet's metrics under its own names, counted from trace records. upstream: pkg/kubelet/metrics/metrics.go */
import type { ObservedContainer, RecordOf, RecordSink, Seq, TraceRecord, UpdateType } from '@syncloop/core/trace';
import { defaultBuckets, exponentialBuckets, Registry } from './prometheus.js';

/** What the kubelet is asked at each scrape. */
export interface MetricsSource {
  readonly nodeName: string;
  readonly cgroupVersion: number;
  /** Of desired and of active pods: whether each is static. */
  desired(): readonly boolean[];
  active(): readonly boolean[];
  /** Each pod that has a worker, as labels. */
  workers(): readonly WorkerLabels[];
  isInitContainer(uid: string, container: string): boolean;
}

/** Where a worker's pod is in its life, whether the configuration has it, and whether it is static. */
export interface WorkerLabels {
  readonly lifecycle: 'sync' | 'terminating' | 'terminated';
  readonly config: 'desired' | 'orphan';
  readonly static: 'true' | '' | 'unknown';
}

const second = 1_000_000;
const podStartBuckets = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];
const pullBuckets = [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];

/** Names that do not follow from the method's. upstream: pkg/kubelet/kuberuntime/instrumented_services.go */
const operations: Readonly<Record<string, string>> = {
  RunPodSandbox: 'run_podsandbox',
  StopPodSandbox: 'stop_podsandbox',
  RemovePodSandbox: 'remove_podsandbox',
  PodSandboxStatus: 'podsandbox_status',
  ListPodSandbox: 'list_podsandbox',
  PodSandboxStats: 'podsandbox_stats',
  ListPodSandboxStats: 'list_podsandbox_stats',
  ListPodSandboxMetrics: 'list_podsandbox_metrics',
  UpdatePodSandboxResources: 'update_podsandbox_resources',
  UpdateContainerResources: 'update_container',
};

const known = new Map(Object.entries(operations));

/** `CreateContainer` as `create_container`. */
export function operationType(method: string): string {
  let name = known.get(method);
  if (name === undefined) {
    name = method.replace(/(?<=[a-z])[A-Z]/g, (c) => `_${c}`).toLowerCase();
    known.set(method, name);
  }
  return name;
}

/** upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go ErrCreateContainer, kubecontainer.ErrRunContainer */
const startErrors: Readonly<Record<string, string>> = {
  CreateContainer: 'CreateContainerError',
  StartContainer: 'RunContainerError',
};

/** upstream: pkg/kubelet/prober/prober_manager.go probeResultSuccessful and its siblings */
const probeResults: Readonly<Record<RecordOf<'probe'>['outcome'], string>> = {
  success: 'successful',
  warning: 'successful',
  failure: 'failed',
  unknown: 'unknown',
};

/**
 * Upstream's log manager has the runtime service as it is, past the instrumented one: its calls (one for each running
 * container every 10 s) are in no metric. upstream: pkg/kubelet/logs/container_log_manager.go rotateLogs
 */
const logRotation = 'rotateLogs';

interface PodFacts {
  firstSeen?: number;
  started?: boolean;
  running?: boolean;
  work?: { readonly at: number; readonly workType: string; readonly updateType: UpdateType };
  sandboxes: readonly ObservedContainer[];
  containers: readonly ObservedContainer[];
}

/** Counts as records come; `text` is what /metrics serves. */
export class KubeletMetrics {
  readonly registry = new Registry();
  private readonly pods = new Map<string, PodFacts>();
  /** Goroutines inside a log rotation. */
  private readonly rotations = new Set<number>();
  private readonly relists = new Map<Seq, { readonly at: number; readonly fn: string }>();
  private lastRelist: number | null = null;
  private readonly probeRegistry = new Registry();
  private readonly probes = this.probeRegistry.counter(
    'prober_probe_total',
    'Probes of containers, by kind, result and container.',
  );

  private readonly operations = this.registry.counter(
    'kubelet_runtime_operations_total',
    'Calls to the container runtime, by operation.',
  );
  private readonly operationErrors = this.registry.counter(
    'kubelet_runtime_operations_errors_total',
    'Calls to the container runtime that failed, by operation.',
  );
  private readonly operationSeconds = this.registry.histogram(
    'kubelet_runtime_operations_duration_seconds',
    'Time that calls to the container runtime took, by operation.',
    exponentialBuckets(0.005, 2.5, 14),
  );
  private readonly sandboxSeconds = this.registry.histogram(
    'kubelet_run_podsandbox_duration_seconds',
    'Time that RunPodSandbox took, by runtime handler.',
    defaultBuckets,
  );
  private readonly sandboxErrors = this.registry.counter(
    'kubelet_run_podsandbox_errors_total',
    'RunPodSandbox calls that failed, by runtime handler.',
  );
  private readonly pullSeconds = this.registry.histogram(
    'kubelet_image_pull_duration_seconds',
    'Time that image pulls took.',
    pullBuckets,
  );
  private readonly relistSeconds = this.registry.histogram(
    'kubelet_pleg_relist_duration_seconds',
    'Time that the PLEG took to relist pods.',
    defaultBuckets,
  );
  private readonly relistInterval = this.registry.histogram(
    'kubelet_pleg_relist_interval_seconds',
    'Time between relists of the PLEG.',
    defaultBuckets,
  );
  private readonly podRelistSeconds = this.registry.histogram(
    'kubelet_pleg_pod_relist_duration_seconds',
    'Time that the PLEG took to relist a single pod.',
    defaultBuckets,
  );
  private readonly discarded = this.registry.counter(
    'kubelet_pleg_discard_events',
    'PLEG events that were dropped because its channel was full.',
  );
  private readonly lastSeen = this.registry.gauge(
    'kubelet_pleg_last_seen_seconds',
    'When the PLEG last began a relist, in seconds since 1970.',
  );
  private readonly workerSeconds = this.registry.histogram(
    'kubelet_pod_worker_duration_seconds',
    'Time of one pod sync, by operation: create, update, sync, kill or terminated.',
    defaultBuckets,
  );
  private readonly workerStartSeconds = this.registry.histogram(
    'kubelet_pod_worker_start_duration_seconds',
    'Time from seeing a pod first to its first sync.',
    defaultBuckets,
  );
  private readonly podStartSeconds = this.registry.histogram(
    'kubelet_pod_start_duration_seconds',
    'Time from seeing a pod first to its running.',
    podStartBuckets,
  );
  private readonly startedPods = this.registry.counter('kubelet_started_pods_total', 'Sandboxes that were begun.');
  private readonly startedPodErrors = this.registry.counter(
    'kubelet_started_pods_errors_total',
    'Sandboxes that could not be started.',
  );
  private readonly startedContainers = this.registry.counter(
    'kubelet_started_containers_total',
    'Containers that were begun, by type.',
  );
  private readonly startedContainerErrors = this.registry.counter(
    'kubelet_started_containers_errors_total',
    'Containers that could not be started, by type and reason.',
  );
  private readonly events = this.registry.counter(
    'syncloop_events_total',
    'Kubernetes events that were recorded, by type and reason.',
  );
  private readonly iterations = this.registry.counter('syncloop_sync_loop_iterations_total', 'Turns of the sync loop.');
  private readonly calls = this.registry.counter(
    'syncloop_cri_calls_total',
    "Calls to the container runtime by method, with those that kubelet_runtime_operations_total leaves out: the log rotation's.",
  );
  private readonly records = this.registry.counter('syncloop_trace_records_total', 'Trace records that were made.');

  constructor(
    private readonly source: MetricsSource,
    private readonly epochMillis: number,
  ) {
    const { registry } = this;
    for (const counter of [this.startedPods, this.startedPodErrors, this.discarded, this.iterations]) counter.add(0);
    registry.gauge('kubelet_node_name', "The node's name; always 1.", (set) => set(1, { node: source.nodeName }));
    registry.gauge('kubelet_cgroup_version', "Version of the node's cgroups.", (set) => set(source.cgroupVersion));
    registry.gauge('kubelet_running_pods', 'Pods with a sandbox that runs.', (set) => set(this.runningPods()));
    registry.gauge('kubelet_running_containers', 'Containers that the runtime has, by state.', (set) => {
      for (const [state, count] of this.containersByState()) set(count, { container_state: state });
    });
    const byStatic = (pods: readonly boolean[], set: (value: number, labels: { static: string }) => void) => {
      for (const is of [true, false])
        set(pods.filter((isStatic) => isStatic === is).length, { static: is ? 'true' : '' });
    };
    registry.gauge(
      'kubelet_desired_pods',
      'Pods that the kubelet was told to run, by whether they are static.',
      (set) => byStatic(source.desired(), set),
    );
    registry.gauge(
      'kubelet_active_pods',
      'Pods that count when a new one asks to be admitted, by whether they are static.',
      (set) => byStatic(source.active(), set),
    );
    registry.gauge('kubelet_working_pods', 'Pods that have a worker, by where they are in their life.', (set) => {
      const workers = source.workers();
      for (const config of ['desired', 'orphan'] as const) {
        for (const lifecycle of ['sync', 'terminating', 'terminated'] as const) {
          const here = workers.filter((w) => w.config === config && w.lifecycle === lifecycle);
          const kinds = new Set(here.map((w) => w.static));
          for (const kind of new Set([config === 'desired' ? 'true' : 'unknown', ...kinds] as const)) {
            set(here.filter((w) => w.static === kind).length, { lifecycle, config, static: kind });
          }
        }
      }
    });
    addProcessMetrics(registry);
  }

  text(): string {
    return this.registry.text();
  }

  /** What /metrics/probes serves. */
  probeText(): string {
    return this.probeRegistry.text();
  }

  readonly sink: RecordSink = (record) => {
    this.records.add();
    switch (record.kind) {
      case 'cri-call':
        return this.begin(record);
      case 'cri-return':
        return this.end(record);
      case 'enter':
        return this.enter(record);
      case 'exit':
        if (record.fn === logRotation) this.rotations.delete(record.g);
        if (this.relists.size > 0) this.endRelist(record);
        return;
      case 'pleg-event':
        if (record.dropped) this.discarded.add();
        return;
      case 'kube-event':
        return this.events.add(1, { type: record.type, reason: record.reason });
      case 'pod-update':
      case 'work-start':
      case 'work-done':
      case 'status':
      case 'cache':
      case 'probe':
      case 'worker':
        this.podRecord(record);
    }
  };

  private enter(record: RecordOf<'enter'>): void {
    const { fn } = record;
    if (fn === 'syncLoopIteration') this.iterations.add();
    else if (fn === 'Relist') this.beginRelist(record);
    else if (fn === 'relistPod') this.relists.set(record.seq, { at: record.time, fn });
    else if (fn === logRotation) this.rotations.add(record.g);
  }

  private facts(uid: string): PodFacts {
    let facts = this.pods.get(uid);
    if (!facts) {
      facts = { sandboxes: [], containers: [] };
      this.pods.set(uid, facts);
    }
    return facts;
  }

  private podRecord(record: TraceRecord & { uid: string }): void {
    const { uid, time } = record;
    switch (record.kind) {
      case 'pod-update': {
        const facts = this.facts(uid);
        facts.firstSeen ??= time;
        return;
      }
      case 'work-start': {
        const facts = this.facts(uid);
        facts.work = { at: time, workType: record.workType, updateType: record.updateType };
        if (!facts.started && facts.firstSeen !== undefined)
          this.workerStartSeconds.observe((time - facts.firstSeen) / second);
        facts.started = true;
        return;
      }
      case 'work-done': {
        const { work } = this.facts(uid);
        const operation = record.workType === 'terminated' ? 'terminated' : work?.updateType;
        if (work && operation) this.workerSeconds.observe((time - work.at) / second, { operation_type: operation });
        return;
      }
      case 'status': {
        const facts = this.facts(uid);
        const phase = (record.status as { phase?: string } | null)?.phase;
        if (facts.running || phase !== 'Running') return;
        facts.running = true;
        if (facts.firstSeen !== undefined) this.podStartSeconds.observe((time - facts.firstSeen) / second);
        return;
      }
      case 'cache': {
        const facts = this.facts(uid);
        facts.sandboxes = record.op === 'set' ? record.sandboxes : [];
        facts.containers = record.op === 'set' ? record.containers : [];
        return;
      }
      case 'probe': {
        const [namespace = '', pod = ''] = record.pod.split('/');
        const { container, probeType } = record;
        const result = probeResults[record.outcome];
        const labels = { probe_type: title(probeType), result, container, pod, namespace, pod_uid: uid };
        this.probes.add(1, labels);
        return;
      }
      case 'worker':
        if (record.state === 'removed') this.forget(uid);
        return;
    }
  }

  private forget(uid: string): void {
    this.pods.delete(uid);
    this.probes.deleteWhere('pod_uid', uid);
  }

  private begin(record: RecordOf<'cri-call'>): void {
    this.calls.add(1, { method: record.method });
    if (this.rotations.has(record.g)) return;
    this.operations.add(1, { operation_type: operationType(record.method) });
    if (record.method === 'RunPodSandbox') this.startedPods.add();
    if (record.method === 'CreateContainer') this.startedContainers.add(1, { container_type: this.typeOf(record) });
  }

  private end(record: RecordOf<'cri-return'>): void {
    if (this.rotations.has(record.g)) return;
    const { method, error } = record;
    const seconds = record.took / second;
    this.operationSeconds.observe(seconds, { operation_type: operationType(method) });
    if (error) this.operationErrors.add(1, { operation_type: operationType(method) });
    if (method === 'PullImage' && !error) this.pullSeconds.observe(seconds, { image_size_in_bytes: 'N/A' });
    if (method === 'RunPodSandbox') {
      this.sandboxSeconds.observe(seconds, { runtime_handler: '' });
      if (error) this.sandboxErrors.add(1, { runtime_handler: '' });
      if (error) this.startedPodErrors.add();
    }
    const code = startErrors[method];
    if (error && code !== undefined) this.startedContainerErrors.add(1, { container_type: this.typeOf(record), code });
  }

  private typeOf({ uid = '', container = '' }: { readonly uid?: string; readonly container?: string }): string {
    return this.source.isInitContainer(uid, container) ? 'init_container' : 'container';
  }

  private beginRelist(record: RecordOf<'enter'>): void {
    if (this.lastRelist !== null) this.relistInterval.observe((record.time - this.lastRelist) / second);
    this.relists.set(record.seq, { at: record.time, fn: record.fn });
    this.lastSeen.set(Math.floor((this.epochMillis + record.time / 1000) / 1000));
  }

  private endRelist(record: RecordOf<'exit'>): void {
    const begun = this.relists.get(record.of);
    if (!begun) return;
    this.relists.delete(record.of);
    const seconds = (record.time - begun.at) / second;
    if (begun.fn === 'relistPod') {
      this.podRelistSeconds.observe(seconds);
    } else {
      this.relistSeconds.observe(seconds);
      this.lastRelist = begun.at;
    }
  }

  private runningPods(): number {
    return [...this.pods.values()].filter(({ sandboxes }) => sandboxes.some(({ state }) => state === 'running')).length;
  }

  private containersByState(): Map<string, number> {
    const out = new Map<string, number>();
    for (const { containers } of this.pods.values()) {
      for (const { state } of containers) out.set(state, (out.get(state) ?? 0) + 1);
    }
    return out;
  }
}

const title = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** upstream: prometheus' process collector */
function addProcessMetrics(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  registry.gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', (set) =>
    set(Number(started.toFixed(2))),
  );
  registry.gauge('process_resident_memory_bytes', 'Resident memory in bytes.', (set) => set(process.memoryUsage.rss()));
  const cpu = registry.counter('process_cpu_seconds_total', 'Processor time in seconds.');
  registry.gauge('nodejs_heap_used_bytes', 'JavaScript heap in use, in bytes.', (set) => {
    const { user, system } = process.cpuUsage();
    cpu.set(Number(((user + system) / 1e6).toFixed(2)));
    set(process.memoryUsage().heapUsed);
  });
}
