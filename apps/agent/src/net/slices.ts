/** Does long work in short slices, so that everything else on this thread has its turn in between. */

/** A step of some work; false: that was the last one, for now. */
export type Step = () => boolean;

/** Steps of several works, one after another, no more of them at once than fit into one turn. */
export class Slices {
  private readonly waiting: Step[] = [];
  private planned = false;

  constructor(
    /** Milliseconds of one turn, after which the event loop goes on. */
    private readonly turn = 8,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs it from the next turn on. A step must not throw. */
  add(step: Step): void {
    this.waiting.push(step);
    this.plan();
  }

  private plan(): void {
    if (this.planned || this.waiting.length === 0) return;
    this.planned = true;
    setImmediate(() => {
      this.planned = false;
      const end = this.now() + this.turn;
      // Work that is not done goes to the end of the line.
      for (let step = this.waiting.shift(); step; step = this.waiting.shift()) {
        if (step()) this.waiting.push(step);
        if (this.now() >= end) break;
      }
      this.plan();
    });
  }
}
