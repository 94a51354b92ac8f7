import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gosched, Kernel, Mutex, seeded, sleep, WaitGroup } from './index.js';

describe('Mutex', () => {
  it('lets one in at a time, in the order they came, under any schedule', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 2, max: 6 }), (seed, n) => {
        const k = new Kernel({ policy: seeded(seed, { goroutines: true, preempts: true }) });
        const mu = new Mutex(k, 'mu');
        let inside = 0;
        let most = 0;
        const asked: number[] = [];
        const entered: number[] = [];
        for (let i = 0; i < n; i++)
          k.go(`g${i}`, function* () {
            asked.push(i);
            yield* mu.lock();
            entered.push(i);
            inside++;
            most = Math.max(most, inside);
            yield* gosched();
            inside--;
            mu.unlock();
          });
        k.run();
        expect(most).toBe(1);
        expect(entered).toEqual(asked);
        expect(mu.locked).toBe(false);
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('panics on unlocking what is not locked', () => {
    const k = new Kernel();
    const mu = new Mutex(k, 'mu');
    expect(() => mu.unlock()).toThrow('unlock of unlocked mutex mu');
  });

  it('a deadlock names it', () => {
    const k = new Kernel();
    const mu = new Mutex(k, 'podLock');
    k.go('twice', function* () {
      yield* mu.lock();
      yield* mu.lock();
    });
    expect(() => k.run()).toThrow(/goroutine 1 \[twice\]: lock on podLock/);
  });
});

describe('WaitGroup', () => {
  it('wait returns when the counter is 0, at once if it is', () => {
    const k = new Kernel();
    const wg = new WaitGroup(k);
    const at: number[] = [];
    k.go('main', function* () {
      yield* wg.wait();
      at.push(k.now());
      wg.add(2);
      for (const d of [10, 20])
        k.go('child', function* () {
          yield* sleep(d);
          wg.done();
        });
      yield* wg.wait();
      at.push(k.now());
    });
    k.run();
    expect(at[0]).toBeLessThan(5);
    expect(at[1]).toBeGreaterThanOrEqual(20);
    expect(() => wg.done()).toThrow('negative WaitGroup counter');
  });
});
