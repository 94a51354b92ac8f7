import { describe, expect, it } from 'vitest';
import { circles, circleViolations, runTimeGraph, wayAround } from './circles.mjs';
import { importsOf, resolveImport } from './imports.mjs';

const graph = (edges) => new Map(Object.entries(edges));
const square = graph({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d', 'f'], f: [] });

describe('circles of imports', () => {
  it('are found, largest first, however they hang together', () => {
    expect(circles(square)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    expect(circles(graph({ a: ['b'], b: ['c'], c: [] }))).toEqual([]);
    expect(circles(graph({ a: ['a'] }))).toEqual([]);
  });
  it('are told with a way around', () => {
    expect(wayAround(square, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c', 'a']);
    expect(circleViolations(square, { a: 3 })).toEqual([expect.stringContaining('d: 2 files')]);
    expect(circleViolations(square, { a: 3 })[0]).toContain('d -> e -> d');
  });
  it('may not grow, and a known one that shrank is taken from the list', () => {
    expect(circleViolations(square, { a: 3, d: 2 })).toEqual([]);
    expect(circleViolations(square, { a: 2, d: 2 })).toEqual([expect.stringContaining('3 files')]);
    expect(circleViolations(square, { a: 4, d: 2 })).toEqual([
      expect.stringContaining('says 4 for a, but there are 3'),
    ]);
    expect(circleViolations(square, { a: 3, d: 2, x: 5 })).toHaveLength(1);
  });
  it('do not close by types, and by what is loaded later only if that is asked for', () => {
    const imports = new Map([
      ['a', { imports: [{ to: 'b', kind: 'value' }] }],
      [
        'b',
        {
          imports: [
            { to: 'a', kind: 'type' },
            { to: 'a', kind: 'dynamic' },
          ],
        },
      ],
    ]);
    expect(circles(runTimeGraph(imports))).toEqual([]);
    expect(circles(runTimeGraph(imports, { later: true }))).toEqual([['a', 'b']]);
  });
});

describe('imports', () => {
  it('are read with their kind and line', () => {
    const source = `import type { A } from './a.js';
import { b,
  type C } from './b.js';
// import { no } from './no.js';
export type { D } from './d.js';
export * from './e.js';
import './f.css';
const g = () => import('./g.js');
import type, { H } from './h.js';
`;
    expect(importsOf(source)).toEqual([
      { spec: './a.js', kind: 'type', line: 1 },
      { spec: './b.js', kind: 'value', line: 3 },
      { spec: './d.js', kind: 'type', line: 5 },
      { spec: './e.js', kind: 'value', line: 6 },
      { spec: './f.css', kind: 'value', line: 7 },
      { spec: './g.js', kind: 'dynamic', line: 8 },
      { spec: './h.js', kind: 'value', line: 9 },
    ]);
  });
  it('lead to sources, be they written as what is built from them or by the name of the package', () => {
    const known = (p) =>
      [
        'packages/core/src/trace/index.ts',
        'packages/core/src/debug/live.ts',
        'packages/observe/src/index.ts',
        'apps/web/src/a.tsx',
        'apps/agent/src/b.ts',
      ].includes(p);
    expect(resolveImport('apps/web/src/c.ts', './a.js', known)).toBe('apps/web/src/a.tsx');
    expect(resolveImport('apps/web/src/c.ts', '@syncloop/core/trace', known)).toBe('packages/core/src/trace/index.ts');
    expect(resolveImport('apps/web/src/c.ts', '@syncloop/core/debug/live', known)).toBe(
      'packages/core/src/debug/live.ts',
    );
    expect(resolveImport('apps/web/src/c.ts', '@syncloop/observe', known)).toBe('packages/observe/src/index.ts');
    expect(resolveImport('bench/d.mjs', '../apps/agent/dist/b.js', known)).toBe('apps/agent/src/b.ts');
    expect(resolveImport('apps/web/src/c.ts', 'react', known)).toBe(null);
  });
});
