/** The metrics of this process, and of the loop that it debugs. */
import { Registry } from '@syncloop/core/kubelet/metrics';
import type { RecordSink } from '@syncloop/core/trace';

const own = (name: string, help: string, labels?: readonly string[]) => ({
  name,
  help,
  stability: '' as const,
  ...(labels && { labels }),
});

/** Counts as records come. */
export class ProcessMetrics {
  private readonly registry = new Registry();
  private readonly probes = new Registry();
  private readonly events = this.registry.counter(
    own('syncloop_events_total', 'Kubernetes events that were recorded, by type and reason.', ['type', 'reason']),
  );
  private readonly iterations = this.registry.counter(
    own('syncloop_sync_loop_iterations_total', 'Iterations of the sync loop.'),
  );
  private readonly calls = this.registry.counter(
    own(
      'syncloop_cri_calls_total',
      "Calls to the container runtime by method, with those that kubelet_runtime_operations_total leaves out: the log rotation's.",
      ['method'],
    ),
  );
  private readonly records = this.registry.counter(
    own('syncloop_trace_records_total', 'Trace records that were written.'),
  );

  private readonly delay = this.registry.histogram(
    own('syncloop_event_loop_delay_seconds', 'Delay of the event loop, measured once a second.'),
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );

  /** `goroutines`: how many the kubelet has. */
  constructor(goroutines: () => number) {
    addProcessMetrics(this.registry);
    this.registry.gauge(own('syncloop_goroutines', "The kubelet's goroutines."), (into) => into.set(goroutines()));
    addStartTime(this.probes);
  }

  readonly sink: RecordSink = (record) => {
    this.records.add(1);
    if (record.kind === 'cri-call') this.calls.add(1, { method: record.method });
    else if (record.kind === 'kube-event') this.events.add(1, { type: record.type, reason: record.reason });
    else if (record.kind === 'enter' && record.fn === 'syncLoopIteration') this.iterations.add(1);
  };

  observeDelay(seconds: number): void {
    this.delay.observe(seconds);
  }

  text(): string {
    return this.registry.text();
  }
  /** Returns the part that /metrics/probes serves. */
  probeText(): string {
    return this.probes.text();
  }
}

function addStartTime(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  registry
    .gauge(own('process_start_time_seconds', 'When the process started, in seconds since 1970.'))
    .set(Number(started.toFixed(2)));
}

/** upstream: prometheus' process collector */
function addProcessMetrics(registry: Registry): void {
  addStartTime(registry);
  const filled = (name: string, help: string, value: () => number) =>
    registry.gauge(own(name, help), (into) => into.set(value()));
  filled('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  filled('nodejs_heap_used_bytes', 'JavaScript heap in use, in bytes.', () => process.memoryUsage().heapUsed);
  registry.counter(own('process_cpu_seconds_total', 'Processor time in seconds.'), (into) => {
    const { user, system } = process.cpuUsage();
    into.set(Number(((user + system) / 1e6).toFixed(2)));
  });
}
