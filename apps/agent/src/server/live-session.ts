/** A kubelet that runs in this process, as a debug session: its records as they happen, and its driver's brake. */
import {
  answerQuery,
  BreakpointSet,
  type Command,
  type CommandResult,
  depthOf,
  goroutineOf,
  type Hit,
  isQuery,
  ListenedBackend,
  parseBreakpoints,
  RecordStore,
  type RunState,
  type SessionBackend,
  type SessionInfo,
  stepTest,
} from '@syncloop/core/debug';
import type { Kernel } from '@syncloop/core/kernel';
import type { RealDriver } from '@syncloop/core/kernel/real-clock';
import type { Json, TraceRecord } from '@syncloop/core/trace';

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

/** Most questions that wait for their turn. */
const mostQuestions = 64;
/** What a question may take without a rest after it, ms. */
const quickMillis = 5;

/** How a run goes on: freely, not at all, or up to a goal. */
type Mode = { readonly kind: 'run' } | { readonly kind: 'paused' } | Goal;
interface Goal {
  readonly kind: 'goal';
  readonly done: () => boolean;
  readonly see?: (record: TraceRecord) => void;
  readonly reply: (result: CommandResult) => void;
}

/** upstream has nothing like it: a debugger over the real loop. */
export class LiveSession extends ListenedBackend implements SessionBackend {
  readonly info: SessionInfo;
  readonly store: RecordStore;
  private mode: Mode = { kind: 'run' };
  private flushTimer: NodeJS.Timeout | null = null;
  private readonly unsink: () => void;
  private readonly breakpoints = new BreakpointSet();
  private hits: Hit[] = [];
  private written: Hit[] = [];
  private readonly questions = new Questions();

  constructor(
    private readonly kernel: Kernel,
    private readonly driver: RealDriver,
    options: LiveSessionOptions,
  ) {
    super();
    const { control } = options;
    this.store = new RecordStore({ capacity: options.capacity ?? 100_000 });
    this.info = {
      id: options.id,
      title: options.title,
      capabilities: {
        control,
        speed: false,
        apply: false,
        intervene: false,
        choose: false,
        scenarios: false,
        breakpoints: control,
      },
      scenario: '',
      seed: 0,
      runtime: options.runtime,
      node: options.node,
      epochMillis: kernel.clock.epochMillis,
      virtual: false,
    };
    this.unsink = kernel.addSink((record) => {
      this.take(options.redact(record));
      this.scheduleFlush();
    });
    driver.gate = () => this.mayStep();
  }

  /** It stops before the next decision: what the present one does further is seen, too. */
  private take(record: TraceRecord): void {
    const { store, mode } = this;
    store.push(record);
    if (mode.kind === 'goal') mode.see?.(record);
    for (const hit of this.breakpoints.check(record, store.state)) (hit.pause ? this.hits : this.written).push(hit);
    if (this.hits.length > 0 && mode.kind !== 'paused') this.setMode({ kind: 'paused' });
  }

  /** What logpoints wrote since it was last asked. */
  takeWritten(): readonly Hit[] {
    return this.written.splice(0);
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
      hits: this.hits,
    };
  }

  protected perform(command: Command, reply: (result: CommandResult) => void): void {
    if (isQuery(command)) {
      this.questions.ask(() => {
        try {
          reply({ ok: true, value: answerQuery(this.store, command) });
        } catch (err) {
          reply({ ok: false, error: (err as Error).message });
        }
      }, reply);
      return;
    }
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
        this.step(command, reply);
        break;
      case 'breakpoints':
        this.breakpoints.set(parseBreakpoints(command.set));
        reply({ ok: true, value: this.breakpoints.list() as unknown as Json });
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
    this.questions.close();
    this.driver.gate = null;
    if (this.flushTimer) clearTimeout(this.flushTimer);
    this.forgetListeners();
  }

  private step(command: Extract<Command, { do: 'step' }>, reply: (result: CommandResult) => void): void {
    const { unit, count = 1, back, ...options } = command;
    if (back) throw new Error('a live node does not go back: look at its records instead, or open a recording of it');
    const { store, kernel } = this;
    if (unit === 'decision') {
      const goal = kernel.steps + count;
      this.setMode({ kind: 'goal', done: () => kernel.steps >= goal, reply });
      return;
    }
    const here = store.get(store.last);
    const g = goroutineOf(store.state, here, options);
    const test = stepTest(unit, store.state, here, { ...options, goroutine: g });
    let left = count;
    this.setMode({
      kind: 'goal',
      see: (record) => {
        if (test(record, depthOf(store.state, g), store.state)) left--;
      },
      done: () => left <= 0,
      reply,
    });
  }

  private setMode(mode: Mode): void {
    const before = this.mode;
    this.mode = mode;
    if (mode.kind !== 'paused') this.hits = [];
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
}

/**
 * Questions go through all records that are held, in the thread that the kubelet runs in: after each it has the thread to itself
 * for three times as long. Many questions wait for one another; more than that are refused.
 */
class Questions {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private restUntil = 0;

  ask(answer: () => void, reply: (result: CommandResult) => void): void {
    if (this.waiting.length >= mostQuestions) {
      reply({ ok: false, error: `${mostQuestions} questions wait already: the kubelet comes first, ask again later` });
      return;
    }
    this.waiting.push(answer);
    this.next();
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.waiting.length = 0;
  }

  private next(): void {
    while (!this.timer && this.waiting.length > 0) {
      const begun = performance.now();
      if (begun < this.restUntil) {
        this.timer = setTimeout(() => {
          this.timer = null;
          this.next();
        }, this.restUntil - begun);
        return;
      }
      this.waiting.shift()?.();
      const took = performance.now() - begun;
      if (took > quickMillis) this.restUntil = begun + took + 3 * took;
    }
  }
}
