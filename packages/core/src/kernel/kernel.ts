import { messageOf } from '../base/index.js';
import type { Place, RecordSink, Wait } from '../trace/index.js';
import { type Clock, VirtualClock } from './clock.js';
import { Emitter } from './emitter.js';
import { DeadlockError, PanicError } from './errors.js';
import { currentOrNull, type Go, Goroutine, type Op, type Process, panicStack, setRunning } from './go.js';
import { Heap, type HeapItem } from './heap.js';
import { type Choice, choosesGoroutinesAt, fifo, type Policy, type WantedChoice } from './policy.js';
import { Random } from './random.js';
import { RunQueue } from './runq.js';

export interface KernelOptions {
  readonly clock?: Clock;
  readonly policy?: Policy;
  /** Gets every record, in order. */
  readonly sink?: RecordSink;
  /** Seed of `kernel.random`, from which the program draws (jitter, ids); the policy has its own. */
  readonly seed?: number;
  /** Called when a goroutine panics. Default: throw a PanicError out of `step`, as a Go process would die. */
  readonly onPanic?: (panic: PanicError) => void;
}

export interface GoOptions {
  readonly process?: Process;
  readonly quiet?: boolean;
  readonly daemon?: boolean;
  /** The part of the kubelet in which it works, for its record: the graph shows it there. */
  readonly place?: Place;
  /** The pod for which it works, for its record. */
  readonly uid?: string;
}

/**
 * `ran`: one goroutine went one step. `idle`: nobody can go until something outside happens. `choice`: the policy asks.
 */
export type StepResult = 'ran' | 'idle' | 'choice';

/** A handle on a pending kernel timer. */
export interface TimerHandle {
  /** True when it was still pending. */
  stop(): boolean;
  readonly when: number;
}

class TimerEntry implements HeapItem, TimerHandle {
  at = -1;
  constructor(
    readonly when: number,
    readonly order: number,
    readonly fire: () => void,
    readonly process: Process | null,
    private readonly heap: Heap<TimerEntry>,
  ) {}
  stop(): boolean {
    this.process?.timers.delete(this);
    return this.heap.remove(this);
  }
}

/**
 * The scheduler: runs generator goroutines one step at a time, on a virtual or a real clock, with a policy that
 * decides wherever a Go program's run could differ. A virtual run is a pure function of program, seed and choices.
 */
export class Kernel extends Emitter {
  readonly clock: Clock;
  readonly random: Random;
  readonly main: Process;
  readonly goroutines = new Map<number, Goroutine>();
  /** Decisions taken so far. */
  steps = 0;
  /** Options chosen at choice points so far; with `scripted` they replay this run. */
  readonly choices: number[] = [];
  /** Set while the policy asks. */
  pendingChoice: Choice | null = null;
  /** Is called when work arrives from outside (a finished call, `post`), so that a driver may pump again. */
  onWake: (() => void) | null = null;

  policy: Policy;
  /** Settled beforehand, oldest first; see `want`. */
  private readonly wanted: WantedChoice[] = [];
  private readonly onPanic: (panic: PanicError) => void;
  private readonly runq = new RunQueue();
  private readonly timers = new Heap<TimerEntry>();
  private pendingAnswer: ((index: number) => void) | null = null;
  private externals = 0;
  /** True inside `step`: whoever becomes runnable then needs no wake-up of the driver. */
  private stepping = false;
  private failure: Error | null = null;
  private nextGoroutine = 1;
  private nextChan = 1;
  private nextTimer = 0;

  constructor(options: KernelOptions = {}) {
    super();
    this.clock = options.clock ?? new VirtualClock();
    this.policy = options.policy ?? fifo();
    this.random = new Random(options.seed ?? 1);
    if (options.sink) this.addSink(options.sink);
    this.onPanic =
      options.onPanic ??
      ((panic) => {
        throw panic;
      });
    this.main = { name: 'main', dead: false, goroutines: new Set(), timers: new Set() };
  }

  now(): number {
    return this.clock.now();
  }

  // --- goroutines ----------------------------------------------------------------------------------------------

  process(name: string): Process {
    const p: Process = { name, dead: false, goroutines: new Set(), timers: new Set() };
    this.emit({ kind: 'process', process: name, state: 'started' });
    return p;
  }

  /**
   * Starts a goroutine, in the process of whoever starts it, unless `options` name another.
   * upstream: the go statement
   */
  go(name: string, body: () => Go<void>, options: GoOptions = {}): Goroutine {
    const parent = currentOrNull()?.g ?? null;
    const process = options.process ?? parent?.process ?? this.main;
    const g = new Goroutine(
      this,
      this.nextGoroutine++,
      name,
      body(),
      process,
      options.quiet ?? parent?.quiet ?? false,
      options.daemon ?? false,
    );
    if (process.dead) {
      g.state = 'dead';
      return g;
    }
    this.goroutines.set(g.id, g);
    process.goroutines.add(g);
    g.cause = parent ? parent.cause : this.causeOutside;
    if (!g.quiet)
      g.cause = this.emitFor(parent, {
        kind: 'goroutine-start',
        id: g.id,
        name,
        parent: parent?.id ?? 0,
        process: process.name,
        ...(options.place && { place: options.place }),
        ...(options.uid && { uid: options.uid }),
      });
    this.runq.push(g);
    if (!this.stepping) this.onWake?.();
    return g;
  }

  /**
   * Ends a process as SIGKILL would: its goroutines never run again (no finally, no defer), its timers never fire,
   * and nobody waits for them any more.
   */
  kill(process: Process, state: 'killed' | 'stopped' = 'killed'): void {
    if (process.dead) return;
    process.dead = true;
    for (const g of process.goroutines) {
      g.unpark?.();
      g.unpark = null;
      this.runq.remove(g);
      this.bury(g, { killed: true });
    }
    process.goroutines.clear();
    // A question that was about the dead, or about who of them goes, is asked again if it still stands.
    const choice = this.pendingChoice;
    if (choice && (choice.kind === 'goroutine' || !this.goroutines.has(choice.g))) {
      this.pendingChoice = null;
      this.pendingAnswer = null;
    }
    for (const t of process.timers) t.stop();
    process.timers.clear();
    this.emit({ kind: 'process', process: process.name, state });
  }

  /** @internal Parks `g`; `unpark` must take it out of whatever queue it is in. */
  park(g: Goroutine, wait: Wait, unpark: () => void, quiet = false): void {
    g.state = 'waiting';
    g.wait = wait;
    g.waitingSince = this.clock.now();
    g.unpark = unpark;
    if (!g.quiet && !quiet) this.emitWait(g, wait);
  }

  /** @internal Makes a goroutine runnable again. */
  ready(g: Goroutine): void {
    if (g.state === 'dead') return;
    g.state = 'runnable';
    g.wait = null;
    g.unpark = null;
    this.runq.push(g);
    if (!this.stepping) this.onWake?.();
  }

  /** @internal Goes on after an op that had to ask is answered, as if its goroutine had never stood still. */
  answered(g: Goroutine): void {
    if (g.state === 'runnable') this.goesOn(g);
  }
  /** Puts a goroutine first in line, unless the policy preempts. */
  private goesOn(g: Goroutine): void {
    if (this.policy.preempts) this.runq.push(g);
    else this.runq.unshift(g);
  }

  private bury(g: Goroutine, end: { panic?: { error: string; stack: string[] }; killed?: true }): void {
    g.state = 'dead';
    g.wait = null;
    g.op = null;
    this.goroutines.delete(g.id);
    if (!g.quiet || end.panic) this.emitFor(g, { kind: 'goroutine-end', id: g.id, ...end });
  }

  // --- time and the outside ------------------------------------------------------------------------------------

  /** Calls `fire` at `when` (Micros), outside any goroutine. It must not block. */
  addTimer(when: number, fire: () => void, process?: Process): TimerHandle {
    const owner = process ?? currentOrNull()?.g.process ?? null;
    const entry = new TimerEntry(when, this.nextTimer++, fire, owner, this.timers);
    if (owner?.dead) return entry;
    this.timers.push(entry);
    owner?.timers.add(entry);
    return entry;
  }

  /** The time at which the next timer is due, or null. */
  nextTimerAt(): number | null {
    return this.timers.peek()?.when ?? null;
  }

  /** @internal used by `call` */
  external(begin: () => Promise<unknown>): Promise<unknown> {
    if (this.clock.virtual) throw new Error('kernel: a call to the outside is not possible on a virtual clock');
    this.externals++;
    return begin();
  }
  /** @internal */
  externalDone(then: () => void): void {
    this.externals--;
    then();
    this.onWake?.();
  }

  /** Runs `fn` between two steps, from outside the kernel (a command, a request), and wakes the driver. */
  post(fn: () => void): void {
    // Causes of earlier events from outside do not apply to this one, and the other way round.
    this.causeOutside = 0;
    try {
      fn();
    } finally {
      this.causeOutside = 0;
      this.onWake?.();
    }
  }

  /** @internal */
  newChanId(): number {
    return this.nextChan++;
  }

  // --- scheduling ----------------------------------------------------------------------------------------------

  /** @internal Decides among `options`; calls `then` with the index now, or when `choose` answers. */
  decide(choice: Choice, then: (index: number) => void): void {
    const wanted = this.wanted.length > 0 ? this.takeWanted(choice) : -1;
    // Drawn all the same, so that what is drawn later does not depend on it.
    const drawn = this.policy.choose(choice);
    const index = wanted >= 0 ? wanted : drawn;
    if (index === null) {
      this.pendingChoice = choice;
      this.pendingAnswer = then;
      return;
    }
    this.choices.push(index);
    then(index);
  }

  /**
   * Settles a choice to come, whatever the policy says then; each once, in the order they were asked for if several
   * fit.
   */
  want(choice: WantedChoice): void {
    this.wanted.push(choice);
  }
  private takeWanted(choice: Choice): number {
    for (let i = 0; i < this.wanted.length; i++) {
      const w = this.wanted[i] as WantedChoice;
      const index =
        choice.kind === 'select'
          ? choice.names.findIndex((name) => 'select' in w && name === w.select)
          : choice.options.findIndex((o) => 'goroutine' in w && o.name === w.goroutine);
      if (index < 0) continue;
      this.wanted.splice(i, 1);
      return index;
    }
    return -1;
  }

  /** Answers the pending choice with an index into its options. */
  choose(index: number): void {
    const { pendingChoice, pendingAnswer } = this;
    if (!pendingChoice || !pendingAnswer) throw new Error('kernel: no choice is pending');
    if (!(index >= 0 && index < pendingChoice.options.length))
      throw new RangeError(
        `kernel: choice ${index} is out of range, there are ${pendingChoice.options.length} options`,
      );
    this.pendingChoice = null;
    this.pendingAnswer = null;
    this.choices.push(index);
    pendingAnswer(index);
    this.onWake?.();
  }

  /** Goroutines that could go next, in the order they became runnable. */
  get runnable(): readonly Goroutine[] {
    return this.runq.toArray();
  }
  /** The first of them, undefined when there is none. */
  get nextRunnable(): Goroutine | undefined {
    return this.runq.at(0);
  }

  /**
   * One scheduler decision: time moves if nobody can run, one goroutine is picked and runs up to its next operation.
   */
  step(): StepResult {
    if (this.pendingChoice) return 'choice';
    if (this.failure) throw this.failure;
    this.stepping = true;
    try {
      const result = this.stepOnce();
      if (this.failure) throw this.failure;
      return result;
    } finally {
      this.stepping = false;
    }
  }

  /** Ends the run: the step that is being taken throws `error` when it is over, and so does each one after it. */
  fail(error: Error): void {
    this.failure ??= error;
  }

  private stepOnce(): StepResult {
    this.fireDueTimers();
    if (this.runq.length === 0) {
      const next = this.timers.peek();
      if (!next || !this.clock.virtual) return 'idle';
      this.clock.advanceTo(next.when);
      this.fireDueTimers();
      if (this.runq.length === 0) return 'ran';
    }
    if (this.runq.length === 1 || !this.choosesGoroutine()) {
      this.resume(this.runq.shift() as Goroutine);
      return 'ran';
    }
    const options = this.runq.toArray().map((g) => ({ id: g.id, name: g.name }));
    this.decide({ kind: 'goroutine', decision: this.steps + 1, options }, (index) =>
      this.resume(this.runq.take(index) as Goroutine),
    );
    return this.pendingChoice ? 'choice' : 'ran';
  }

  private choosesGoroutine(): boolean {
    if (choosesGoroutinesAt(this.policy, this.steps + 1)) return true;
    for (let i = 0; i < this.wanted.length; i++) {
      const w = this.wanted[i] as WantedChoice;
      if (!('goroutine' in w)) continue;
      const at = this.runq.toArray().findIndex((g) => g.name === w.goroutine);
      if (at < 0) continue;
      // The policy lets them go first come first served: it has nothing to say to this.
      this.wanted.splice(i, 1);
      if (at > 0) this.runq.unshift(this.runq.take(at) as Goroutine);
      return false;
    }
    return false;
  }

  private fireDueTimers(): void {
    for (;;) {
      const top = this.timers.peek();
      if (!top || top.when > this.clock.now()) return;
      this.timers.pop();
      top.process?.timers.delete(top);
      this.causeOutside = 0;
      top.fire();
    }
  }

  /** Runs one goroutine up to its next operation and tries that operation. */
  private resume(g: Goroutine): void {
    this.steps++;
    this.clock.tick();
    const before = currentOrNull();
    setRunning(g.self);
    try {
      const op = this.proceed(g);
      // Null: it ended. Dead: it killed its own process, its last wish is not granted.
      if (op === null || g.state === 'dead') return;
      g.op = op;
      const done = op.start(this, g);
      if (done && g.state === 'runnable') this.goesOn(g);
    } finally {
      setRunning(before);
    }
  }

  /** Lets `g` run; the operation it asks for, or null when it ended. */
  private proceed(g: Goroutine): Op | null {
    try {
      let next: IteratorResult<Op, void>;
      if (g.failed) {
        g.failed = false;
        const error = g.error;
        g.error = undefined;
        next = g.body.throw(error);
      } else {
        const value = g.result;
        g.result = undefined;
        next = g.body.next(value);
      }
      if (!next.done) return next.value;
      if (g.state !== 'dead') {
        g.process.goroutines.delete(g);
        this.bury(g, {});
      }
    } catch (error) {
      if (g.state === 'dead') return null;
      g.process.goroutines.delete(g);
      const stack = panicStack(error);
      const panic = new PanicError(
        { id: g.id, name: g.name },
        error,
        stack.length > 0 ? stack : g.frames.map((f) => f.fn).reverse(),
      );
      this.bury(g, { panic: { error: messageOf(error), stack: [...panic.stack_] } });
      // A run that was ended says itself why.
      if (!this.failure) this.onPanic(panic);
    }
    return null;
  }

  /**
   * Steps until nobody can go, `until` (Micros) is reached, `stop` says so, or `maxSteps` were taken. For virtual
   * clocks. Throws DeadlockError when goroutines wait for something that can never come.
   */
  run(options: { until?: number; stop?: () => boolean; maxSteps?: number } = {}): StepResult {
    const until = options.until ?? Number.POSITIVE_INFINITY;
    const last = this.steps + (options.maxSteps ?? Number.POSITIVE_INFINITY);
    for (;;) {
      if (options.stop?.() || this.steps >= last) return 'ran';
      if (this.runq.length === 0 && !this.pendingChoice) {
        const next = this.timers.peek();
        if ((next ? next.when : Number.POSITIVE_INFINITY) > until) {
          this.clock.advanceTo(until === Number.POSITIVE_INFINITY ? this.now() : until);
          if (!next) this.checkDeadlock();
          return next ? 'ran' : 'idle';
        }
      } else if (this.now() >= until) return 'ran';
      const result = this.step();
      if (result === 'idle') {
        this.checkDeadlock();
        return result;
      }
      if (result === 'choice') return result;
    }
  }

  /** Throws if no goroutine can ever run again although some wait. */
  checkDeadlock(): void {
    if (this.runq.length > 0 || this.timers.size > 0 || this.externals > 0 || this.pendingChoice) return;
    const waiting = [...this.goroutines.values()].filter((g) => g.state === 'waiting' && g.wait && !g.daemon);
    if (waiting.length === 0) return;
    const waits = waiting.map((g) => ({ g: g.id, name: g.name, on: g.wait as Wait, text: describeWait(g) }));
    this.emit({ kind: 'deadlock', waits: waits.map(({ g, name, on }) => ({ g, name, on })) });
    throw new DeadlockError(waits);
  }
}

/**
 * Describes what a goroutine waits for: "receive on configCh", "select on plegCh, syncCh", "sleep until 12.3 s"; '' if
 * it does not wait.
 */
export function describeWait(g: Goroutine): string {
  const { wait } = g;
  if (!wait) return '';
  const chans = g.op?.chanNames?.().join(', ');
  const what = chans !== undefined ? ` on ${chans}` : wait.name ? ` on ${wait.name}` : '';
  return `${wait.op}${what}${wait.until !== undefined ? ` until ${wait.until / 1e6} s` : ''}`;
}
