import { afterEach, describe, expect, it, vi } from 'vitest';
import { Kernel, Minute, Second, sleep } from './index.js';
import { RealClock, RealDriver } from './real-clock.js';

afterEach(() => vi.useRealTimers());

describe('RealDriver', () => {
  it('has one timer at most, whatever is posted while it works, and none when it is stopped', async () => {
    vi.useFakeTimers();
    const kernel = new Kernel({ clock: new RealClock() });
    const driver = new RealDriver(kernel);
    driver.start();
    for (let i = 0; i < 10; i++) {
      kernel.post(() =>
        kernel.go('sleeper', function* () {
          // Asks for another look while this one goes on.
          kernel.post(() => {});
          yield* sleep(Minute);
        }),
      );
      await vi.advanceTimersByTimeAsync(10);
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
    }
    expect(kernel.now()).toBeLessThan(Second);
    driver.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
