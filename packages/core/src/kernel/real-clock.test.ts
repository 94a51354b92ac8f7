import { afterEach, describe, expect, it, vi } from 'vitest';
import { Kernel, Minute, sleep } from './index.js';
import { RealClock, RealDriver } from './real-clock.js';

afterEach(() => vi.useRealTimers());
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('RealDriver', () => {
  it('has one timer at most, whatever is posted while it works, and none when it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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
      expect([slept, vi.getTimerCount()]).toEqual([i + 1, 1]);
    }
    driver.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
