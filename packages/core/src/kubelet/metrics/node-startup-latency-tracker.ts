import { type Kernel, Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Gauge } from './registry.js';

/**
 * Measures the time of a node from its boot to Ready; each step counts once (fidelity 3:MET-10).
 * upstream: pkg/kubelet/util/node_startup_latency_tracker.go
 */
export class NodeStartupLatencyTracker {
  private readonly started: Micros;
  private attempt: Micros | null = null;
  private registered: Micros | null = null;
  private ready: Micros | null = null;

  /** The time at which the machine booted, milliseconds since 1970; null: not known. */
  bootMillis: number | null = null;

  constructor(
    private readonly kernel: Kernel,
    private readonly metrics: Readonly<
      Record<
        | 'nodeStartupPreKubelet'
        | 'nodeStartupPreRegistration'
        | 'nodeStartupRegistration'
        | 'nodeStartupPostRegistration'
        | 'nodeStartup',
        Gauge
      >
    >,
  ) {
    this.started = kernel.now();
  }

  /** upstream: RecordAttemptRegisterNode */
  attemptRegisterNode(): void {
    this.attempt ??= this.kernel.now();
  }

  /**
   * Notes that the node was registered as new: one that was there before is not timed.
   * upstream: RecordRegisteredNewNode
   */
  registeredNewNode(): void {
    if (this.attempt === null || this.registered !== null) return;
    const now = this.kernel.now();
    this.registered = now;
    const m = this.metrics;
    if (this.bootMillis !== null) m.nodeStartupPreKubelet.set(this.sinceBoot(this.started));
    m.nodeStartupPreRegistration.set((this.attempt - this.started) / Second);
    m.nodeStartupRegistration.set((now - this.attempt) / Second);
  }

  /** upstream: RecordNodeReady */
  nodeReady(): void {
    if (this.registered === null || this.ready !== null) return;
    const now = this.kernel.now();
    this.ready = now;
    const m = this.metrics;
    m.nodeStartupPostRegistration.set((now - this.registered) / Second);
    if (this.bootMillis !== null) m.nodeStartup.set(this.sinceBoot(now));
  }

  private sinceBoot(at: Micros): number {
    return (this.kernel.clock.epochMillis + at / 1000 - (this.bootMillis ?? 0)) / 1000;
  }
}
