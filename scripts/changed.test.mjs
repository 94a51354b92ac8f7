import { describe, expect, it } from 'vitest';
import { ALL, namedPaths, relatedTests, within } from './changed.mjs';
import { importsOf, resolveImport } from './imports.mjs';

const tree = {
  'a/kernel.ts': '',
  'a/room.ts': `import { k } from './kernel.js';`,
  'a/types.ts': `import type { k } from './kernel.js';`,
  'a/far.ts': `import { r } from './room.js';`,
  'a/room.test.ts': `import './room.js';`,
  'a/room.long.test.ts': `import './room.js';`,
  'a/types.test.ts': `import './types.js';`,
  'a/far.test.ts': `const far = () => import('./far.js');`,
  'a/lessons/index.ts': `export const all = import.meta.glob('./library/*.yaml', { eager: true });`,
  'a/lessons/lessons.test.ts': `import './index.js';`,
  'a/docs.test.ts': `const docs = readFileSync(new URL('../docs/lessons.md', import.meta.url));`,
};
const others = ['docs/lessons.md', 'docs/other.md', 'a/lessons/library/one.yaml', 'a/lessons/library', 'a/lessons'];
const exists = (file) => file in tree || others.includes(file);
const imports = new Map(
  Object.entries(tree).map(([file, source]) => [
    file,
    {
      source,
      imports: importsOf(source).flatMap(({ spec, kind }) => {
        const to = resolveImport(file, spec, (f) => f in tree);
        return to ? [{ to, kind }] : [];
      }),
    },
  ]),
);
const related = (...changed) => relatedTests(changed, imports, exists).map(({ file }) => file);

describe('tests related to a change', () => {
  it('are found by imports, the nearest first, and not by types or when they are long', () => {
    expect(related('a/kernel.ts')).toEqual(['a/room.test.ts', 'a/far.test.ts']);
    expect(related('a/types.ts')).toEqual(['a/types.test.ts']);
  });
  it('are those that were changed, long ones too, and none that was removed', () => {
    expect(related('a/room.long.test.ts', 'a/gone.test.ts')).toEqual(['a/room.long.test.ts']);
  });
  it('are found for what is no module: by name, and by a pattern', () => {
    expect(related('a/lessons/library/one.yaml')).toEqual(['a/lessons/lessons.test.ts']);
    expect(related('docs/lessons.md')).toEqual(['a/docs.test.ts']);
    expect(related('docs/other.md')).toEqual([]);
  });
});

describe('what a module names', () => {
  it('is a path that exists, from the module or from the root, and never the root or a folder of all', () => {
    const exists = () => true;
    expect(namedPaths('a/b.ts', `x('./c.yaml'); y('docs/d.md'); z('packages'); w('..')`, exists)).toEqual([
      'a/c.yaml',
      'docs/d.md',
    ]);
    expect(namedPaths('a/b.ts', `new URL('.', import.meta.url)`, exists)).toEqual([]);
    expect(namedPaths('a/b/c.ts', `new URL('.', import.meta.url)`, exists)).toEqual(['a/b']);
    expect(namedPaths('a/b.ts', `x('docs/d.md')`, () => false)).toEqual([]);
  });
  it('does not matter where everything is checked', () => {
    expect(['package.json', 'vitest.config.ts', 'tsconfig.base.json'].every((f) => ALL.test(f))).toBe(true);
    expect(ALL.test('apps/web/package.json')).toBe(false);
  });
});

describe('tests that a change has time for', () => {
  const tests = [
    { file: 'a.test.ts', distance: 0 },
    { file: 'b.test.ts', distance: 0 },
    { file: 'c.test.ts', distance: 1 },
    { file: 'd.test.ts', distance: 2 },
  ];
  const files = (most, times) => within(tests, times, most).map(({ file }) => file[0]);
  const times = { 'a.test.ts': { cpuSeconds: 5 }, 'b.test.ts': { cpuSeconds: 5 }, 'c.test.ts': { cpuSeconds: 3 } };
  it('are the nearest, by what each took when it ran last, or usually takes', () => {
    expect(files(100, times)).toEqual(['a', 'b', 'c', 'd']);
    expect(files(13.5, times)).toEqual(['a', 'b', 'c']);
    expect(files(12.5, times)).toEqual(['a', 'b']);
    expect(files(3, {})).toEqual(['a', 'b', 'c']);
  });
  it('are those that were changed in any case, and at least one', () => {
    expect(files(1, times)).toEqual(['a', 'b']);
    expect(within([{ file: 'c.test.ts', distance: 1 }], times, 1)).toHaveLength(1);
  });
});
