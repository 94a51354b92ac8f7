import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import { after, formatDuration, Kernel, Millisecond, receive, Second, sleep, Ticker, Timer } from './index.js';

describe('virtual time', () => {
  it('jumps to the next timer, and each decision costs a microsecond', () => {
    const k = new Kernel();
    const at: number[] = [];
    k.go('sleeper', function* () {
      yield* sleep(Second);
      at.push(k.now());
      yield* sleep(0);
      yield* sleep(-5);
      at.push(k.now());
    });
    k.run();
    // Woken at the second it slept to (counted from its first decision), then one decision for each return.
    expect(at).toEqual([Second + 2, Second + 4]);
  });

  it('fires timers in order of time, equal times in order of setting', () => {
    const k = new Kernel();
    const fired: string[] = [];
    for (const [name, when] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const)
      k.addTimer(when, () => fired.push(name));
    k.run();
    expect(fired).toEqual(['a', 'b1', 'b2', 'c']);
  });

  it('run({until}) stops the clock there', () => {
    const k = new Kernel();
    let n = 0;
    k.go('ticker', function* () {
      const t = new Ticker(k, Second);
      for (;;) {
        yield* receive(t.c);
        n++;
      }
    });
    k.run({ until: 2.5 * Second });
    expect([n, k.now()]).toEqual([2, 2.5 * Second]);
    k.run({ until: 10 * Second });
    expect(n).toBe(9);
  });
});

describe('Ticker', () => {
  it('drops ticks while nobody receives and never gives a burst', () => {
    const k = new Kernel();
    const got: number[] = [];
    k.go('slow', function* () {
      const t = new Ticker(k, 10);
      yield* sleep(55);
      // One tick is in the channel, the other four are gone.
      got.push((yield* receive(t.c))[0] ?? 0, (yield* receive(t.c))[0] ?? 0);
    });
    k.run({ until: 100 });
    expect(got[0]).toBeLessThan(20);
    expect(got[1]).toBeGreaterThan(55);
  });

  it('keeps its beat', () => {
    const k = new Kernel();
    const at: number[] = [];
    k.go('g', function* () {
      const t = new Ticker(k, 1000);
      for (let i = 0; i < 5; i++) {
        yield* receive(t.c);
        at.push(k.now());
        yield* sleep(300 * (i % 3));
      }
    });
    k.run({ until: 10_000 });
    expect(at.map((t) => Math.floor((t - 1) / 1000))).toEqual([1, 2, 3, 4, 5]);
  });

  it('stop: no more ticks, but the channel stays open', () => {
    const k = new Kernel();
    const t = new Ticker(k, 10);
    t.stop();
    k.run({ until: 100 });
    expect([t.c.len, t.c.closed]).toEqual([0, false]);
    expect(k.nextTimerAt()).toBeNull();
  });

  it('reset starts a new beat and takes an unread tick back', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    const t = new Ticker(k, 10);
    k.run({ until: 15 });
    expect(t.c.len).toBe(1);
    t.reset(100);
    expect(t.c.len).toBe(0);
    expect(records.at(-1)).toMatchObject({ kind: 'receive', discarded: true, len: 0 });
    k.run({ until: 114 });
    expect(t.c.len).toBe(0);
    k.run({ until: 116 });
    expect(t.c.len).toBe(1);
  });

  it('refuses a period that is none', () => {
    const k = new Kernel();
    expect(() => new Ticker(k, 0)).toThrow('non-positive interval for NewTicker');
    expect(() => new Ticker(k, 1).reset(-1)).toThrow(RangeError);
  });
});

describe('Timer', () => {
  it('fires once', () => {
    const k = new Kernel();
    const t = new Timer(k, 10);
    k.run({ until: 100 });
    expect(t.c.items).toEqual([10]);
    expect(t.stop()).toBe(false);
    expect(t.c.len).toBe(0);
  });

  it('stop before it fired says so, and nothing comes', () => {
    const k = new Kernel();
    const t = new Timer(k, 10);
    expect([t.stop(), t.stop()]).toEqual([true, false]);
    k.run({ until: 100 });
    expect(t.c.len).toBe(0);
  });

  it('reset says whether it was still to come, and fires anew', () => {
    const k = new Kernel();
    const t = new Timer(k, 10);
    k.run({ until: 5 });
    expect(t.reset(10)).toBe(true);
    k.run({ until: 14 });
    expect(t.c.len).toBe(0);
    k.run({ until: 20 });
    expect(t.reset(10)).toBe(false);
    expect(t.c.len).toBe(0);
    k.run({ until: 50 });
    expect(t.c.items).toEqual([30]);
  });

  it('after, and a timer that calls a function', () => {
    const k = new Kernel();
    const got: string[] = [];
    const handle = k.addTimer(5, () => got.push('never'));
    k.addTimer(20, () => got.push('func'));
    k.go('g', function* () {
      yield* receive(after(k, 10));
      got.push('after');
    });
    expect([handle.stop(), handle.stop()]).toEqual([true, false]);
    k.run();
    expect(got).toEqual(['after', 'func']);
  });
});

it('formatDuration prints as Go does', () => {
  const cases: [number, string][] = [
    [0, '0s'],
    [1, '1µs'],
    [1500, '1.5ms'],
    [100 * Millisecond, '100ms'],
    [1.5 * Second, '1.5s'],
    [60 * Second, '1m0s'],
    [80 * Second, '1m20s'],
    [3600 * Second, '1h0m0s'],
    [3661.5 * Second, '1h1m1.5s'],
    [-10 * Second, '-10s'],
  ];
  for (const [d, text] of cases) expect(formatDuration(d)).toBe(text);
});
