import { noProgress, withPassed } from '@syncloop/workshop/progress';
import { describe, expect, it } from 'vitest';
import type { WorkshopState } from '../../workshop/workshop-store.js';
import { reportOf } from './stage.js';

const judged = (levels: WorkshopState['judged'][string]['levels']): WorkshopState['judged'] => ({
  pleg: { code: 'const secret = 1;', examples: [], levels, at: null },
});
const local = { en: 'secret', zh: 'secret' };

describe('the report of a stage', () => {
  it('has names of levels and cases, and nothing of the code', () => {
    const difference = {
      level: 'examples' as const,
      case: 'new-pod',
      about: local,
      text: local,
      expected: 'secret',
      got: 'secret',
      problem: {
        kind: 'exception' as const,
        message: 'secret',
        says: { key: 'stack' as const },
        file: 'pleg.ts',
        line: 1,
        column: 1,
      },
    };
    const failed = [{ level: 'examples' as const, state: 'failed' as const, cases: 9, judged: 2, difference }];
    const progress = withPassed(noProgress, 'pleg', []);
    expect(reportOf('pleg', { progress, judged: judged(failed) })).toEqual({
      passed: [],
      first: { level: 'examples', case: 'new-pod', problem: 'exception' },
    });
    const { problem: _, ...wrong } = difference;
    const other = judged([{ ...failed[0], difference: wrong } as (typeof failed)[number]]);
    const report = reportOf('pleg', { progress: withPassed(progress, 'pleg', ['examples']), judged: other });
    expect(report).toEqual({ passed: ['examples'], first: { level: 'examples', case: 'new-pod' } });
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  it('is none before anything was judged, and what was passed before counts', () => {
    expect(reportOf('pleg', { progress: noProgress, judged: {} })).toBeNull();
    expect(reportOf('back-off', { progress: noProgress, judged: judged([]) })).toBeNull();
    const progress = withPassed(noProgress, 'pleg', ['examples', 'recordings', 'explorer']);
    expect(reportOf('pleg', { progress, judged: {} })).toEqual({ passed: ['examples', 'recordings', 'explorer'] });
  });
});
