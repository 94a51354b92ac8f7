/**
 * Pause, step and breakpoints of a running kubelet: the part of a debugger that must be in the kubelet's own thread.
 */
import {
  answered,
  BreakpointSet,
  type Command,
  type CommandResult,
  depthOf,
  goroutineOf,
  type Hit,
  parseBreakpoints,
  type RunState,
  stepTest,
} from '@syncloop/core/debug/control';
import type { Kernel } from '@syncloop/core/kernel';
import type { RealDriver } from '@syncloop/core/kernel/real-clock';
import {
  initialState,
  type Json,
  type NodeState,
  type RecordBody,
  reduce,
  type TraceRecord,
} from '@syncloop/core/trace';

export interface BrakeOptions {
  /** False: it only watches, and commands are refused. */
  readonly control: boolean;
  /** Called when the run state or the lines of logpoints have changed. */
  readonly changed: () => void;
  /** Takes a log line about the debugger itself. */
  readonly emit: (record: RecordBody) => void;
  /** Monotonic, ms. */
  readonly now?: () => number;
}

/** The mode of a run: free, paused, or up to a goal. */
type Mode = { readonly kind: 'run' } | { readonly kind: 'paused' } | Goal;
interface Goal {
  readonly kind: 'goal';
  readonly done: () => boolean;
  readonly see?: (record: TraceRecord) => void;
  readonly reply: (result: CommandResult) => void;
}

/** Most lines of logpoints that wait to be fetched, and most characters of them; the oldest are lost. */
const maxWritten = 1000;
const maxWrittenLength = 1024 * 1024;
/** The most hits that are reported when one decision meets breakpoints again and again. */
const maxHits = 500;
/** Breakpoints that take more than this of one second, in ms, are removed: the kubelet comes first. */
const maxBreakpointMillis = 200;

/** Lets a kubelet run freely, stop, or go up to a goal. Upstream has nothing like it. */
export class Brake {
  /** The state after all records so far. */
  readonly state: NodeState = initialState();
  private here: TraceRecord | undefined;
  private mode: Mode = { kind: 'run' };
  private readonly breakpoints = new BreakpointSet();
  private armed = false;
  private hits: Hit[] = [];
  private written: Hit[] = [];
  private writtenLength = 0;
  private second = 0;
  private spent = 0;
  private readonly now: () => number;

  constructor(
    private readonly kernel: Kernel,
    private readonly driver: RealDriver,
    private readonly options: BrakeOptions,
  ) {
    this.now = options.now ?? (() => performance.now());
    if (options.control) driver.gate = () => this.mayStep();
  }

  /**
   * Takes each record as it is made, without secrets. It stops before the next decision: the rest of the present one is
   * seen, too.
   */
  see(record: TraceRecord): void {
    const { state, mode } = this;
    reduce(state, record);
    this.here = record;
    if (mode.kind === 'goal') mode.see?.(record);
    if (this.armed) this.check(record);
    if (this.hits.length > 0 && mode.kind !== 'paused') this.setMode({ kind: 'paused' });
  }

  runState(): RunState {
    const { kernel, mode } = this;
    const paused = mode.kind === 'paused';
    return {
      running: !paused,
      seq: this.state.seq,
      time: kernel.now(),
      steps: kernel.steps,
      iterations: this.state.counts.iterations,
      speed: { mode: 'time', factor: 1 },
      choice: null,
      next: paused ? (kernel.runnable[0]?.name ?? '') : '',
      stopped: '',
      hits: this.hits,
    };
  }

  /** Returns the lines that logpoints wrote since the last call. */
  takeWritten(): readonly Hit[] {
    this.writtenLength = 0;
    return this.written.splice(0);
  }

  /** Does a command that controls the run; calls `reply` once, now or later. It does not throw. */
  execute(command: Command, reply: (result: CommandResult) => void): void {
    try {
      if (!this.options.control) throw new Error(`${command.do} is not allowed: this node may only be watched`);
      this.perform(command, reply);
    } catch (err) {
      reply({ ok: false, error: (err as Error).message });
    }
    this.options.changed();
  }

  /** Lets the kubelet go on: a debugger that went away must not hold up a node's probes and deadlines. */
  resume(): void {
    if (this.mode.kind !== 'run') this.setMode({ kind: 'run' });
  }

  /** Called when the debugger has gone: the kubelet goes on, and nothing stops it any more. */
  release(): void {
    this.arm([]);
    this.resume();
  }

  close(): void {
    this.driver.gate = null;
    this.release();
  }

  private perform(command: Command, reply: (result: CommandResult) => void): void {
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
        this.arm(command.set);
        reply(answered(this.breakpoints.list()));
        break;
      default:
        throw new Error(`${command.do} is not possible on a live node: it is for simulations`);
    }
  }

  private arm(set: readonly Json[]): void {
    if (set.length > 0 && this.spent > maxBreakpointMillis && this.second === this.thisSecond())
      throw new Error("breakpoints took too much of the kubelet's time: wait a second, then set fewer or cheaper ones");
    this.breakpoints.set(parseBreakpoints(set));
    this.armed = set.length > 0;
  }

  private check(record: TraceRecord): void {
    const begun = this.now();
    const second = this.thisSecond();
    if (second !== this.second) this.spent = 0;
    this.second = second;
    const { spent } = this;
    // One condition takes some milliseconds at most, but there may be 500.
    const inTime = () => spent + this.now() - begun <= maxBreakpointMillis;
    for (const hit of this.breakpoints.check(record, this.state, inTime)) {
      if (!hit.pause) this.write(hit);
      else if (this.hits.length < maxHits) this.hits.push(hit);
    }
    this.spent = spent + this.now() - begun;
    if (this.spent <= maxBreakpointMillis) return;
    this.arm([]);
    this.options.emit({
      kind: 'log',
      severity: 'W',
      v: 0,
      msg: 'Breakpoints were taken out: they took too much of the time of the kubelet',
      kv: { milliseconds: Math.round(this.spent), within: '1s' },
      file: 'brake.ts',
    });
  }

  private thisSecond(): number {
    return Math.floor(this.now() / 1000);
  }

  private write(hit: Hit): void {
    const { written } = this;
    written.push(hit);
    this.writtenLength += lengthOf(hit);
    while (written.length > maxWritten || (this.writtenLength > maxWrittenLength && written.length > 1))
      this.writtenLength -= lengthOf(written.shift() as Hit);
  }

  private step(command: Extract<Command, { do: 'step' }>, reply: (result: CommandResult) => void): void {
    const { unit, count = 1, back, ...options } = command;
    if (back) throw new Error('a live node cannot go back: look at its records instead, or open a recording of it');
    const { state, kernel, here } = this;
    if (unit === 'decision') {
      const goal = kernel.steps + count;
      this.setMode({ kind: 'goal', done: () => kernel.steps >= goal, reply });
      return;
    }
    const g = goroutineOf(state, here, options);
    const test = stepTest(unit, state, here, { ...options, goroutine: g });
    let left = count;
    this.setMode({
      kind: 'goal',
      see: (record) => {
        if (test(record, depthOf(state, g), state)) left--;
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
    this.options.changed();
  }

  /** Asked by the driver before each step. */
  private mayStep(): boolean {
    if (this.mode.kind === 'run') return true;
    if (this.mode.kind === 'goal' && this.mode.done()) this.setMode({ kind: 'paused' });
    return this.mode.kind !== 'paused';
  }
}

const lengthOf = (hit: Hit): number => hit.text?.length ?? 0;
