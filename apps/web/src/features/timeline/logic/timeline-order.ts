/** Index of the first of the ascending `values` that is at least `limit`. */
export function lower(values: ArrayLike<number>, limit: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((values[mid] as number) < limit) low = mid + 1;
    else high = mid;
  }
  return low;
}
