/** Counts what one peer sends: at most so many in each window. */
export class Rate {
  private start = Number.NEGATIVE_INFINITY;
  private count = 0;
  constructor(
    private readonly most: number,
    private readonly millis: number,
    private readonly now: () => number,
  ) {}

  /** Counts one more; true when it is one too many. */
  exceeded(): boolean {
    const now = this.now();
    if (now - this.start >= this.millis) {
      this.start = now;
      this.count = 0;
    }
    return ++this.count > this.most;
  }
}
