import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldAll, initialState, type NodeState, reduce, type TraceRecord } from '../trace/index.js';
import {
  asked,
  type Chan,
  DeadlockError,
  type Deviation,
  deviating,
  fifo,
  frame,
  type Go,
  gosched,
  Kernel,
  makeChan,
  type Policy,
  receive,
  recv,
  type SelectCase,
  scripted,
  seeded,
  select,
  send,
  sendTo,
  sleep,
} from './index.js';

// --- random programs -----------------------------------------------------------------------------------------------

type Step =
  | { op: 'send' | 'receive'; chan: number }
  | { op: 'select'; cases: readonly { dir: 'send' | 'receive'; chan: number }[] }
  | { op: 'sleep'; micros: number }
  | { op: 'yield' }
  | { op: 'go'; steps: readonly { op: 'send' | 'receive'; chan: number }[] };

const caps = [0, 1, 4];
const chanArb = fc.nat(caps.length - 1);
const simple = fc.record({ op: fc.constantFrom('send' as const, 'receive' as const), chan: chanArb });
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  simple,
  simple,
  fc.record({
    op: fc.constant('select' as const),
    cases: fc.array(fc.record({ dir: fc.constantFrom('send' as const, 'receive' as const), chan: chanArb }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({ op: fc.constant('sleep' as const), micros: fc.nat(50) }),
  fc.constant({ op: 'yield' as const }),
  fc.record({ op: fc.constant('go' as const), steps: fc.array(simple, { maxLength: 3 }) }),
);
const programArb = fc.array(fc.array(stepArb, { maxLength: 12 }), { minLength: 1, maxLength: 5 });
type Program = readonly (readonly Step[])[];

interface Run {
  readonly k: Kernel;
  readonly chans: readonly Chan<number>[];
  readonly records: TraceRecord[];
}

function load(program: Program, policy: Policy): Run {
  const records: TraceRecord[] = [];
  const k = new Kernel({ policy, sink: (r) => records.push(r) });
  const chans = caps.map((cap, i) => makeChan<number>(k, `c${i}`, cap, { describe: (v) => v }));
  const chan = (i: number) => chans[i] as Chan<number>;
  let v = 0;
  function* play(steps: readonly Step[]): Go<void> {
    for (const s of steps)
      yield* frame(s.op, undefined, function* () {
        switch (s.op) {
          case 'send':
            return yield* send(chan(s.chan), ++v);
          case 'receive':
            yield* receive(chan(s.chan));
            return;
          case 'select': {
            const cases: Record<string, SelectCase> = {};
            s.cases.forEach((c, i) => {
              cases[`k${i}`] = c.dir === 'send' ? sendTo(chan(c.chan), ++v) : recv(chan(c.chan));
            });
            yield* select(cases);
            return;
          }
          case 'sleep':
            return yield* sleep(s.micros);
          case 'yield':
            return yield* gosched();
          case 'go':
            k.go('child', () => play(s.steps));
        }
      });
  }
  program.forEach((steps, i) => {
    k.go(`g${i}`, () => play(steps));
  });
  return { k, chans, records };
}

/** Runs to the end, whichever that is. */
function finish({ k }: Run): void {
  try {
    k.run({ maxSteps: 10_000 });
  } catch (error) {
    if (!(error instanceof DeadlockError)) throw error;
  }
}

const options = { numRuns: 300, seed: 7 };
const seedArb = fc.nat(1_000_000);
const anySchedule = (seed: number): Policy => seeded(seed, { goroutines: true, preempts: true });

describe('any program under any schedule', () => {
  it('receives in the order sent, loses nothing, and never holds more than fits', () => {
    fc.assert(
      fc.property(programArb, seedArb, (program, seed) => {
        const run = load(program, anySchedule(seed));
        finish(run);
        for (const ch of run.chans) {
          const of = run.records.filter((r) => (r.kind === 'send' || r.kind === 'receive') && r.chan === ch.id);
          const sent = of.flatMap((r) => (r.kind === 'send' ? [r.item] : []));
          const received = of.flatMap((r) => (r.kind === 'receive' && r.ok ? [r.item] : []));
          expect([...received, ...ch.items]).toEqual(sent);
          expect(ch.len).toBeLessThanOrEqual(ch.cap);
        }
      }),
      options,
    );
  });

  it('leaves nobody waiting for what is there: no wake-up is lost', () => {
    fc.assert(
      fc.property(programArb, seedArb, (program, seed) => {
        const run = load(program, anySchedule(seed));
        finish(run);
        const waiting = [...run.k.goroutines.values()].map((g) => g.wait);
        const of = (i: number) => run.chans[i - 1] as Chan<number>;
        const sends = waiting.flatMap((w) =>
          w?.op === 'send' ? (w.chans ?? []) : (w?.sends ?? []).map((i) => w?.chans?.[i] ?? 0),
        );
        const receives = waiting.flatMap((w) =>
          w?.op === 'receive'
            ? (w.chans ?? [])
            : w?.op === 'select'
              ? (w.chans ?? []).filter((_, i) => !w.sends?.includes(i))
              : [],
        );
        for (const id of sends) expect(of(id).len).toBe(of(id).cap);
        for (const id of receives) expect(of(id).len).toBe(0);
        // One goroutine's select may hold both ends of a channel; two goroutines may not.
        const bySelect = waiting.filter((w) => w?.op === 'select').length;
        if (bySelect === 0) expect(sends.filter((id) => receives.includes(id))).toEqual([]);
      }),
      options,
    );
  });

  it('is told by its records: the reducer ends up with what the kernel holds, after every step', () => {
    fc.assert(
      fc.property(programArb, seedArb, (program, seed) => {
        const run = load(program, anySchedule(seed));
        const state = initialState();
        let folded = 0;
        for (let i = 0; i < 2000; i++) {
          while (folded < run.records.length) reduce(state, run.records[folded++] as TraceRecord);
          expectSame(state, run);
          if (run.k.step() === 'idle') break;
        }
      }),
      { numRuns: 150, seed: 3 },
    );
  });

  it('gives byte-identical records for the same seed', () => {
    fc.assert(
      fc.property(programArb, seedArb, (program, seed) => {
        const a = load(program, anySchedule(seed));
        const b = load(program, anySchedule(seed));
        finish(a);
        finish(b);
        expect(JSON.stringify(a.records)).toBe(JSON.stringify(b.records));
        expect(a.records.map((r) => r.seq)).toEqual(a.records.map((_, i) => i + 1));
      }),
      { numRuns: 100, seed: 5 },
    );
  });

  it('is replayed by its choices, and by somebody who is asked and answers the same', () => {
    fc.assert(
      fc.property(programArb, seedArb, fc.boolean(), (program, seed, goroutines) => {
        const first = load(program, seeded(seed, { goroutines }));
        finish(first);
        const shape = { ...fifo(), choosesGoroutines: goroutines };
        const replay = load(program, scripted(first.k.choices, shape));
        finish(replay);
        expect(replay.records).toEqual(first.records);

        const answers = [...first.k.choices];
        const interactive = load(program, asked(goroutines ? ['goroutine', 'select'] : ['select']));
        for (let i = 0; i < 10_000; i++) {
          if (interactive.k.pendingChoice) interactive.k.choose(answers.shift() ?? 0);
          else if (interactive.k.step() === 'idle') break;
        }
        try {
          interactive.k.checkDeadlock();
        } catch (error) {
          expect(error).toBeInstanceOf(DeadlockError);
        }
        expect(interactive.records).toEqual(first.records);
        expect(interactive.k.choices).toEqual(first.k.choices);
      }),
      options,
    );
  });
});

function expectSame(state: NodeState, run: Run): void {
  for (const ch of run.chans) {
    const view = state.channels[ch.id];
    expect(view?.items.map((i) => i.item)).toEqual(ch.items);
  }
  const live = Object.values(state.goroutines).filter((g) => g.state !== 'dead');
  expect(live.map((g) => g.id).sort()).toEqual([...run.k.goroutines.keys()].sort());
  for (const g of run.k.goroutines.values()) {
    const view = state.goroutines[g.id];
    expect(view?.stack.map((f) => f.fn)).toEqual(g.frames.map((f) => f.fn));
    // A sleeper that has just been woken leaves its first record when it goes on.
    if (g.state === 'waiting') expect(view?.wait).toEqual(g.wait);
    else if (view?.wait && view.wait.op !== 'sleep') expect(view.wait).toBeNull();
  }
  for (const ch of run.chans) {
    const waiting = [...run.k.goroutines.values()].filter((g) => g.wait?.chans?.includes(ch.id));
    const view = state.channels[ch.id];
    const held = [...(view?.receivers ?? []), ...(view?.senders ?? []).map((s) => s.g)];
    expect([...new Set(held)].sort()).toEqual(waiting.map((g) => g.id).sort());
  }
}

// --- choices -------------------------------------------------------------------------------------------------------

describe('select', () => {
  it('is fair: with eight ready channels each is taken equally often (chi-square), for any seed', () => {
    for (const seed of [1, 2, 3, 42, 1_000_003]) {
      const k = new Kernel({ policy: seeded(seed) });
      const chans = Array.from({ length: 8 }, (_, i) => makeChan<number>(k, `c${i}`, 1));
      const counts = new Array<number>(8).fill(0);
      const draws = 8000;
      k.go('loop', function* () {
        for (let n = 0; n < draws; n++) {
          for (const ch of chans) ch.trySend(n);
          const cases = Object.fromEntries(chans.map((ch, i) => [String(i), recv(ch)]));
          const r = yield* select(cases);
          const i = Number(r.case);
          counts[i] = (counts[i] ?? 0) + 1;
        }
      });
      k.run();
      const expected = draws / 8;
      const chi2 = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
      // 7 degrees of freedom: above 24.3 in one of a thousand fair runs.
      expect(chi2).toBeLessThan(24.3);
    }
  });

  it('under fifo takes the first ready case, and is asked about only when there is a choice', () => {
    const k = new Kernel({ policy: asked(['select']) });
    const a = makeChan<number>(k, 'a', 1);
    const b = makeChan<number>(k, 'b', 1);
    const got: string[] = [];
    k.go('main', function* () {
      a.trySend(1);
      got.push((yield* select({ a: recv(a), b: recv(b) })).case);
      a.trySend(2);
      b.trySend(3);
      got.push((yield* select({ a: recv(a), b: recv(b) })).case);
    });
    expect(k.run()).toBe('choice');
    expect(got).toEqual(['a']);
    expect(k.pendingChoice).toEqual({ kind: 'select', decision: 2, g: 1, options: [0, 1], names: ['a', 'b'] });
    expect(k.step()).toBe('choice');
    expect(() => k.choose(2)).toThrow(RangeError);
    k.choose(1);
    expect(k.run()).toBe('idle');
    expect(got).toEqual(['a', 'b']);
    expect(() => k.choose(0)).toThrow('no choice is pending');
  });

  it('any schedule without preemption is fifo with deviations, and without them it is fifo', () => {
    fc.assert(
      fc.property(programArb, seedArb, (program, seed) => {
        const deviations: Deviation[] = [];
        const drawn = seeded(seed, { goroutines: true });
        const noting: Policy = {
          ...drawn,
          choose(choice) {
            const i = drawn.choose(choice) as number;
            const { decision } = choice;
            if (choice.kind === 'select') deviations.push({ decision, case: choice.options[i] as number });
            else deviations.push({ decision, goroutine: choice.options[i]?.id as number });
            return i;
          },
        };
        const first = load(program, noting);
        finish(first);
        const again = load(program, deviating(deviations, fifo()));
        finish(again);
        expect(again.records).toEqual(first.records);
        const plain = load(program, fifo());
        finish(plain);
        // Of another run: what is not possible is passed over.
        const none = load(
          program,
          deviating(
            [
              { decision: 1, goroutine: 99 },
              { decision: 2, case: 99 },
            ],
            fifo(),
          ),
        );
        finish(none);
        expect(none.records).toEqual(plain.records);
      }),
      options,
    );
  });

  it('a script made for another run is refused', () => {
    const k = new Kernel({ policy: scripted([5]) });
    const a = makeChan<number>(k, 'a', 1);
    const b = makeChan<number>(k, 'b', 1);
    k.go('main', function* () {
      a.trySend(2);
      b.trySend(3);
      yield* select({ a: recv(a), b: recv(b) });
    });
    expect(() => k.run()).toThrow(/choice 0 is 5, but this point has 2 options/);
  });

  it('leftovers of selects do not pile up on a channel that is never ready', () => {
    const k = new Kernel();
    const never = makeChan<number>(k, 'never');
    const often = makeChan<number>(k, 'often');
    k.go('loop', function* () {
      for (let i = 0; i < 5000; i++) yield* select({ never: recv(never), often: recv(often) });
    });
    k.go('feeder', function* () {
      for (let i = 0; i < 5000; i++) yield* send(often, i);
    });
    k.run();
    expect((never.receivers as unknown as { waiters: unknown[] }).waiters.length).toBeLessThan(50);
  });
});

describe('the trace of a run', () => {
  it('names span and cause of what happens inside calls, and goes back after them', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    k.go('main', function* () {
      yield* frame('outer', { a: 1 }, function* () {
        k.emit({ kind: 'input', verb: 'first', args: [] });
        yield* frame('inner', undefined, function* () {
          k.emitCause({ kind: 'input', verb: 'second', args: [] });
        });
        k.emit({ kind: 'input', verb: 'third', args: [] });
      });
    });
    k.run();
    const enter = records.filter((r) => r.kind === 'enter');
    const inputs = records.filter((r) => r.kind === 'input');
    expect(inputs.map((r) => r.span)).toEqual([enter[0]?.seq, enter[1]?.seq, enter[0]?.seq]);
    expect(inputs.map((r) => r.cause)).toEqual([enter[0]?.seq, enter[1]?.seq, enter[0]?.seq]);
    expect(enter[0]).toMatchObject({ fn: 'outer', args: { a: 1 } });
    expect(records.filter((r) => r.kind === 'exit')).toMatchObject([
      { of: enter[1]?.seq, fn: 'inner' },
      { of: enter[0]?.seq, fn: 'outer' },
    ]);
    expect(foldAll(records).goroutines['1']?.state).toBe('dead');
  });

  it('what is posted from outside causes only what it causes', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    k.post(() => {
      k.emitCause({ kind: 'input', verb: 'go', args: [] });
      k.go('child', function* () {});
    });
    k.go('stranger', function* () {});
    k.run();
    const starts = records.filter((r) => r.kind === 'goroutine-start');
    expect(starts.map((r) => r.cause)).toEqual([1, 0]);
  });

  it('runs the same with and without somebody who looks', () => {
    const run = (sink?: (r: TraceRecord) => void) => {
      const k = new Kernel({ policy: seeded(3), ...(sink ? { sink } : {}) });
      const ch = makeChan<number>(k, 'ch', 1);
      k.go('a', function* () {
        for (let i = 0; i < 10; i++) yield* frame('s', undefined, () => send(ch, i));
      });
      k.go('b', function* () {
        for (let i = 0; i < 10; i++) yield* select({ ch: recv(ch) });
      });
      k.run();
      return [k.lastSeq, k.now(), k.steps];
    };
    expect(run()).toEqual(run(() => {}));
  });
});
