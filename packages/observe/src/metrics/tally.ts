/** Times that are kept one by one; of those before only the number. */
const MOST = 20_000;

/** Counts how often something happened up to a time, in bounded memory. */
export class Tally {
  /** In order. */
  private readonly times: number[] = [];
  private forgotten = 0;
  private forgottenUntil = Number.NEGATIVE_INFINITY;

  add(at: number): void {
    let i = this.times.length;
    while (i > 0 && (this.times[i - 1] as number) > at) i--;
    this.times.splice(i, 0, at);
    if (this.times.length <= MOST) return;
    // Many at once: taking one from the front of a long list each time is slow.
    const gone = this.times.splice(0, MOST / 4);
    this.forgotten += gone.length;
    this.forgottenUntil = gone.at(-1) as number;
  }

  /** Returns the count up to and including `at`; null if that was forgotten. */
  until(at: number): number | null {
    if (at < this.forgottenUntil) return null;
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return this.forgotten + low;
  }
}
