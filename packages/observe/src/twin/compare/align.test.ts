import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align, byKey, growing } from './align.js';

const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });
/** Length of the longest common order, by the table that everybody knows. */
function longest(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries())
      next.push(x === y ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
    row = next;
  }
  return row.at(-1) as number;
}
const aligned = (a: readonly string[], b: readonly string[]) => align(a, b, (x, y) => x === y);

describe('align', () => {
  it('finds as much as there is, in order', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const pairs = aligned(a, b);
        for (const [i, j] of pairs) expect(a[i]).toBe(b[j]);
        for (const [n, [i, j]] of pairs.entries()) {
          const before = pairs[n - 1];
          if (before) expect(before[0] < i && before[1] < j).toBe(true);
        }
        expect(pairs.length).toBe(longest(a, b));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('of two long lists with nothing in common ends', () => {
    const list = (of: string) => Array.from({ length: 30_000 }, (_, i) => `${of}${i}`);
    expect(aligned(list('a'), list('b'))).toEqual([]);
  });
});

it('growing finds a longest growing run', () => {
  const kept = growing([0, 5, 1, 2, 9, 3]);
  expect([...kept].sort()).toEqual([0, 2, 3, 5]);
  expect(growing([]).size).toBe(0);
});

it('byKey pairs the first with the first and keeps what is left', () => {
  const { pairs, onlyA, onlyB } = byKey(['a1', 'a2', 'b1'], ['a9', 'c1'], (s) => s.charAt(0));
  expect({ pairs, onlyA, onlyB }).toEqual({ pairs: [['a1', 'a9']], onlyA: ['a2', 'b1'], onlyB: ['c1'] });
});
