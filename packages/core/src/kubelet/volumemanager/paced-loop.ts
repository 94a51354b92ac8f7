import {
  type Chan,
  currentOrNull,
  type Go,
  type Kernel,
  makeChan,
  type Process,
  receive,
  type TimerHandle,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/**
 * A loop that turns at a fixed beat, as long as there is something to do: what a turn would find is found at the beat
 * at which upstream's loop would find it, and an idle loop costs nothing.
 * upstream: apimachinery wait.Until
 */
export class PacedLoop {
  private readonly beat: Chan<null>;
  private origin: Micros | null = null;
  private process: Process | undefined;
  private timer: TimerHandle | null = null;
  private due = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;
  /** Wanted before it runs. */
  private early: Micros | null = null;
  constructor(
    private readonly kernel: Kernel,
    private readonly name: string,
    private readonly period: Micros,
    private readonly turn: () => Go<void>,
  ) {
    this.beat = makeChan<null>(kernel, name, 1, { quiet: true });
  }

  /** Starts the loop; the first pass is `delay` from now, after `before`. */
  start(delay: Micros, before?: () => Go<void>): void {
    this.process = currentOrNull()?.g.process;
    this.kernel.go(
      this.name,
      function* (this: PacedLoop): Go<void> {
        if (before) yield* before();
        this.origin = this.kernel.now() + delay;
        if (this.early !== null) this.wake(this.early);
        for (;;) {
          yield* receive(this.beat);
          yield* this.turn();
        }
      }.bind(this),
      { place: 'volumes', daemon: true },
    );
  }

  /** Takes a turn at the first beat at `at` or after it. Default: the next. */
  wake(at: Micros = this.kernel.now()): void {
    const { origin, period, kernel } = this;
    if (origin === null) {
      this.early = Math.min(this.early ?? at, at);
      return;
    }
    let when = origin + Math.max(0, Math.ceil((Math.max(at, kernel.now()) - origin) / period)) * period;
    if (when <= this.last) when = this.last + period;
    if (when >= this.due) return;
    this.timer?.stop();
    this.due = when;
    this.timer = kernel.addTimer(
      when,
      () => {
        this.due = Number.POSITIVE_INFINITY;
        this.last = when;
        this.beat.trySend(null);
      },
      this.process,
    );
  }
}
