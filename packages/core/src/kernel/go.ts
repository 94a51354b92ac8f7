import type { Wait } from '../trace/index.js';
import type { Context } from './context.js';
import type { Kernel } from './kernel.js';

/**
 * Something that may block: asked of the kernel with `yield`. `start` tries it for goroutine `g`: true when it is done
 * (its result in `g.result` or `g.error`), false when `g` is parked until someone calls `kernel.ready(g)`.
 */
export interface Op {
  start(kernel: Kernel, g: Goroutine): boolean;
  /** Names of the channels that it waits on, for words about it. */
  chanNames?(): readonly string[];
}

/** A goroutine's body, or any function that may block. Call it with `yield*`. */
export type Go<T> = Generator<Op, T, unknown>;

/** A process: goroutines that live and die together (the kubelet, the mock runtime). */
export interface Process {
  readonly name: string;
  dead: boolean;
  readonly goroutines: Set<Goroutine>;
  readonly timers: Set<{ stop(): boolean }>;
}

export interface Frame {
  readonly fn: string;
  readonly args: unknown;
  /** seq of its `enter` record. */
  readonly seq: number;
}

export type GoroutineState = 'runnable' | 'waiting' | 'dead';

/** One goroutine. Only the kernel writes its fields. */
export class Goroutine {
  state: GoroutineState = 'runnable';
  /** The value that the op in flight returns, or the error that it throws, when the goroutine goes on. */
  result: unknown = undefined;
  error: unknown = undefined;
  failed = false;
  wait: Wait | null = null;
  waitingSince = 0;
  readonly frames: Frame[] = [];
  /** seq of the record that its next records are caused by. */
  cause = 0;
  /** Takes it out of whatever it waits on; set by the op that parked it. */
  unpark: (() => void) | null = null;
  /** Its last operation. */
  op: Op | null = null;
  /** The value of `current` while it runs. */
  readonly self: { readonly kernel: Kernel; readonly g: Goroutine };

  constructor(
    kernel: Kernel,
    readonly id: number,
    readonly name: string,
    readonly body: Go<void>,
    readonly process: Process,
    /** Quiet goroutines leave no kernel records (starts, waits): the mock's many small processes. */
    readonly quiet: boolean,
    /** A daemon may wait for ever without being a deadlock. */
    readonly daemon: boolean,
  ) {
    this.self = { kernel, g: this };
  }
}

let running: Goroutine['self'] | null = null;

/** The goroutine that is running now, and its kernel. Throws outside of one. */
export function current(): Goroutine['self'] {
  if (!running) throw new Error('kernel: not in a goroutine');
  return running;
}
export function currentOrNull(): Goroutine['self'] | null {
  return running;
}
/** @internal */
export function setRunning(r: typeof running): void {
  running = r;
}

const stacks = new WeakMap<object, { g: Goroutine; frames: string[] }>();

/**
 * Returns the named calls that were open where `error` was thrown, innermost first; empty when it was thrown outside
 * any frame.
 */
export function panicStack(error: unknown): string[] {
  return typeof error === 'object' && error !== null ? (stacks.get(error)?.frames ?? []) : [];
}

function noteStack(error: unknown, g: Goroutine): void {
  if (typeof error !== 'object' || error === null) return;
  // The innermost frame comes first; frames further out, that it passes on its way up, know less. Shared errors
  // (Canceled) are thrown many times.
  const noted = stacks.get(error);
  if (noted && noted.g === g && noted.frames.length > g.frames.length) return;
  stacks.set(error, { g, frames: g.frames.map((f) => f.fn).reverse() });
}

/**
 * Runs `body` as a named call: leaves `enter` and `exit` records, is on the goroutine's stack meanwhile,
 * and is the cause of what it does. `args` and the `result` summary must be JSON.
 */
export function* frame<T>(fn: string, args: unknown, body: () => Go<T>, result?: (value: T) => unknown): Go<T> {
  const { kernel, g } = current();
  const before = g.cause;
  const seq = kernel.enter(g, fn, args);
  try {
    const value = yield* body();
    kernel.exit(g, seq, before, undefined, result?.(value));
    return value;
  } catch (error) {
    noteStack(error, g);
    kernel.exit(g, seq, before, error, undefined);
    throw error;
  }
}

/** Runs a function that cannot block in a frame. Outside a goroutine it just runs. */
export function frameSync<T>(fn: string, args: unknown, body: () => T, result?: (value: T) => unknown): T {
  const r = currentOrNull();
  if (!r) return body();
  const { kernel, g } = r;
  const before = g.cause;
  const seq = kernel.enter(g, fn, args);
  try {
    const value = body();
    kernel.exit(g, seq, before, undefined, result?.(value));
    return value;
  } catch (error) {
    noteStack(error, g);
    kernel.exit(g, seq, before, error, undefined);
    throw error;
  }
}

class YieldOp implements Op {
  start(kernel: Kernel, g: Goroutine): boolean {
    g.result = undefined;
    kernel.ready(g);
    return false;
  }
}
const yieldOp = new YieldOp();

/** Lets the other runnable goroutines go first. upstream: runtime.Gosched */
export function* gosched(): Go<void> {
  yield yieldOp;
}

class SleepOp implements Op {
  constructor(readonly duration: number) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    if (this.duration <= 0) return true;
    const until = kernel.now() + this.duration;
    const timer = kernel.addTimer(until, () => kernel.ready(g), g.process);
    kernel.park(g, { op: 'sleep', until }, () => timer.stop());
    return false;
  }
}

/** Waits `duration` (Micros). upstream: time.Sleep */
export function* sleep(duration: number): Go<void> {
  yield new SleepOp(duration);
}

class CallOp implements Op {
  constructor(
    readonly name: string,
    readonly begin: (signal: AbortSignal) => Promise<unknown>,
    readonly ctx: Context | undefined,
  ) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    const abort = new AbortController();
    let promise: Promise<unknown>;
    try {
      promise = kernel.external(() => this.begin(abort.signal));
    } catch (error) {
      // The caller's to handle, like a promise that is rejected.
      g.failed = true;
      g.error = error;
      return true;
    }
    const stop = this.ctx?.afterFunc(() => abort.abort(this.ctx?.err() ?? undefined));
    let over = false;
    const done = (failed: boolean, value: unknown) => {
      if (over) return;
      over = true;
      stop?.();
      kernel.externalDone(() => {
        if (g.state === 'dead') return;
        g.failed = failed;
        if (failed) g.error = value;
        else g.result = value;
        kernel.ready(g);
      });
    };
    promise.then(
      (value) => done(false, value),
      (error: unknown) => done(true, error),
    );
    kernel.park(g, { op: 'call', name: this.name }, () => {
      if (over) return;
      over = true;
      stop?.();
      abort.abort();
      kernel.externalDone(() => {});
    });
    return false;
  }
}

/**
 * Awaits something outside the kernel (real gRPC, a file). Only on a real clock: on a virtual one it throws,
 * for a run must be a function of its seed. When `ctx` ends the signal aborts; the promise decides what that means.
 */
export function* call<T>(name: string, start: (signal: AbortSignal) => Promise<T>, ctx?: Context): Go<T> {
  return (yield new CallOp(name, start, ctx)) as T;
}
