import { OSError } from '../../host/os.js';
import type { Go, Goroutine, Kernel, Op, Process } from '../../kernel/index.js';
import { BudgetExceeded, type BudgetKind, budget, budgetMessage, Meter, nodeMemory } from './budget.js';
import type { ByteSink, ByteSource } from './streams.js';

/** Signals by name, with Linux' numbers. */
export const signalNumbers: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  TSTP: 20,
  TTIN: 21,
  TTOU: 22,
  WINCH: 28,
};
const names = new Map(Object.entries(signalNumbers).map(([name, n]) => [n, name]));
/** Micros of what is as good as for ever: thirty years. */
const farOff = 1e15;
const harmless = new Set(['CHLD', 'CONT', 'WINCH', 'STOP', 'TSTP', 'TTIN', 'TTOU']);

/** Returns `TERM` for `SIGTERM`, `term` or `15`; null if there is no such signal. */
export function signalName(text: string): string | null {
  if (/^\d+$/.test(text)) return names.get(Number(text)) ?? null;
  const name = text
    .toUpperCase()
    .replace(/^SIG(NAL_)?/, '')
    .replace(/^SIG/, '');
  return name in signalNumbers ? name : null;
}

const killed: ProcessExit = { code: 137, signal: 'KILL' };

/** Thrown into a process' code when it has died; nothing catches it but the process' own root. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

export interface ProcessExit {
  /** Written as a shell sees it: 128 + n for signal n. */
  readonly code: number;
  readonly signal: string | null;
}

export interface Streams {
  readonly in: ByteSource;
  readonly out: ByteSink;
  readonly err: ByteSink;
  /** Descriptors from 3 on, for a shell's own use. */
  readonly more?: ReadonlyMap<number, ByteSink>;
}

/** The reason why a waiting process woke. */
export type Woken = 'time' | 'signal' | 'io';

class ParkOp implements Op {
  constructor(
    private readonly proc: Proc,
    private readonly until: number | null,
    private readonly interruptible: boolean,
  ) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    const { proc, until } = this;
    if (proc.exit) {
      g.failed = true;
      g.error = new ProcessDied();
      return true;
    }
    if (this.interruptible && proc.pending.length > 0) {
      g.result = 'signal';
      return true;
    }
    const timer =
      until === null
        ? null
        : kernel.addTimer(
            until,
            () => {
              proc.parked = null;
              g.result = 'time';
              kernel.ready(g);
            },
            g.process,
          );
    proc.parked = { g, interruptible: this.interruptible };
    kernel.park(g, until === null ? { op: 'sleep' } : { op: 'sleep', until }, () => timer?.stop(), true);
    return false;
  }
}

export interface ProcOptions {
  readonly argv: readonly string[];
  readonly env: Map<string, string>;
  readonly cwd: string;
  readonly streams: Streams;
}

/** A process as others in its PID namespace see it. */
export interface Peer {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly exit: ProcessExit | null;
  /** Sends it a signal from one of its peers. */
  signalFromInside(name: string): void;
}

/** One Unix process of a container. */
export class Proc implements Peer {
  readonly pid: number;
  argv: readonly string[];
  env: Map<string, string>;
  cwd: string;
  streams: Streams;
  /** Dispositions: ignored ones are inherited, caught ones are not. */
  readonly ignored: Set<string>;
  readonly caught = new Set<string>();
  /** Caught signals that came and were not handled yet. */
  readonly pending: string[] = [];
  exit: ProcessExit | null = null;
  parked: { g: Goroutine; interruptible: boolean } | null = null;
  /** Micros of computing that it still owes to the clock. */
  debt = 0;
  /** Turns of computing without a rest, for programs that never stop. */
  spins = 0;
  /** Bytes that it holds, beyond what every process has. */
  memory = 0;
  /** The depth to which calls of functions and programs are nested on this goroutine. */
  nesting: number;
  /** The work of its goroutine since its last wait. */
  meter: Meter;
  /** The message of the budget that ended it. */
  exceeded: string | null = null;
  /** Characters of its container's budget of memory that it has taken. */
  private held = 0;
  private readonly endings: (() => void)[] = [];

  /** Null too once it has ended: who started whom must not keep them all. */
  parent: Proc | null;

  constructor(
    readonly group: ProcGroup,
    parent: Proc | null,
    options: ProcOptions,
  ) {
    this.parent = parent;
    this.pid = group.newPid();
    this.argv = options.argv;
    this.env = options.env;
    this.cwd = options.cwd;
    this.streams = options.streams;
    this.nesting = (parent?.nesting ?? 0) + 1;
    this.meter = parent?.meter ?? new Meter();
    this.ignored = new Set(parent?.ignored);
    for (const s of [this.streams.out, this.streams.err]) s.retain();
    this.streams.in.retain();
    group.procs.set(this.pid, this);
  }

  get kernel(): Kernel {
    return this.group.kernel;
  }

  /** Stands still until `until` (null: until woken). Throws ProcessDied when the process dies meanwhile. */
  *park(until: number | null, interruptible = true): Go<Woken> {
    if (until === null) {
      this.spins = 0;
      this.meter.written = 0;
    }
    const woken = (yield new ParkOp(this, until, interruptible)) as Woken;
    this.meter.work = 0;
    return woken;
  }

  /** Stands still for a time, caught signals or not; its debt to the clock is paid with it. */
  *sleep(duration: number): Go<void> {
    // Nobody waits for the end of what takes longer than thirty years.
    const until = duration < farOff ? this.kernel.now() + Math.max(duration, 0) + this.debt : null;
    this.debt = 0;
    this.spins = 0;
    this.meter.written = 0;
    for (;;) if ((yield* this.park(until, false)) === 'time') return;
  }

  /**
   * Charges computing time; stands still for it once it adds up. A program that only computes gets ever slower turns.
   */
  *charge(cost: number): Go<void> {
    this.debt += this.spins > 20 ? Math.min(cost * 2 ** Math.floor(this.spins / 20), 100_000) : cost;
    const { meter } = this;
    if (meter.work >= budget.slice) this.debt += Math.max(5000, Math.round(meter.work / 64));
    if (this.debt < 5000) return;
    const until = this.kernel.now() + this.debt;
    this.debt = 0;
    this.spins++;
    yield* this.park(until, false);
  }

  /** Stands still for a moment if it has done a good deal of work: for programs in the midst of what they do. */
  *rest(): Go<void> {
    if (this.meter.work >= budget.slice) yield* this.charge(0);
    const drained = this.streams.out.drained?.(this);
    if (drained) yield* drained;
  }

  /** Counts work (units of about 10 ns); too much of it without a wait, and the process ends. */
  spend(units: number): void {
    this.meter.work += units;
    if (this.meter.work > budget.work) this.exceed('work');
  }
  /** `spend` as a function of its own. */
  readonly spender = (units: number): void => this.spend(units);

  /** Counts characters that it is about to write. */
  wrote(length: number): void {
    this.meter.written += length;
    this.spend(length >> 3);
    if (this.meter.written > budget.output) this.exceed('output');
  }

  /** Writes to its standard output; returns false if nobody will ever read it. */
  write(text: string): boolean {
    this.wrote(text.length);
    return this.streams.out.write(text);
  }
  /** Writes to its standard error. */
  warn(text: string): void {
    this.wrote(text.length);
    this.streams.err.write(text);
  }

  /**
   * Takes (or gives back, where negative) characters of the memory that its container may hold, at most until it ends.
   */
  hold(length: number): void {
    this.held += length;
    if (!this.group.hold(length)) this.exceed('memory');
  }

  /** Ends it because a budget is used up; its standard error says so, and so does the reason of its end. */
  exceed(kind: BudgetKind): never {
    if (!this.exit) {
      this.exceeded = budgetMessage(kind);
      // Whoever waits for it may write of it.
      if (kind === 'output') this.meter.written = 0;
      try {
        this.streams.err.write(`${this.argv[0] ?? ''}: ${this.exceeded}\n`);
      } catch {
        // If there is no room for the message either, the reason has to do.
      }
      this.die('KILL');
    }
    throw new ProcessDied();
  }

  /**
   * Turns an error in its code into its exit, or throws a ProcessDied. Nothing that a program does ends the simulation.
   */
  failed(error: unknown): ProcessExit {
    if (this.exit) return this.exit;
    if (error instanceof OSError) {
      this.streams.err.write(`${this.argv[0] ?? ''}: ${error.message}\n`);
      return { code: 1, signal: null };
    }
    try {
      // A RangeError is our own stack that is full, or a text that is longer than any may be.
      if (error instanceof BudgetExceeded) this.exceed(error.kind);
      if (error instanceof RangeError) this.exceed(/call stack/.test(error.message) ? 'nesting' : 'memory');
    } catch {
      return this.exit ?? killed;
    }
    throw error;
  }

  /** Wakes it if it stands still. */
  wake(why: Woken): void {
    const p = this.parked;
    if (!p) return;
    this.parked = null;
    p.g.unpark?.();
    p.g.result = why;
    this.kernel.ready(p.g);
  }

  /** Delivers a signal; false if the process is gone. */
  signal(name: string): boolean {
    if (this.exit) return false;
    if (name === 'KILL') {
      this.die(name);
      return true;
    }
    if (this.ignored.has(name)) return true;
    if (this.caught.has(name)) {
      this.pending.push(name);
      if (this.parked?.interruptible) this.wake('signal');
      return true;
    }
    // The kernel shields the first process of a PID namespace from signals that it does not handle.
    if (!harmless.has(name) && !(this.group.ownPids && this === this.group.init)) this.die(name);
    return true;
  }

  /** Sends a signal like one from another process of its namespace: not even SIGKILL ends the first one. */
  signalFromInside(name: string): void {
    const shielded = this.group.ownPids && this === this.group.init;
    if (!(shielded && (name === 'KILL' || name === 'STOP'))) this.signal(name);
  }

  /** Ends by a signal. */
  die(signal: string): void {
    this.finish({ code: 128 + (signalNumbers[signal] ?? 0), signal });
  }

  /** Ends, and wakes whoever waits for it. */
  finish(exit: ProcessExit): void {
    if (this.exit) return;
    this.exit = exit;
    this.group.procs.delete(this.pid);
    this.parent = null;
    this.hold(-this.held);
    const p = this.parked;
    if (p) {
      this.parked = null;
      p.g.unpark?.();
      p.g.failed = true;
      p.g.error = new ProcessDied();
      this.kernel.ready(p.g);
    }
    for (const fn of this.endings.splice(0)) fn();
    for (const s of [this.streams.out, this.streams.err]) s.release();
    this.streams.in.release();
    if (this === this.group.init) this.group.initEnded();
  }

  /** Calls `fn` when it ends, at once if it has. */
  onExit(fn: () => void): void {
    if (this.exit) fn();
    else this.endings.push(fn);
  }

  /** Waits until another process has ended; 'signal' if a caught signal came first. */
  *waitFor(other: Proc, interruptible: boolean): Go<'ended' | 'signal'> {
    if (!other.exit) other.onExit(() => this.wake('io'));
    while (!other.exit) if ((yield* this.park(null, interruptible)) === 'signal' && interruptible) return 'signal';
    return 'ended';
  }
}

/** The processes of one container: they end with the first one. */
export class ProcGroup {
  readonly procs = new Map<number, Proc>();
  init: Proc | null = null;
  /** Characters that its processes hold, of the budget of memory. */
  held = 0;
  /** Nobody is left who could hold anything. */
  private ended = false;
  /** Processes that started in the millisecond from `at` on, and how often there were too many. */
  private readonly starts = { at: Number.NEGATIVE_INFINITY, count: 0, bursts: 0 };
  /** Called when the first process has ended. */
  onEnd: ((exit: ProcessExit) => void) | null = null;

  constructor(
    readonly kernel: Kernel,
    /** Kernel process that the goroutines belong to. */
    readonly owner: Process,
    readonly name: string,
    /** True: a PID namespace of its own, so that `init` is PID 1. */
    readonly ownPids: boolean,
    private readonly pids: { next: number },
    /** All processes of its PID namespace; its own unless given. */
    private readonly namespace?: () => Iterable<Peer>,
  ) {}

  /** Returns the processes that its processes see. */
  peers(): readonly Peer[] {
    return [...(this.namespace?.() ?? this.procs.values())];
  }

  newPid(): number {
    return this.pids.next++;
  }

  /** Starts a process on a goroutine of its own. `body` gives its exit code. */
  spawn(proc: Proc, body: (proc: Proc) => Go<number>): void {
    proc.nesting = 0;
    proc.meter = new Meter();
    const wait = this.delay();
    this.kernel.go(
      `${this.name}[${proc.pid}]`,
      function* () {
        try {
          if (wait > 0) yield* proc.park(proc.kernel.now() + wait, false);
          const code = yield* body(proc);
          proc.finish({ code: code & 255, signal: null });
        } catch (error) {
          proc.finish(error instanceof ProcessDied ? killed : proc.failed(error));
        }
      },
      { process: this.owner, quiet: true, daemon: true },
    );
  }

  /**
   * Micros for which a new process waits: a container that starts ever more of them at one instant would hold up time.
   */
  private delay(): number {
    const { starts } = this;
    const now = this.kernel.now();
    // Each step of the kernel moves the clock by a hair, so that an instant is a millisecond here.
    if (now - starts.at >= 1000) {
      starts.at = now;
      starts.count = 0;
    }
    const over = Math.ceil(++starts.count / budget.startsAtOnce) - 1;
    if (over === 0) return 0;
    if (starts.count % budget.startsAtOnce === 1) starts.bursts++;
    // They become ever slower, like programs that only compute.
    return over * Math.min(1000 * 2 ** Math.floor(starts.bursts / 4), 1_000_000);
  }

  /** Takes or gives back characters of the budget of memory; returns false if there are no more to take. */
  hold(length: number): boolean {
    if (this.ended) return true;
    const node = nodeMemory(this.kernel);
    this.held += length;
    node.held += length;
    return length <= 0 || (this.held <= budget.memory && node.held <= budget.nodeMemory);
  }

  /** @internal */
  initEnded(): void {
    for (const p of [...this.procs.values()]) p.die('KILL');
    this.hold(-this.held);
    this.ended = true;
    this.onEnd?.(this.init?.exit as ProcessExit);
  }
}
