/** A kubelet that runs in this process, as a debug session: its records as they happen, and its driver's brake. */
import {
  type BackendChange,
  type Command,
  type CommandResult,
  RecordStore,
  type RunState,
  type SessionBackend,
  type SessionInfo,
} from '@syncloop/core/debug';
import type { Kernel } from '@syncloop/core/kernel';
import type { RealDriver } from '@syncloop/core/kernel/real-clock';
import type { TraceRecord } from '@syncloop/core/trace';

/** What the session says of itself. */
export interface LiveSessionOptions {
  readonly id: string;
  readonly title: string;
  readonly runtime: string;
  readonly node: string;
  /** Whether it may be paused and stepped. */
  readonly control: boolean;
  /** Applied to each record before it is kept or sent. */
  readonly redact: (record: TraceRecord) => TraceRecord;
  /** Records held for late joiners. */
  readonly capacity?: number;
}

/** Records are told of at most this often, ms. */
const flushMillis = 30;

/** How a run goes on: freely, not at all, or up to a goal. */
type Mode = { readonly kind: 'run' } | { readonly kind: 'paused' } | Goal;
interface Goal {
  readonly kind: 'goal';
  readonly done: () => boolean;
  readonly reply: (result: CommandResult) => void;
}

/** upstream has nothing like it: a debugger over the real loop. */
export class LiveSession implements SessionBackend {
  readonly info: SessionInfo;
  readonly store: RecordStore;
  private readonly listeners = new Set<(change: BackendChange) => void>();
  private mode: Mode = { kind: 'run' };
  private flushTimer: NodeJS.Timeout | null = null;
  private readonly unsink: () => void;

  constructor(
    private readonly kernel: Kernel,
    private readonly driver: RealDriver,
    options: LiveSessionOptions,
  ) {
    const { control } = options;
    this.store = new RecordStore({ capacity: options.capacity ?? 100_000 });
    this.info = {
      id: options.id,
      title: options.title,
      capabilities: { control, speed: false, apply: false, intervene: false, choose: false, scenarios: false },
      scenario: '',
      seed: 0,
      runtime: options.runtime,
      node: options.node,
      epochMillis: kernel.clock.epochMillis,
      virtual: false,
    };
    this.unsink = kernel.addSink((record) => {
      this.store.push(options.redact(record));
      this.scheduleFlush();
    });
    driver.gate = () => this.mayStep();
  }

  runState(): RunState {
    const { kernel } = this;
    return {
      running: this.mode.kind !== 'paused',
      seq: this.store.last,
      time: kernel.now(),
      steps: kernel.steps,
      iterations: this.store.state.counts.iterations,
      speed: { mode: 'time', factor: 1 },
      choice: null,
      next: this.mode.kind === 'paused' ? (kernel.runnable[0]?.name ?? '') : '',
      stopped: '',
    };
  }

  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  execute(command: Command, reply: (result: CommandResult) => void): void {
    switch (command.do) {
      case 'pause':
        this.setMode({ kind: 'paused' });
        reply({ ok: true });
        break;
      case 'resume':
        this.resume();
        reply({ ok: true });
        break;
      case 'step':
        this.step(command.unit, command.count ?? 1, reply);
        break;
      case 'manifests':
      case 'scenarios':
        reply({ ok: true, value: [] });
        break;
      default:
        reply({ ok: false, error: `${command.do} is not possible on a live node: it is for simulations` });
    }
  }

  /** Lets the kubelet go on: a debugger that went away must not hold up a node's probes and deadlines. */
  resume(): void {
    if (this.mode.kind !== 'run') this.setMode({ kind: 'run' });
  }

  close(): void {
    this.unsink();
    this.driver.gate = null;
    if (this.flushTimer) clearTimeout(this.flushTimer);
    this.listeners.clear();
  }

  private step(unit: 'decision' | 'record' | 'iteration', count: number, reply: (result: CommandResult) => void): void {
    const measure = {
      decision: () => this.kernel.steps,
      record: () => this.store.last,
      iteration: () => this.store.state.counts.iterations,
    }[unit];
    const goal = measure() + count;
    this.setMode({ kind: 'goal', done: () => measure() >= goal, reply });
  }

  private setMode(mode: Mode): void {
    const before = this.mode;
    this.mode = mode;
    if (before.kind === 'goal') before.reply({ ok: true });
    if (mode.kind !== 'paused') this.driver.resume();
    this.flush();
  }

  /** Asked by the driver before each step. */
  private mayStep(): boolean {
    if (this.mode.kind === 'run') return true;
    if (this.mode.kind === 'goal' && this.mode.done()) this.setMode({ kind: 'paused' });
    return this.mode.kind !== 'paused';
  }

  private scheduleFlush(): void {
    this.flushTimer ??= setTimeout(() => this.flush(), flushMillis);
  }

  private flush(): void {
    if (this.flushTimer) clearTimeout(this.flushTimer);
    this.flushTimer = null;
    this.tell('records');
    this.tell('run');
  }

  private tell(change: BackendChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}
