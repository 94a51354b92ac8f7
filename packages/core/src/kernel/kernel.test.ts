import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import {
  type Chan,
  frame,
  Kernel,
  makeChan,
  readyCases,
  receive,
  recv,
  Second,
  seeded,
  select,
  selectWanted,
  send,
  sleep,
  Ticker,
} from './index.js';

describe('kernel', () => {
  it('hands values over an unbuffered channel in order', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'numbers');
    const got: number[] = [];
    k.go('producer', function* () {
      for (let i = 0; i < 3; i++) yield* send(ch, i);
      ch.close();
    });
    k.go('consumer', function* () {
      for (;;) {
        const [v, ok] = yield* receive(ch);
        if (!ok) return;
        got.push(v);
      }
    });
    expect(k.run()).toBe('idle');
    expect(got).toEqual([0, 1, 2]);
  });

  it('runs a virtual hour of ticks and drops ticks for a slow receiver', () => {
    const k = new Kernel();
    let n = 0;
    k.go('slow', function* () {
      const t = new Ticker(k, Second);
      for (;;) {
        yield* receive(t.c);
        n++;
        yield* sleep(2.5 * Second);
      }
    });
    k.run({ until: 3600 * Second });
    expect(n).toBe(1440);
  });

  it('gives the same trace for the same seed', () => {
    const run = (seed: number) => {
      const records: TraceRecord[] = [];
      const k = new Kernel({ policy: seeded(seed), sink: (r) => records.push(r) });
      const a = makeChan<string>(k, 'a', 5);
      const b = makeChan<string>(k, 'b', 5);
      k.go('main', function* () {
        yield* frame('fill', undefined, function* () {
          for (let i = 0; i < 5; i++) {
            yield* send(a, 'a');
            yield* send(b, 'b');
          }
        });
        for (let i = 0; i < 8; i++) yield* select({ a: recv(a), b: recv(b) });
      });
      k.run();
      return JSON.stringify(records);
    };
    expect(run(1)).toBe(run(1));
    expect(run(1)).not.toBe(run(2));
  });

  it.each([1, 2, 3, 4])(
    'takes the case of a select that is wanted, if it is ready, whatever the policy chose (%i)',
    (seed) => {
      const k = new Kernel({ policy: seeded(seed) });
      const [a, b, c] = ['a', 'b', 'c'].map((name) => makeChan<string>(k, name, 5)) as [
        Chan<string>,
        Chan<string>,
        Chan<string>,
      ];
      const taken: string[] = [];
      k.go('main', function* () {
        for (const chan of [a, a, b, b]) yield* send(chan, '');
        const cases = { a: recv(a), b: recv(b), c: recv(c) };
        expect(readyCases(cases)).toEqual(['a', 'b']);
        for (const wanted of ['b', 'a', 'b', 'c'] as const) taken.push((yield* selectWanted(cases, wanted)).case);
      });
      k.run();
      // The last one is not ready: what is takes its place.
      expect(taken).toEqual(['b', 'a', 'b', 'a']);
    },
  );

  it('says who waits on what in a deadlock', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'never');
    k.go('waiter', function* () {
      yield* receive(ch);
    });
    expect(() => k.run()).toThrow(/goroutine 1 \[waiter\]: receive on never/);
  });
});
