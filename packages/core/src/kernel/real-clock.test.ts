import { afterEach, describe, expect, it, vi } from 'vitest';
import { Kernel, Minute, sleep } from './index.js';
import { RealClock, RealDriver } from './real-clock.js';

afterEach(() => vi.unstubAllGlobals());
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('RealDriver', () => {
  it('has one timer at most, whatever is posted while it works, and none when it is stopped', async () => {
    // Only the driver's own: whoever runs the tests sets timers, too.
    const { setTimeout, clearTimeout } = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;
    const pending = new Set<unknown>();
    vi.stubGlobal('setTimeout', (...args: unknown[]) => {
      if (!String(args[0]).includes('pump')) return setTimeout?.(...args);
      const timer = {};
      pending.add(timer);
      return timer;
    });
    vi.stubGlobal('clearTimeout', (timer: unknown) => pending.delete(timer) || clearTimeout?.(timer));
    const kernel = new Kernel({ clock: new RealClock() });
    const driver = new RealDriver(kernel);
    let slept = 0;
    driver.start();
    for (let i = 0; i < 5; i++) {
      kernel.post(() =>
        kernel.go('sleeper', function* () {
          // Asks for another look while this one goes on.
          kernel.post(() => {});
          slept++;
          yield* sleep(Minute);
        }),
      );
      for (let n = 0; n < 5; n++) await turn();
      expect([slept, pending.size]).toEqual([i + 1, 1]);
    }
    driver.stop();
    expect(pending.size).toBe(0);
  });
});
