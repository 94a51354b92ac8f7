import { compile } from '@syncloop/core/expression';
import { describe, expect, it } from 'vitest';
import { firstStop, inScenario, linesOf, nameOfScenario, withLineBreakpoints, withLines } from './code-in-run.js';

const scenario = JSON.stringify({ metadata: { name: 'web' }, spec: { steps: [], era: 'v1.36' } });

describe('a scenario', () => {
  it('gets a code, each line of which leaves a record', () => {
    const made = inScenario(scenario, ['podActions'], 'pod-actions', 'code');
    expect(JSON.parse(made)).toEqual({
      metadata: { name: 'web' },
      spec: {
        steps: [],
        era: 'v1.36',
        parts: { podActions: { file: 'pod-actions.ts', source: 'code', lines: true } },
      },
    });
    expect(nameOfScenario(made)).toBe('web');
    const judged = made.replace(',"lines":true', '');
    expect(withLines(judged)).toBe(made);
  });
});

describe('breakpoints in a file', () => {
  const other = { id: 'b1', on: 'line', file: 'other.ts', line: 3 } as const;
  const conditional = { id: 'b2', on: 'line', file: 'mine.ts', line: 3, condition: 'variables.a > 1' } as const;
  const worker = { id: 'b3', on: 'worker' } as const;

  it('are set and removed by their lines, and keep conditions and all others', () => {
    const before = [other, conditional, worker];
    const after = withLineBreakpoints(before, 'mine.ts', [9, 3]);
    expect(after).toEqual([...before, { id: 'b4', on: 'line', file: 'mine.ts', line: 9 }]);
    expect(linesOf(after, 'mine.ts')).toEqual([3, 9]);
    expect(withLineBreakpoints(after, 'mine.ts', [9])).toEqual([other, worker, after[3]]);
    expect(withLineBreakpoints(after, 'mine.ts', [3, 9])).toBe(after);
  });

  it('make the expression for the first stop', () => {
    expect(firstStop('mine.ts', [])).toBe('kind == "part-line" && file == "mine.ts"');
    expect(firstStop('mine.ts', [3, 9])).toBe('kind == "part-line" && file == "mine.ts" && (line == 3 || line == 9)');
    expect(() => compile(firstStop('mine.ts', [3]))).not.toThrow();
  });
});
