import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareCounts, updatedCounts } from './compare.mjs';

const kept = { a: { count: 100, tolerance: 0.1, what: 'things' }, b: { count: 5, tolerance: 0, what: 'others' } };

describe('counts', () => {
  it('may be as kept, within the tolerance', () => {
    expect(compareCounts(kept, { a: 110, b: 5 })).toEqual({ losses: [], gains: [] });
  });
  it('that are higher are losses, with name, kept, measured and remedy; lower ones are gains', () => {
    const { losses, gains } = compareCounts(kept, { a: 111, b: 4 });
    expect(losses).toEqual([expect.stringMatching(/^a \(things\): kept 100, measured 111, .*--update/)]);
    expect(gains).toEqual([expect.stringContaining('b (others): kept 5, measured 4')]);
  });
  it('are on both sides, except where they cannot be measured', () => {
    expect(compareCounts(kept, { a: 100, c: 1 }).losses).toHaveLength(2);
    expect(compareCounts(kept, { a: 100 }, ['b']).losses).toEqual([]);
  });
  it('are updated in their place, and stay where they were not measured', () => {
    expect(updatedCounts(kept, { a: 90.12345 })).toEqual({ ...kept, a: { ...kept.a, count: 90.123 } });
  });
  it('that are kept have all that a comparison needs', () => {
    const file = JSON.parse(readFileSync(new URL('../counts.json', import.meta.url), 'utf8'));
    for (const entry of Object.values(file))
      expect(entry).toEqual({ count: expect.any(Number), tolerance: expect.any(Number), what: expect.any(String) });
    expect(Object.values(file).every(({ tolerance }) => tolerance <= 0.15)).toBe(true);
  });
});
