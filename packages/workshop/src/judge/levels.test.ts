import { describe, expect, it } from 'vitest';
import { isPassed, passedLevels } from './levels.js';

const result = (level: 'examples' | 'recordings' | 'explorer', state: 'passed' | 'failed' | 'skipped', cases = 3) => ({
  level,
  state,
  cases,
  judged: 0,
});

describe('passedLevels', () => {
  it('ends at the first level that failed', () => {
    const levels = [result('examples', 'passed'), result('recordings', 'failed'), result('explorer', 'skipped')];
    expect(passedLevels(levels)).toEqual(['examples']);
  });

  it('counts a level without cases, but not one that was skipped', () => {
    expect(isPassed(result('recordings', 'skipped', 0))).toBe(true);
    expect(isPassed(result('recordings', 'skipped', 2))).toBe(false);
    const levels = [result('examples', 'passed'), result('recordings', 'skipped', 0), result('explorer', 'passed')];
    expect(passedLevels(levels)).toEqual(['examples', 'recordings', 'explorer']);
    expect(passedLevels([result('examples', 'failed'), result('recordings', 'skipped', 0)])).toEqual([]);
  });
});
