import type { Micros } from '../trace/index.js';

export const Microsecond = 1;
export const Millisecond = 1000;
export const Second = 1_000_000;
export const Minute = 60 * Second;
export const Hour = 60 * Minute;

/** Time as the kernel sees it: whole microseconds since the run's start. */
export interface Clock {
  readonly virtual: boolean;
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: number;
  now(): Micros;
  /** Called once per scheduler decision. */
  tick(): void;
  /** Virtual only: nobody can run before `when`. */
  advanceTo(when: Micros): void;
}

export interface VirtualClockOptions {
  readonly epochMillis?: number;
  /**
   * What one scheduler decision costs, in Micros. Not 0 by default: on a real machine two events never share an instant,
   * and code that compares times strictly (cache.GetNewerThan) relies on it.
   */
  readonly stepCost?: Micros;
}

export class VirtualClock implements Clock {
  readonly virtual = true;
  readonly epochMillis: number;
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

/** A duration as Go prints it: 1.5s, 1m20s, 300ms, 0s. upstream: time.Duration String */
export function formatDuration(d: Micros): string {
  if (d === 0) return '0s';
  const sign = d < 0 ? '-' : '';
  let us = Math.abs(d);
  if (us < Millisecond) return `${sign}${us}µs`;
  if (us < Second) return `${sign}${us / Millisecond}ms`;
  const h = Math.floor(us / Hour);
  us -= h * Hour;
  const m = Math.floor(us / Minute);
  us -= m * Minute;
  const s = `${us / Second}s`;
  return sign + (h ? `${h}h${m}m${s}` : m ? `${m}m${s}` : s);
}
