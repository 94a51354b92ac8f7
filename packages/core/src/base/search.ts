/**
 * Counts the numbers from 0 to `count - 1` that come before a place: `isBefore` is true for all numbers before it and
 * false for all from it on. A binary search, as Go's `sort.Search` with the test turned round.
 */
export function countBefore(count: number, isBefore: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const mid = low + ((high - low) >> 1);
    if (isBefore(mid)) low = mid + 1;
    else high = mid;
  }
  return low;
}
