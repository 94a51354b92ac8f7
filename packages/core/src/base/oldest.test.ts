import { expect, it } from 'vitest';
import { oldestKey } from './oldest.js';

it('is the key that came first of those that are there, also after some were deleted and came again', () => {
  const map = new Map<number, true>();
  const first = () => map.keys().next().value;
  expect(oldestKey(map)).toBeUndefined();
  let next = 0;
  for (let n = 0; n < 2000; n++) {
    map.set(next++, true);
    // One from the middle goes, another is put behind the others.
    if (n % 7 === 0) map.delete(next - 3);
    if (n % 11 === 0 && map.delete(next - 5)) map.set(next - 5, true);
    if (map.size <= 50) continue;
    const expected = first();
    expect(oldestKey(map)).toBe(expected);
    map.delete(expected as number);
  }
  while (map.size > 0) {
    const key = oldestKey(map);
    expect(key).toBe(first());
    map.delete(key as number);
  }
  expect(oldestKey(map)).toBeUndefined();
  map.set(1, true);
  expect(oldestKey(map)).toBe(1);
});
