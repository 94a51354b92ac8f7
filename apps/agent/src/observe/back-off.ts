/** Waits between attempts, in ms: each twice as long as the one before, up to a longest one. */
export class BackOff {
  private wait: number;

  constructor(
    private readonly first = 500,
    private readonly longest = 30_000,
  ) {
    this.wait = first;
  }

  /** Returns the wait before the next attempt. */
  next(): number {
    const { wait } = this;
    this.wait = Math.min(2 * wait, this.longest);
    return wait;
  }

  /** An attempt has succeeded. */
  reset(): void {
    this.wait = this.first;
  }
}
