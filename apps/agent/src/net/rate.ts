/** Counts what a client costs: at most a given amount in each window of time. */
export class Rate {
  private start = Number.NEGATIVE_INFINITY;
  private count = 0;
  constructor(
    private readonly most: number,
    private readonly millis: number,
    private readonly now: () => number,
  ) {}

  /** Counts `amount` more; true when that is too much. */
  exceeded(amount = 1): boolean {
    this.turn();
    this.count += amount;
    return this.count > this.most;
  }

  /** True while nothing more is left in this window. */
  get spent(): boolean {
    this.turn();
    return this.count >= this.most;
  }

  /** True when a window has passed since anything was counted: nothing is lost with it. */
  get idle(): boolean {
    return this.now() - this.start >= this.millis;
  }

  private turn(): void {
    const now = this.now();
    if (now - this.start < this.millis) return;
    this.start = now;
    this.count = 0;
  }
}
