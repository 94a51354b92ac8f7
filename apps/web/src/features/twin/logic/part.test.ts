import { describe, expect, it } from 'vitest';
import { aroundTime, timeIn } from './part.js';

describe('the part of a run that is re-enacted', () => {
  const zero = '2026-11-22 12:39:11';
  it('is read as its times are shown', () => {
    expect(timeIn('2026-11-22 12:40:11', zero, 1e9)).toBe(60e6);
    expect(timeIn(' 2026-11-23T12:39:11 ', zero, 1e12)).toBe(86_400e6);
    expect(timeIn('', zero, 1e9)).toBeUndefined();
    for (const wrong of ['yesterday', '2026-11-22 12:39:10', '2026-11-22 13:39:11'])
      expect(timeIn(wrong, zero, 60e6)).toBeNull();
  });
  it('is proposed around the moment in view, within the run', () => {
    expect(aroundTime(60e6, 36e9)).toEqual([0, 660e6]);
    expect(aroundTime(36e9, 36e9)).toEqual([36e9 - 600e6, 36e9]);
  });
});
