import { describe, expect, it } from 'vitest';
import {
  mergeProgress,
  noProgress,
  progressIn,
  readProgress,
  readShare,
  shareText,
  withPassed,
  withStage,
  writeProgress,
} from './progress.js';

const some = withStage(withPassed(noProgress, 'pleg-events', ['recordings', 'examples']), 'pleg-events', {
  code: 'function computeEvents() {}',
  hints: 2,
});

describe('progress', () => {
  it('is read as it was written', () => {
    expect(readProgress(writeProgress(some))).toEqual(some);
    expect(progressIn(some, 'pleg-events').passed).toEqual(['examples', 'recordings']);
    expect(progressIn(some, 'constructor').passed).toEqual([]);
  });

  it('says what is wrong with a file', () => {
    expect(() => readProgress('{}')).toThrow(/syncloopWorkshop/);
    expect(() =>
      readProgress('{"syncloopWorkshop":1,"stages":{"a":{"passed":["all"],"hints":0,"revealed":false}}}'),
    ).toThrow(/progress\.stages\.a\.passed\[0\]/);
    expect(() => readProgress('{"syncloopWorkshop":1,"stages":{},"more":1}')).toThrow(/more/);
    expect(() => readProgress(' '.repeat(4_000_001))).toThrow(/longer/);
  });

  it('keeps what was passed on either side, and the code that passed more', () => {
    const other = withStage(withPassed(noProgress, 'pleg-events', ['explorer']), 'pleg-events', {
      code: 'other',
      hints: 1,
    });
    const merged = progressIn(mergeProgress(some, other), 'pleg-events');
    expect(merged).toEqual({
      passed: ['examples', 'recordings', 'explorer'],
      hints: 2,
      revealed: false,
      code: 'function computeEvents() {}',
    });
    expect(progressIn(mergeProgress(other, some), 'pleg-events').code).toBe('function computeEvents() {}');
    expect(mergeProgress(noProgress, some)).toEqual(some);
  });

  it('is shared without code', () => {
    const text = shareText(withStage(some, 'back-off', { code: 'secret' }));
    expect(text).toBe('pleg-events:er');
    expect(readShare(text)).toEqual(new Map([['pleg-events', ['examples', 'recordings']]]));
    for (const wrong of ['', 'a', 'a:z', 'A:e', `${'a:e,'.repeat(2000)}a:e`]) expect(readShare(wrong)).toBeNull();
  });
});
