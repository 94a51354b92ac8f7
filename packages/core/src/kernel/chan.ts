import type { Json, Seq, Wait } from '../trace/index.js';
import { currentOrNull, type Go, type Goroutine, type Op } from './go.js';
import type { Kernel } from './kernel.js';

/** A goroutine that is at a channel, alone or as one case of a select. */
interface Waiter {
  readonly g: Goroutine;
  /** Shared by all cases of one select: true once one of them was taken. */
  readonly turn: { over: boolean };
  readonly caseIndex: number;
  /** The value that a sender sends. */
  readonly value: unknown;
  /** For a select: builds its result, and records it. */
  readonly select: SelectWaiter | null;
}

/** The side of a waiting select that a channel calls. */
interface SelectWaiter {
  recordChosen(kernel: Kernel, g: Goroutine, chosen: number, ready: readonly number[], cause: Seq): void;
  resultOf(i: number, value: unknown, ok: boolean): unknown;
}

/**
 * The goroutines that wait at a channel, first come first served. Those whose select went on elsewhere are passed over.
 */
class WaiterQueue {
  private waiters: Waiter[] = [];
  private compactAt = 16;

  push(w: Waiter): void {
    // Leftovers of selects that went on elsewhere must not pile up on a channel that is never ready.
    if (this.waiters.length >= this.compactAt) {
      this.waiters = this.waiters.filter((x) => !x.turn.over);
      this.compactAt = Math.max(16, this.waiters.length * 2);
    }
    this.waiters.push(w);
  }
  get first(): Waiter | undefined {
    const { waiters } = this;
    while (waiters.length > 0 && (waiters[0] as Waiter).turn.over) waiters.shift();
    return waiters[0];
  }
  take(): Waiter | undefined {
    const w = this.first;
    if (w) {
      this.waiters.shift();
      w.turn.over = true;
    }
    return w;
  }
}

interface Item<T> {
  readonly value: T;
  readonly cause: Seq;
}

export interface ChanOptions<T> {
  /** Returns what the trace shows of an item. Default: nothing (null). */
  describe?(value: T): Json;
  /** A quiet channel leaves no records. */
  readonly quiet?: boolean;
}

/** A Go channel. `null` where a `Chan` may stand is Go's nil channel: never ready. */
export class Chan<T> {
  readonly id: number;
  closed = false;
  /** @internal */ readonly buffer: Item<T>[] = [];
  /** @internal */ readonly receivers = new WaiterQueue();
  /** @internal */ readonly senders = new WaiterQueue();
  /** @internal */ readonly quiet: boolean;
  private readonly describe_: ChanOptions<T>['describe'];

  constructor(
    readonly kernel: Kernel,
    readonly name: string,
    readonly cap: number,
    options: ChanOptions<T> = {},
  ) {
    if (!(Number.isInteger(cap) && cap >= 0))
      throw new RangeError(`makeChan ${name}: capacity ${cap} is not a whole number from 0 on`);
    this.quiet = options.quiet ?? false;
    this.describe_ = options.describe;
    this.id = kernel.newChanId();
    if (!this.quiet) kernel.emit({ kind: 'chan-make', chan: this.id, name, cap });
  }

  /** Items in the buffer. upstream: len(ch) */
  get len(): number {
    return this.buffer.length;
  }
  /** The items in the buffer, oldest first, which stay there. For views, not for programs. */
  get items(): readonly T[] {
    return this.buffer.map((i) => i.value);
  }
  /** @internal */
  describe(value: T): Json {
    return this.describe_ ? this.describe_(value) : null;
  }

  /** @internal */
  get canSend(): boolean {
    return this.closed || this.buffer.length < this.cap || this.receivers.first !== undefined;
  }
  /** @internal */
  get canReceive(): boolean {
    return this.buffer.length > 0 || this.closed || this.senders.first !== undefined;
  }

  /** @internal Sends now; only when canSend. `g` null: from outside any goroutine. */
  sendNow(g: Goroutine | null, value: T): void {
    if (this.closed) throw new Error(`send on closed channel ${this.name}`);
    const receiver = this.receivers.take();
    if (receiver) {
      const cause = this.recordSend(g, value, 0);
      this.deliver(receiver, value, true, cause);
      return;
    }
    const cause = this.recordSend(g, value, this.buffer.length + 1);
    this.buffer.push({ value, cause });
  }

  /** @internal Receives now; only when canReceive. */
  receiveNow(g: Goroutine): [T | undefined, boolean] {
    const item = this.buffer.shift();
    if (item) {
      // A sender that waited for room gets its turn.
      const sender = this.senders.take();
      if (sender) {
        const cause = this.recordSend(sender.g, sender.value as T, this.buffer.length + 1);
        this.buffer.push({ value: sender.value as T, cause });
        this.wakeSender(sender);
      }
      this.recordReceive(g, item.value, true, item.cause);
      return [item.value, true];
    }
    const sender = this.senders.take();
    if (sender) {
      const cause = this.recordSend(sender.g, sender.value as T, 0);
      this.wakeSender(sender);
      this.recordReceive(g, sender.value as T, true, cause);
      return [sender.value as T, true];
    }
    this.recordReceive(g, undefined, false, this.closeCause);
    return [undefined, false];
  }
  private closeCause: Seq = 0;

  /**
   * Closes it: receivers get what is buffered, then (undefined, false). Closing twice panics, as does sending after.
   */
  close(): void {
    if (this.closed) throw new Error(`close of closed channel ${this.name}`);
    this.closed = true;
    this.closeCause = this.quiet ? this.kernel.cause : this.kernel.emit({ kind: 'close', chan: this.id });
    for (let r = this.receivers.take(); r; r = this.receivers.take())
      this.deliver(r, undefined, false, this.closeCause);
    for (let s = this.senders.take(); s; s = this.senders.take()) {
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
    const r = currentOrNull();
    this.sendNow(r && r.kernel === this.kernel ? r.g : null, value);
    return true;
  }

  /** @internal Takes back items that were not received: a stopped timer's tick. */
  discard(): void {
    for (let item = this.buffer.shift(); item; item = this.buffer.shift())
      if (!this.quiet)
        this.kernel.emit({
          kind: 'receive',
          chan: this.id,
          item: this.describe(item.value),
          ok: true,
          len: this.buffer.length,
          discarded: true,
        });
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

  /** Returns what a receiver's doings are caused by. */
  private recordSend(g: Goroutine | null, value: T, len: number): Seq {
    const { kernel } = this;
    if (this.quiet) return g ? g.cause : kernel.causeOutside;
    return kernel.emitSend(g, this.id, kernel.tracing ? this.describe(value) : null, len);
  }

  private recordReceive(g: Goroutine, value: T | undefined, ok: boolean, cause: Seq): void {
    const { kernel } = this;
    if (this.quiet) {
      if (cause) g.cause = cause;
      return;
    }
    g.cause = kernel.emitReceive(
      g,
      this.id,
      ok && kernel.tracing ? this.describe(value as T) : null,
      ok,
      this.buffer.length,
      cause,
    );
  }
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
      // As in Go, a send on a closed channel panics in the sender.
      if (chan.closed) return fail(g, `send on closed channel ${chan.name}`);
      chan.sendNow(g, this.value);
      return true;
    }
    const turn = { over: false };
    chan.senders.push({ g, turn, caseIndex: 0, value: this.value, select: null });
    park(
      kernel,
      g,
      chan.quiet,
      { op: 'send', chans: [chan.id], item: kernel.tracing ? chan.describe(this.value) : null },
      turn,
    );
    return false;
  }
  chanNames(): readonly string[] {
    return [this.chan?.name ?? 'nil'];
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
  chanNames(): readonly string[] {
    return [this.chan?.name ?? 'nil'];
  }
}

const noop = () => {};

/** @internal */
export function fail(g: Goroutine, message: string): boolean {
  g.failed = true;
  g.error = new Error(message);
  return true;
}

/** @internal Parks on channels; quiet ones leave no record of the wait. */
export function park(kernel: Kernel, g: Goroutine, quiet: boolean, wait: Wait, turn: { over: boolean }): void {
  kernel.park(
    g,
    wait,
    () => {
      turn.over = true;
    },
    quiet,
  );
}

/**
 * Sends `value`, waiting for room or a receiver. A nil channel blocks for ever; a closed one panics. upstream: ch <- v
 */
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
