import { type Chan, makeChan } from './chan.js';
import type { Process } from './go.js';
import { currentOrNull } from './go.js';
import type { Kernel, TimerHandle } from './kernel.js';

/** Ticks carry the time (Micros) at which they were due to be sent. */
export interface TickerOptions {
  /** Name of its channel in the trace. */
  readonly name?: string;
  readonly quiet?: boolean;
}

/**
 * Sends the time on `c` every `period` Micros; c holds one tick and further ones are dropped while nobody receives,
 * so a slow receiver misses ticks and never gets a burst. upstream: time.Ticker
 */
export class Ticker {
  readonly c: Chan<number>;
  private timer: TimerHandle | null = null;
  private readonly process: Process | undefined;
  constructor(
    private readonly kernel: Kernel,
    private period: number,
    options: TickerOptions = {},
  ) {
    if (!(period > 0)) throw new RangeError('non-positive interval for NewTicker');
    this.c = makeChan<number>(kernel, options.name ?? 'ticker', 1, {
      quiet: options.quiet ?? false,
      describe: (t) => t,
    });
    this.process = currentOrNull()?.g.process;
    this.arm(kernel.now() + period);
  }
  private arm(when: number): void {
    this.timer = this.kernel.addTimer(
      when,
      () => {
        this.c.trySend(this.kernel.now());
        // Keeps its beat however late it fired, but never fires twice at once.
        const next = when + this.period;
        this.arm(
          next > this.kernel.now()
            ? next
            : this.kernel.now() + this.period - ((this.kernel.now() - when) % this.period),
        );
      },
      this.process,
    );
  }
  /** Stops the ticks; c is not closed. */
  stop(): void {
    this.timer?.stop();
    this.timer = null;
  }
  /**
   * Ticks from now on every `period`, first after one period; a tick still waiting in c goes.
   * upstream: (*Ticker).Reset (Go 1.23)
   */
  reset(period = this.period): void {
    if (!(period > 0)) throw new RangeError('non-positive interval for Ticker.Reset');
    this.stop();
    this.period = period;
    this.c.discard();
    this.arm(this.kernel.now() + period);
  }
}

/** Sends the time once on `c`, after `duration` Micros. upstream: time.Timer */
export class Timer {
  readonly c: Chan<number>;
  private timer: TimerHandle | null = null;
  private readonly process: Process | undefined;
  constructor(
    private readonly kernel: Kernel,
    duration: number,
    options: TickerOptions = {},
  ) {
    this.c = makeChan<number>(kernel, options.name ?? 'timer', 1, {
      quiet: options.quiet ?? false,
      describe: (t) => t,
    });
    this.process = currentOrNull()?.g.process;
    this.arm(duration);
  }
  private arm(duration: number): void {
    this.timer = this.kernel.addTimer(
      this.kernel.now() + Math.max(0, duration),
      () => {
        this.timer = null;
        this.c.trySend(this.kernel.now());
      },
      this.process,
    );
  }
  /** True when it had not fired. Nothing is received from c after it (Go 1.23). */
  stop(): boolean {
    const active = this.timer?.stop() ?? false;
    this.timer = null;
    this.c.discard();
    return active;
  }
  /** True when it had not fired before. */
  reset(duration: number): boolean {
    const active = this.stop();
    this.arm(duration);
    return active;
  }
}

/** A channel that gets the time after `duration`. upstream: time.After */
export function after(kernel: Kernel, duration: number, options?: TickerOptions): Chan<number> {
  return new Timer(kernel, duration, { name: 'after', ...options }).c;
}
