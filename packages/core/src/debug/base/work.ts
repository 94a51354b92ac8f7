import type { Decisions, Micros } from '../../trace/index.js';

/** The progress of work: decisions taken, of so many if that is known, and the run's clock there. */
export interface Progress {
  readonly steps: Decisions;
  readonly of?: number;
  readonly time: Micros;
}

/**
 * Work that may take long. It yields after each small slice, so whoever drives it can do something else in between, and
 * can stop it by throwing `Stopped` into it: what it had begun to change is then as it was.
 */
export type Work<T = void> = Generator<Progress | undefined, T>;

/** Thrown into work that is to end here. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  constructor() {
    super('it was stopped before it was done');
  }
}

/** Does all of it now. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}
