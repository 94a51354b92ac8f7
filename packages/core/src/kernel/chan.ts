import type { Json, Seq, Wait } from '../trace/index.js';
import { current, type Go, type Goroutine, type Op } from './go.js';
import type { Kernel } from './kernel.js';

/** A goroutine that stands at a channel, alone or as one case of a select. */
interface Waiter {
  readonly g: Goroutine;
  /** Shared by all cases of one select: true once one of them was taken. */
  readonly turn: { over: boolean };
  readonly caseIndex: number;
  /** What a sender wants to send. */
  readonly value: unknown;
  /** For a select: builds its result, and records it. */
  readonly select: SelectOp | null;
}

interface Item<T> {
  readonly value: T;
  readonly cause: Seq;
}

export interface ChanOptions<T> {
  /** What the trace shows of an item. Default: nothing (null). */
  describe?(value: T): Json;
  /** A quiet channel leaves no records. */
  readonly quiet?: boolean;
}

/** A Go channel. `null` where a `Chan` may stand is Go's nil channel: never ready. */
export class Chan<T> {
  readonly id: number;
  closed = false;
  /** @internal */ readonly buffer: Item<T>[] = [];
  /** @internal */ readonly receivers: Waiter[] = [];
  /** @internal */ readonly senders: Waiter[] = [];
  /** @internal */ readonly quiet: boolean;
  private readonly describe_: ChanOptions<T>['describe'];

  constructor(
    readonly kernel: Kernel,
    readonly name: string,
    readonly cap: number,
    options: ChanOptions<T> = {},
  ) {
    if (!(Number.isInteger(cap) && cap >= 0)) throw new RangeError(`makeChan ${name}: capacity ${cap} is not a whole number from 0 on`);
    this.quiet = options.quiet ?? false;
    this.describe_ = options.describe;
    this.id = kernel.newChanId(name);
    if (!this.quiet) kernel.emit({ kind: 'chan-make', chan: this.id, name, cap });
  }

  /** Items in the buffer. upstream: len(ch) */
  get len(): number {
    return this.buffer.length;
  }
  /** What stands in the buffer, oldest first, without taking it. For views, not for programs. */
  get items(): readonly T[] {
    return this.buffer.map((i) => i.value);
  }
  /** @internal */
  describe(value: T): Json {
    return this.describe_ ? this.describe_(value) : null;
  }

  /** @internal */
  get canSend(): boolean {
    return this.closed || this.buffer.length < this.cap || first(this.receivers) !== undefined;
  }
  /** @internal */
  get canReceive(): boolean {
    return this.buffer.length > 0 || this.closed || first(this.senders) !== undefined;
  }

  /** @internal Sends now; only when canSend. `g` null: from outside any goroutine. */
  sendNow(g: Goroutine | null, value: T): void {
    if (this.closed) throw new Error(`send on closed channel ${this.name}`);
    const receiver = take(this.receivers);
    if (receiver) {
      const cause = this.recordSend(g, value, 0);
      this.deliver(receiver, value, true, cause);
      return;
    }
    const cause = this.recordSend(g, value, this.buffer.length + 1);
    this.buffer.push({ value, cause: cause || (g?.cause ?? 0) });
  }

  /** @internal Receives now; only when canReceive. */
  receiveNow(g: Goroutine): [T | undefined, boolean] {
    const item = this.buffer.shift();
    if (item) {
      // A sender that waited for room gets its turn.
      const sender = take(this.senders);
      if (sender) {
        const cause = this.recordSend(sender.g, sender.value as T, this.buffer.length + 1);
        this.buffer.push({ value: sender.value as T, cause: cause || sender.g.cause });
        this.wakeSender(sender);
      }
      this.recordReceive(g, item.value, true, item.cause);
      return [item.value, true];
    }
    const sender = take(this.senders);
    if (sender) {
      const cause = this.recordSend(sender.g, sender.value as T, 0);
      this.wakeSender(sender);
      this.recordReceive(g, sender.value as T, true, cause || sender.g.cause);
      return [sender.value as T, true];
    }
    this.recordReceive(g, undefined, false, this.closeCause);
    return [undefined, false];
  }
  private closeCause: Seq = 0;

  /** Closes it: receivers get what is buffered, then (undefined, false). Closing twice panics, as does sending after. */
  close(): void {
    if (this.closed) throw new Error(`close of closed channel ${this.name}`);
    this.closed = true;
    if (!this.quiet) this.closeCause = this.kernel.emit({ kind: 'close', chan: this.id });
    for (let r = take(this.receivers); r; r = take(this.receivers)) this.deliver(r, undefined, false, this.closeCause);
    for (let s = take(this.senders); s; s = take(this.senders)) {
      s.g.failed = true;
      s.g.error = new Error(`send on closed channel ${this.name}`);
      this.kernel.ready(s.g);
    }
  }

  /**
   * Sends if it can be done without blocking; true if it was. Callable outside goroutines, as timers do.
   * upstream: select { case ch <- v: default: }
   */
  trySend(value: T): boolean {
    if (!this.canSend) return false;
    const r = safeCurrent(this.kernel);
    this.sendNow(r, value);
    return true;
  }

  private deliver(receiver: Waiter, value: T | undefined, ok: boolean, cause: Seq): void {
    const g = receiver.g;
    if (receiver.select) receiver.select.recordChosen(this.kernel, g, receiver.caseIndex, [receiver.caseIndex], cause);
    this.recordReceive(g, value, ok, cause);
    g.result = receiver.select ? receiver.select.resultOf(receiver.caseIndex, value, ok) : [value, ok];
    this.kernel.ready(g);
  }

  private wakeSender(sender: Waiter): void {
    const g = sender.g;
    if (sender.select) {
      sender.select.recordChosen(this.kernel, g, sender.caseIndex, [sender.caseIndex], g.cause);
      g.result = sender.select.resultOf(sender.caseIndex, undefined, true);
    } else g.result = undefined;
    this.kernel.ready(g);
  }

  private recordSend(g: Goroutine | null, value: T, len: number): Seq {
    if (this.quiet) return g?.cause ?? 0;
    if (!this.kernel.tracing) return this.kernel.emitFor(g, QUIET_BODY);
    return this.kernel.emitFor(g, { kind: 'send', chan: this.id, item: this.describe(value), len });
  }

  private recordReceive(g: Goroutine, value: T | undefined, ok: boolean, cause: Seq): void {
    if (this.quiet) {
      if (cause) g.cause = cause;
      return;
    }
    const body = this.kernel.tracing
      ? ({ kind: 'receive', chan: this.id, item: ok ? this.describe(value as T) : null, ok, len: this.buffer.length } as const)
      : QUIET_BODY;
    g.cause = this.kernel.emitFor(g, body, cause);
  }
}

const QUIET_BODY = { kind: 'close', chan: 0 } as const;

function safeCurrent(kernel: Kernel): Goroutine | null {
  try {
    const r = current();
    return r.kernel === kernel ? r.g : null;
  } catch {
    return null;
  }
}

function first(queue: Waiter[]): Waiter | undefined {
  while (queue.length > 0 && (queue[0] as Waiter).turn.over) queue.shift();
  return queue[0];
}
function take(queue: Waiter[]): Waiter | undefined {
  const w = first(queue);
  if (w) {
    queue.shift();
    w.turn.over = true;
  }
  return w;
}

/** upstream: make(chan T, cap) */
export function makeChan<T>(kernel: Kernel, name: string, cap = 0, options?: ChanOptions<T>): Chan<T> {
  return new Chan<T>(kernel, name, cap, options);
}

class SendOp<T> implements Op {
  constructor(
    readonly chan: Chan<T> | null,
    readonly value: T,
  ) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    const chan = this.chan;
    if (!chan) {
      kernel.park(g, { op: 'send', chans: [0] }, noop);
      return false;
    }
    if (chan.canSend) {
      // As Go's: a send on a closed channel panics in the sender.
      if (chan.closed) return fail(g, `send on closed channel ${chan.name}`);
      chan.sendNow(g, this.value);
      return true;
    }
    const turn = { over: false };
    chan.senders.push({ g, turn, caseIndex: 0, value: this.value, select: null });
    park(kernel, g, chan.quiet, { op: 'send', chans: [chan.id], item: kernel.tracing ? chan.describe(this.value) : null }, turn);
    return false;
  }
}

class ReceiveOp<T> implements Op {
  constructor(readonly chan: Chan<T> | null) {}
  start(kernel: Kernel, g: Goroutine): boolean {
    const chan = this.chan;
    if (!chan) {
      kernel.park(g, { op: 'receive', chans: [0] }, noop);
      return false;
    }
    if (chan.canReceive) {
      g.result = chan.receiveNow(g);
      return true;
    }
    const turn = { over: false };
    chan.receivers.push({ g, turn, caseIndex: 0, value: undefined, select: null });
    park(kernel, g, chan.quiet, { op: 'receive', chans: [chan.id] }, turn);
    return false;
  }
}

const noop = () => {};

function fail(g: Goroutine, message: string): boolean {
  g.failed = true;
  g.error = new Error(message);
  return true;
}

/** @internal Parks on channels; quiet ones leave no record of the wait. */
function park(kernel: Kernel, g: Goroutine, quiet: boolean, wait: Wait, turn: { over: boolean }): void {
  kernel.park(g, wait, () => {
    turn.over = true;
  }, quiet);
}

/** Sends `value`, waiting for room or a receiver. A nil channel blocks for ever; a closed one panics. upstream: ch <- v */
export function* send<T>(chan: Chan<T> | null, value: T): Go<void> {
  yield new SendOp(chan, value);
}

/** Receives: [value, true], or [undefined, false] once the channel is closed and empty. upstream: v, ok := <-ch */
export function* receive<T>(chan: Chan<T> | null): Go<[T, true] | [undefined, false]> {
  return (yield new ReceiveOp(chan)) as [T, true] | [undefined, false];
}

/** Calls `body` for each item until the channel is closed and empty. upstream: for v := range ch */
export function* range<T>(chan: Chan<T>, body: (value: T) => Go<void>): Go<void> {
  for (;;) {
    const [value, ok] = yield* receive(chan);
    if (!ok) return;
    yield* body(value);
  }
}

// --- select ------------------------------------------------------------------------------------------------------

export interface ReceiveCase<T> {
  readonly dir: 'receive';
  readonly chan: Chan<T> | null;
}
export interface SendCase<T> {
  readonly dir: 'send';
  readonly chan: Chan<T> | null;
  readonly value: T;
}
export type SelectCase = ReceiveCase<unknown> | SendCase<unknown>;

/** A select's case `case v, ok := <-chan`. */
export const recv = <T>(chan: Chan<T> | null): ReceiveCase<T> => ({ dir: 'receive', chan });
/** A select's case `case chan <- value`. */
export const sendTo = <T>(chan: Chan<T> | null, value: T): SendCase<T> => ({ dir: 'send', chan, value });

/** What a select came to, told apart by `case`. */
export type Selected<C extends Record<string, SelectCase>> = {
  [K in keyof C]: C[K] extends ReceiveCase<infer T>
    ? { case: K; value: T; ok: true } | { case: K; value: undefined; ok: false }
    : { case: K; value: undefined; ok: true };
}[keyof C];

class SelectOp implements Op {
  constructor(
    readonly names: readonly string[],
    readonly cases: readonly SelectCase[],
    readonly hasDefault: boolean,
  ) {}

  start(kernel: Kernel, g: Goroutine): boolean {
    const ready: number[] = [];
    for (let i = 0; i < this.cases.length; i++) {
      const c = this.cases[i] as SelectCase;
      if (c.chan && (c.dir === 'receive' ? c.chan.canReceive : c.chan.canSend)) ready.push(i);
    }
    if (ready.length === 0) {
      if (this.hasDefault) {
        this.recordChosen(kernel, g, -1, ready, g.cause);
        g.result = { case: 'default', value: undefined, ok: true };
        return true;
      }
      this.enqueue(kernel, g);
      return false;
    }
    if (ready.length === 1) {
      this.take(kernel, g, ready[0] as number, ready);
      return true;
    }
    const names = ready.map((i) => this.cases[i]?.chan?.name ?? 'nil');
    let decidedNow = true;
    kernel.decide({ kind: 'select', g: g.id, options: ready, names }, (index) => {
      this.take(kernel, g, ready[index] as number, ready);
      // Answered later, by `choose`: the goroutine was standing still.
      if (!decidedNow) kernel.ready(g);
    });
    decidedNow = false;
    return kernel.pendingChoice === null;
  }

  private take(kernel: Kernel, g: Goroutine, i: number, ready: readonly number[]): void {
    const c = this.cases[i] as SelectCase;
    const chan = c.chan as Chan<unknown>;
    this.recordChosen(kernel, g, i, ready, g.cause);
    if (c.dir === 'receive') {
      const [value, ok] = chan.receiveNow(g);
      g.result = this.resultOf(i, value, ok);
    } else if (chan.closed) fail(g, `send on closed channel ${chan.name}`);
    else {
      chan.sendNow(g, c.value);
      g.result = this.resultOf(i, undefined, true);
    }
  }

  private enqueue(kernel: Kernel, g: Goroutine): void {
    const turn = { over: false };
    let quiet = true;
    for (let i = 0; i < this.cases.length; i++) {
      const c = this.cases[i] as SelectCase;
      if (!c.chan) continue;
      if (!c.chan.quiet) quiet = false;
      const queue = c.dir === 'receive' ? c.chan.receivers : c.chan.senders;
      // Leftovers of selects that went on elsewhere must not pile up on a channel that is never ready.
      if (queue.length > 8) compact(queue);
      queue.push({ g, turn, caseIndex: i, value: c.dir === 'send' ? c.value : undefined, select: this });
    }
    park(kernel, g, quiet, { op: 'select', chans: this.cases.map((c) => c.chan?.id ?? 0) }, turn);
  }

  /** @internal */
  recordChosen(kernel: Kernel, g: Goroutine, chosen: number, ready: readonly number[], cause: Seq): void {
    if (g.quiet || this.cases.every((c) => !c.chan || c.chan.quiet)) return;
    g.cause = kernel.emitFor(g, { kind: 'select', cases: this.cases.map((c) => c.chan?.id ?? 0), ready, chosen }, cause);
  }

  /** @internal */
  resultOf(i: number, value: unknown, ok: boolean): unknown {
    return { case: this.names[i], value, ok };
  }
}

function compact(queue: Waiter[]): void {
  let n = 0;
  for (const w of queue) if (!w.turn.over) queue[n++] = w;
  queue.length = n;
}

/**
 * Waits for one of the cases; with several ready the policy chooses (Go: uniformly at random).
 * upstream: the select statement
 */
export function* select<C extends Record<string, SelectCase>>(cases: C): Go<Selected<C>> {
  return (yield new SelectOp(Object.keys(cases), Object.values(cases), false)) as Selected<C>;
}

/** `select` with a default case: never waits; `{case: 'default'}` when nothing is ready. */
export function* selectDefault<C extends Record<string, SelectCase>>(cases: C): Go<Selected<C> | { case: 'default'; value: undefined; ok: true }> {
  return (yield new SelectOp(Object.keys(cases), Object.values(cases), true)) as Selected<C>;
}
