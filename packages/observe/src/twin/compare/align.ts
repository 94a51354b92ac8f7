/** Edits that are tried before a part is cut in two, so that even long runs with nothing in common end in seconds. */
const MOST_EDITS = 300;

/**
 * The longest common order of two lists (Myers, "An O(ND) Difference Algorithm"), in linear memory. `pairs` are places
 * in `a` and `b`, in order.
 */
export function align<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): [number, number][] {
  const pairs: [number, number][] = [];
  // Parts that are still to be aligned; the first one on top, so that pairs come in order.
  const parts: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  const equal = (i: number, j: number) => same(a[i] as T, b[j] as T);
  for (let part = parts.pop(); part; part = parts.pop()) {
    let [a0, a1, b0, b1] = part;
    while (a0 < a1 && b0 < b1 && equal(a0, b0)) pairs.push([a0++, b0++]);
    let tail = 0;
    while (a0 < a1 - tail && b0 < b1 - tail && equal(a1 - tail - 1, b1 - tail - 1)) tail++;
    if (tail > 0) {
      // The common end comes after everything before it.
      parts.push([a1 - tail, a1, b1 - tail, b1]);
      a1 -= tail;
      b1 -= tail;
    }
    if (a0 >= a1 || b0 >= b1) continue;
    const cut = middle(a0, a1, b0, b1, equal);
    if (cut === null) continue;
    const [x, y] = cut;
    parts.push([x, a1, y, b1], [a0, x, b0, y]);
  }
  return pairs;
}

/** A point on a shortest path of edits; null if the two have nothing in common. */
function middle(
  a0: number,
  a1: number,
  b0: number,
  b1: number,
  equal: (i: number, j: number) => boolean,
): readonly [number, number] | null {
  const n = a1 - a0;
  const m = b1 - b0;
  const delta = n - m;
  const odd = (delta & 1) !== 0;
  const most = Math.min((n + m + 1) >> 1, MOST_EDITS);
  const size = 2 * most + 3;
  const off = most + 1;
  const down = new Int32Array(size).fill(-1);
  const up = new Int32Array(size).fill(-1);
  down[off + 1] = 0;
  up[off + 1] = 0;
  let best = 0;
  let bestAt: readonly [number, number] = [n >> 1, m >> 1];
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      if (k < -m || k > n) continue;
      let x =
        k === -d || (k !== d && at(down, off + k - 1) < at(down, off + k + 1))
          ? at(down, off + k + 1)
          : at(down, off + k - 1) + 1;
      let y = x - k;
      while (x < n && y < m && x >= 0 && y >= 0 && equal(a0 + x, b0 + y)) {
        x++;
        y++;
      }
      down[off + k] = x;
      if (x <= n && y <= m && x >= 0 && y >= 0 && x + y > best) {
        best = x + y;
        bestAt = [x, y];
      }
      const back = delta - k;
      if (odd && back > -d && back < d && x + at(up, off + back) >= n) return point(x, y);
    }
    for (let k = -d; k <= d; k += 2) {
      if (k < -m || k > n) continue;
      let x =
        k === -d || (k !== d && at(up, off + k - 1) < at(up, off + k + 1))
          ? at(up, off + k + 1)
          : at(up, off + k - 1) + 1;
      let y = x - k;
      while (x < n && y < m && x >= 0 && y >= 0 && equal(a1 - x - 1, b1 - y - 1)) {
        x++;
        y++;
      }
      up[off + k] = x;
      const back = delta - k;
      if (!odd && back >= -d && back <= d && x + at(down, off + back) >= n) return point(n - x, m - y);
    }
  }
  return point(bestAt[0], bestAt[1]);

  function point(x: number, y: number): readonly [number, number] | null {
    const px = Math.min(Math.max(x, 0), n);
    const py = Math.min(Math.max(y, 0), m);
    // A cut at a corner leaves one part as large as the whole, so it gains nothing.
    if ((px === 0 && py === 0) || (px === n && py === m)) return null;
    return [a0 + px, b0 + py];
  }
}
const at = (of: Int32Array, i: number): number => of[i] as number;

/** Returns the longest run of growing numbers in a list, as places; all other places are out of order. */
export function growing(list: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before = new Int32Array(list.length).fill(-1);
  for (let i = 0; i < list.length; i++) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((list[tails[mid] as number] as number) < (list[i] as number)) low = mid + 1;
      else high = mid;
    }
    before[i] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = i;
  }
  const found = new Set<number>();
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] as number) found.add(i);
  return found;
}

/** Matches by key: the first of a key with the first, the second with the second. */
export function byKey<T>(
  a: readonly T[],
  b: readonly T[],
  keyOf: (of: T) => string,
): { readonly pairs: [T, T][]; readonly onlyA: T[]; readonly onlyB: T[] } {
  const open = new Map<string, { readonly list: T[]; next: number }>();
  for (const one of b) {
    const key = keyOf(one);
    const has = open.get(key);
    if (has) has.list.push(one);
    else open.set(key, { list: [one], next: 0 });
  }
  const pairs: [T, T][] = [];
  const onlyA: T[] = [];
  for (const one of a) {
    const has = open.get(keyOf(one));
    if (has && has.next < has.list.length) pairs.push([one, has.list[has.next++] as T]);
    else onlyA.push(one);
  }
  const onlyB = [...open.values()].flatMap(({ list, next }) => list.slice(next));
  return { pairs, onlyA, onlyB };
}
