import type { Seq } from '../trace/index.js';
import { type Chan, fail, park } from './chan.js';
import type { Go, Goroutine, Op } from './go.js';
import type { Kernel } from './kernel.js';

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

/** The result of a select; `case` says which one it took. */
export type Selected<C extends Record<string, SelectCase>> = {
  [K in keyof C]: C[K] extends ReceiveCase<infer T>
    ? { case: K; value: T; ok: true } | { case: K; value: undefined; ok: false }
    : { case: K; value: undefined; ok: true };
}[keyof C];

class SelectOp implements Op {
  private readonly ids: number[];
  /** All its channels are quiet, or nil. */
  private readonly quiet: boolean;
  constructor(
    readonly names: readonly string[],
    readonly cases: readonly SelectCase[],
    /** The case to take if it is ready, whatever the policy says; -1: none. */
    private readonly wanted = -1,
  ) {
    this.ids = [];
    let quiet = true;
    for (const { chan } of cases) {
      this.ids.push(chan === null ? 0 : chan.id);
      if (chan && !chan.quiet) quiet = false;
    }
    this.quiet = quiet;
  }
  chanNames(): readonly string[] {
    return this.cases.map((c) => c.chan?.name ?? 'nil');
  }

  start(kernel: Kernel, g: Goroutine): boolean {
    const ready: number[] = [];
    for (let i = 0; i < this.cases.length; i++) {
      const c = this.cases[i] as SelectCase;
      if (c.chan && (c.dir === 'receive' ? c.chan.canReceive : c.chan.canSend)) ready.push(i);
    }
    if (ready.length === 0) {
      this.enqueue(kernel, g);
      return false;
    }
    if (ready.length === 1 || ready.includes(this.wanted)) {
      this.take(kernel, g, ready.includes(this.wanted) ? this.wanted : (ready[0] as number), ready);
      return true;
    }
    const names = ready.map((i) => this.cases[i]?.chan?.name ?? 'nil');
    let decidedNow = true;
    kernel.decide({ kind: 'select', decision: kernel.steps, g: g.id, options: ready, names }, (index) => {
      this.take(kernel, g, ready[index] as number, ready);
      // Answered later, by `choose`: the goroutine was standing still.
      if (!decidedNow) kernel.answered(g);
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
    let sends: number[] | undefined;
    for (let i = 0; i < this.cases.length; i++) {
      const c = this.cases[i] as SelectCase;
      if (c.dir === 'send') {
        sends ??= [];
        sends.push(i);
      }
      if (!c.chan) continue;
      const queue = c.dir === 'receive' ? c.chan.receivers : c.chan.senders;
      queue.push({ g, turn, caseIndex: i, value: c.dir === 'send' ? c.value : undefined, select: this });
    }
    park(
      kernel,
      g,
      this.quiet,
      sends ? { op: 'select', chans: this.ids, sends } : { op: 'select', chans: this.ids },
      turn,
    );
  }

  /** @internal */
  recordChosen(kernel: Kernel, g: Goroutine, chosen: number, ready: readonly number[], cause: Seq): void {
    if (g.quiet || this.quiet) return;
    g.cause = kernel.emitSelect(g, this.ids, ready, chosen, cause);
  }

  /** @internal */
  resultOf(i: number, value: unknown, ok: boolean): unknown {
    return { case: this.names[i], value, ok };
  }
}

/**
 * Waits for one of the cases; with several ready the policy chooses (Go: uniformly at random).
 * upstream: the select statement
 */
export function* select<C extends Record<string, SelectCase>>(cases: C): Go<Selected<C>> {
  return (yield new SelectOp(Object.keys(cases), Object.values(cases))) as Selected<C>;
}

/** Does a `select` that takes the case of that name if it is ready, without a choice of the policy. */
export function* selectWanted<C extends Record<string, SelectCase>>(cases: C, wanted: keyof C): Go<Selected<C>> {
  const names = Object.keys(cases);
  return (yield new SelectOp(names, Object.values(cases), names.indexOf(String(wanted)))) as Selected<C>;
}

/** Returns the names of the cases that are ready now, in order. */
export const readyCases = (cases: Readonly<Record<string, SelectCase>>): string[] =>
  Object.keys(cases).filter((name) => {
    const { chan, dir } = cases[name] as SelectCase;
    return chan !== null && (dir === 'receive' ? chan.canReceive : chan.canSend);
  });
