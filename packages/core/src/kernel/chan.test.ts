import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import {
  type Chan,
  type Go,
  Kernel,
  makeChan,
  PanicError,
  range,
  receive,
  recv,
  select,
  send,
  sendTo,
  sleep,
} from './index.js';

/** Runs a body in a goroutine to its end. */
function inGo(body: (k: Kernel) => Go<void>): Kernel {
  const k = new Kernel();
  k.go('test', () => body(k));
  k.run();
  return k;
}

describe('channels', () => {
  it('holds cap items, then makes senders wait', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch', 2);
    const done: number[] = [];
    k.go('sender', function* () {
      for (let i = 1; i <= 3; i++) {
        yield* send(ch, i);
        done.push(i);
      }
    });
    expect(() => k.run()).toThrow(/send on ch/);
    expect(done).toEqual([1, 2]);
    expect(ch.items).toEqual([1, 2]);
    expect(ch.len).toBe(2);
  });

  it('gives a waiting sender its turn, in order, when there is room', () => {
    const k = new Kernel();
    const ch = makeChan<string>(k, 'ch', 1);
    for (const name of ['a', 'b', 'c'])
      k.go(name, function* () {
        yield* send(ch, name);
      });
    const got: string[] = [];
    k.go('reader', function* () {
      yield* sleep(10);
      for (let i = 0; i < 3; i++) got.push((yield* receive(ch))[0] ?? '');
    });
    k.run();
    expect(got).toEqual(['a', 'b', 'c']);
  });

  it('serves waiting receivers first come first served', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch');
    const got: string[] = [];
    for (const name of ['a', 'b', 'c'])
      k.go(name, function* () {
        const [v] = yield* receive(ch);
        got.push(`${name}${v}`);
      });
    k.go('sender', function* () {
      for (let i = 0; i < 3; i++) yield* send(ch, i);
    });
    k.run();
    expect(got).toEqual(['a0', 'b1', 'c2']);
  });

  it('close: receivers get what is buffered, then nothing; all who wait wake', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch', 3);
    const got: unknown[] = [];
    k.go('main', function* () {
      yield* send(ch, 1);
      yield* send(ch, 2);
      ch.close();
      got.push(yield* receive(ch), yield* receive(ch), yield* receive(ch), yield* receive(ch));
    });
    k.run();
    expect(got).toEqual([
      [1, true],
      [2, true],
      [undefined, false],
      [undefined, false],
    ]);
  });

  it('close wakes every waiting receiver, alone or in a select', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch');
    const other = makeChan<number>(k, 'other');
    const got: unknown[] = [];
    k.go('a', function* () {
      got.push(yield* receive(ch));
    });
    k.go('b', function* () {
      got.push(yield* select({ other: recv(other), ch: recv(ch) }));
    });
    k.go('closer', function* () {
      ch.close();
    });
    k.run();
    expect(got).toEqual([[undefined, false], { case: 'ch', value: undefined, ok: false }]);
  });

  it('a sender that waits when the channel is closed panics, and may catch it', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch');
    const caught: string[] = [];
    for (const way of ['alone', 'in a select'])
      k.go(way, function* () {
        try {
          if (way === 'alone') yield* send(ch, 1);
          else yield* select({ out: sendTo(ch, 1) });
        } catch (error) {
          caught.push(`${way}: ${(error as Error).message}`);
        }
      });
    k.go('closer', function* () {
      ch.close();
    });
    k.run();
    expect(caught).toEqual(['alone: send on closed channel ch', 'in a select: send on closed channel ch']);
  });

  it('panics on sending to, and on closing, a closed channel', () => {
    expect(() =>
      inGo(function* (k) {
        const ch = makeChan<number>(k, 'ch', 1);
        ch.close();
        yield* send(ch, 1);
      }),
    ).toThrow('panic in goroutine 1 [test]: send on closed channel ch');
    expect(() =>
      inGo(function* (k) {
        const ch = makeChan<number>(k, 'ch', 1);
        ch.close();
        yield* select({ out: sendTo(ch, 1) });
      }),
    ).toThrow(PanicError);
    expect(() =>
      inGo(function* (k) {
        const ch = makeChan<number>(k, 'ch');
        ch.close();
        ch.close();
      }),
    ).toThrow('close of closed channel ch');
  });

  it('a nil channel blocks for ever, and is no case of a select', () => {
    expect(() =>
      inGo(function* () {
        yield* receive(null);
      }),
    ).toThrow(/goroutine 1 \[test\]: receive on nil/);
    expect(() =>
      inGo(function* () {
        yield* send<number>(null, 1);
      }),
    ).toThrow(/send on nil/);
    const got: string[] = [];
    inGo(function* (k) {
      const ch = makeChan<number>(k, 'ch', 1);
      yield* send(ch, 1);
      got.push((yield* select({ nil: recv<number>(null), ch: recv(ch) })).case);
    });
    expect(got).toEqual(['ch']);
  });

  it('refuses a capacity that is none', () => {
    const k = new Kernel();
    for (const cap of [-1, 1.5, Number.NaN]) expect(() => makeChan(k, 'ch', cap)).toThrow(RangeError);
  });

  it('trySend never waits', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch', 1);
    expect([ch.trySend(1), ch.trySend(2)]).toEqual([true, false]);
    const unbuffered = makeChan<number>(k, 'unbuffered');
    expect(unbuffered.trySend(1)).toBe(false);
    const got: number[] = [];
    k.go('reader', function* () {
      got.push((yield* receive(unbuffered))[0] ?? 0);
    });
    k.run({ maxSteps: 1, stop: () => false });
    expect(unbuffered.trySend(7)).toBe(true);
    k.run();
    expect(got).toEqual([7]);
  });

  it('range ends with the channel', () => {
    const got: number[] = [];
    inGo(function* (k) {
      const ch = makeChan<number>(k, 'ch', 5);
      for (let i = 0; i < 3; i++) yield* send(ch, i);
      ch.close();
      yield* range(ch, function* (v) {
        got.push(v);
      });
    });
    expect(got).toEqual([0, 1, 2]);
  });

  it('an item is the cause of what its receiver does', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    const ch = makeChan<string>(k, 'ch', 1, { describe: (v) => v });
    k.go('sender', function* () {
      yield* send(ch, 'x');
    });
    k.go('receiver', function* () {
      yield* receive(ch);
      k.emit({ kind: 'input', verb: 'after', args: [] });
    });
    k.run();
    const by = (kind: string) => records.find((r) => r.kind === kind);
    expect(by('send')).toMatchObject({ item: 'x', len: 1 });
    expect(by('receive')?.cause).toBe(by('send')?.seq);
    expect(by('input')?.cause).toBe(by('receive')?.seq);
  });

  it('a quiet channel leaves no record but hands its cause on', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    const ch = makeChan<string>(k, 'ch', 0, { quiet: true });
    k.go('receiver', function* () {
      yield* receive(ch);
      k.emit({ kind: 'input', verb: 'after', args: [] });
    });
    k.go('closer', function* () {
      k.emitCause({ kind: 'input', verb: 'before', args: [] });
      ch.close();
    });
    k.run();
    const inputs = records.filter((r) => r.kind === 'input');
    expect(inputs[1]?.cause).toBe(inputs[0]?.seq);
    expect(records.map((r) => r.kind)).toEqual([
      'goroutine-start',
      'goroutine-start',
      'input',
      'goroutine-end',
      'input',
      'goroutine-end',
    ]);
  });
});

// --- against a model -----------------------------------------------------------------------------------------------

type Command =
  | { worker: number; op: 'send' | 'receive' | 'close'; chan: number }
  | { worker: number; op: 'select'; cases: readonly { dir: 'send' | 'receive'; chan: number }[] };

/**
 * Go's rules for channels, written for clearness. A select with several ready cases takes the first, as `fifo` does.
 */
class Model {
  readonly chans: { cap: number; closed: boolean; buffer: number[]; receivers: Waiting[]; senders: Waiting[] }[];
  readonly log: string[] = [];
  private over = new Set<number>();
  private turns = 0;
  constructor(caps: readonly number[]) {
    this.chans = caps.map((cap) => ({ cap, closed: false, buffer: [], receivers: [], senders: [] }));
  }
  busy(worker: number): boolean {
    return this.chans.some((c) =>
      [...c.receivers, ...c.senders].some((w) => w.worker === worker && !this.over.has(w.turn)),
    );
  }
  private first(queue: Waiting[]): Waiting | undefined {
    return queue.find((w) => !this.over.has(w.turn));
  }
  private ready(dir: 'send' | 'receive', i: number): boolean {
    const c = this.chan(i);
    if (dir === 'send') return c.closed || c.buffer.length < c.cap || this.first(c.receivers) !== undefined;
    return c.closed || c.buffer.length > 0 || this.first(c.senders) !== undefined;
  }
  private chan(i: number) {
    const c = this.chans[i];
    if (!c) throw new Error('no such channel');
    return c;
  }
  private done(worker: number, what: string): number {
    return this.log.push(`${worker} ${what}`);
  }
  private doNow(worker: number, dir: 'send' | 'receive', i: number, v: number): number {
    const c = this.chan(i);
    if (dir === 'send') {
      if (c.closed) return this.done(worker, `panic ${i}`);
      const r = this.first(c.receivers);
      if (r) {
        this.over.add(r.turn);
        this.done(r.worker, `received ${i} ${v}`);
      } else c.buffer.push(v);
      return this.done(worker, `sent ${i}`);
    }
    if (c.buffer.length > 0) {
      const got = c.buffer.shift();
      const s = this.first(c.senders);
      if (s) {
        this.over.add(s.turn);
        c.buffer.push(s.value);
        this.done(s.worker, `sent ${i}`);
      }
      return this.done(worker, `received ${i} ${got}`);
    }
    const s = this.first(c.senders);
    if (s) {
      this.over.add(s.turn);
      this.done(s.worker, `sent ${i}`);
      return this.done(worker, `received ${i} ${s.value}`);
    }
    return this.done(worker, `received ${i} closed`);
  }
  private wait(worker: number, cases: readonly { dir: 'send' | 'receive'; chan: number }[], v: number): void {
    const turn = ++this.turns;
    for (const c of cases)
      (c.dir === 'send' ? this.chan(c.chan).senders : this.chan(c.chan).receivers).push({ worker, turn, value: v });
  }
  run(command: Command, v: number): unknown {
    const { worker } = command;
    if (command.op === 'close') {
      const c = this.chan(command.chan);
      if (c.closed) return this.done(worker, `panic ${command.chan}`);
      c.closed = true;
      for (let r = this.first(c.receivers); r; r = this.first(c.receivers)) {
        this.over.add(r.turn);
        this.done(r.worker, `received ${command.chan} closed`);
      }
      for (let s = this.first(c.senders); s; s = this.first(c.senders)) {
        this.over.add(s.turn);
        this.done(s.worker, `panic ${command.chan}`);
      }
      return this.done(worker, `closed ${command.chan}`);
    }
    const cases = command.op === 'select' ? command.cases : [{ dir: command.op, chan: command.chan }];
    const chosen = cases.find((c) => this.ready(c.dir, c.chan));
    return chosen ? this.doNow(worker, chosen.dir, chosen.chan, v) : this.wait(worker, cases, v);
  }
}
interface Waiting {
  readonly worker: number;
  readonly turn: number;
  readonly value: number;
}

const WORKERS = 4;
const caps = [0, 0, 1, 3];
const chanArb = fc.nat(caps.length - 1);
const caseArb = fc.record({ dir: fc.constantFrom('send' as const, 'receive' as const), chan: chanArb });
const workerArb = fc.nat(WORKERS - 1);
const commandArb: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      worker: workerArb,
      op: fc.constantFrom('send' as const, 'receive' as const),
      chan: chanArb,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      worker: workerArb,
      op: fc.constant('select' as const),
      cases: fc.array(caseArb, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ worker: workerArb, op: fc.constant('close' as const), chan: chanArb }) },
);

describe('channels against a model', () => {
  it('send, receive, select and close do what Go does, in the same order', () => {
    fc.assert(
      fc.property(fc.array(commandArb, { maxLength: 60 }), (commands) => {
        const k = new Kernel();
        const chans = caps.map((cap, i) => makeChan<number>(k, `c${i}`, cap));
        const chan = (i: number) => chans[i] as Chan<number>;
        const log: string[] = [];
        const mail = Array.from({ length: WORKERS }, (_, w) =>
          makeChan<[Command, number]>(k, `mail${w}`, 1, { quiet: true }),
        );
        mail.forEach((box, w) => {
          k.go(
            `worker${w}`,
            function* () {
              for (;;) {
                const [letter] = yield* receive(box);
                const [command, v] = letter as [Command, number];
                try {
                  log.push(`${w} ${yield* perform(command, v, chan)}`);
                } catch (error) {
                  log.push(`${w} panic ${/c(\d)$/.exec((error as Error).message)?.[1]}`);
                }
              }
            },
            { daemon: true },
          );
        });
        k.run();
        const model = new Model(caps);
        let v = 0;
        for (const command of commands) {
          if (model.busy(command.worker)) continue;
          log.length = 0;
          model.log.length = 0;
          v++;
          model.run(command, v);
          mail[command.worker]?.trySend([command, v]);
          k.run();
          // The goroutine that is woken first goes on first; the order among one command's doers is the run queue's.
          expect([...log].sort()).toEqual([...model.log].sort());
          chans.forEach((c, i) => {
            expect(c.items).toEqual(model.chans[i]?.buffer);
          });
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});

function* perform(command: Command, v: number, chan: (i: number) => Chan<number>): Go<string> {
  switch (command.op) {
    case 'send':
      yield* send(chan(command.chan), v);
      return `sent ${command.chan}`;
    case 'receive': {
      const [got, ok] = yield* receive(chan(command.chan));
      return `received ${command.chan} ${ok ? got : 'closed'}`;
    }
    case 'close':
      chan(command.chan).close();
      return `closed ${command.chan}`;
    case 'select': {
      const cases = Object.fromEntries(
        command.cases.map((c, i) => [`k${i}`, c.dir === 'send' ? sendTo(chan(c.chan), v) : recv(chan(c.chan))]),
      );
      const r = yield* select(cases);
      const c = command.cases[Number(String(r.case).slice(1))] as { dir: 'send' | 'receive'; chan: number };
      return c.dir === 'send' ? `sent ${c.chan}` : `received ${c.chan} ${r.ok ? r.value : 'closed'}`;
    }
  }
}
