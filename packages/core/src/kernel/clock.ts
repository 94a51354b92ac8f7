import type { Micros, Millis } from '../trace/index.js';

/** Time as the kernel sees it: whole microseconds since the run's start. */
export interface Clock {
  readonly virtual: boolean;
  /** Wall time of the run's start, ms since 1970; its fraction is whole microseconds. */
  readonly epochMillis: Millis;
  now(): Micros;
  /** Called once per scheduler decision. */
  tick(): void;
  /** Moves a virtual clock on: nobody can run before `when`. */
  advanceTo(when: Micros): void;
}

/** Wall time of the run's start, whole microseconds since 1970. */
export const epochMicros = (clock: Pick<Clock, 'epochMillis'>): Micros => Math.round(clock.epochMillis * 1000);

export interface VirtualClockOptions {
  readonly epochMillis?: Millis;
  /**
   * The time that one scheduler decision takes, in Micros. Not 0 by default: on a real machine two events never share
   * an instant, and code that compares times strictly (cache.GetNewerThan) relies on it.
   */
  readonly stepCost?: Micros;
}

export class VirtualClock implements Clock {
  readonly virtual = true;
  readonly epochMillis: Millis;
  private time = 0;
  private readonly cost: Micros;
  constructor(options: VirtualClockOptions = {}) {
    this.epochMillis = options.epochMillis ?? Date.UTC(2026, 0, 1);
    this.cost = options.stepCost ?? 1;
  }
  now(): Micros {
    return this.time;
  }
  tick(): void {
    this.time += this.cost;
  }
  advanceTo(when: Micros): void {
    if (when > this.time) this.time = when;
  }
}
