import { describe, expect, it } from 'vitest';
import { roomArrows, roomOf, upwardArrows } from './structure.mjs';

describe('rooms', () => {
  it('are the folders right below a house, or below the features of the page', () => {
    expect(roomOf('packages/core/src/trace/export/otlp.ts')).toBe('packages/core/src/trace');
    expect(roomOf('apps/web/src/features/console/view/list.tsx')).toBe('apps/web/src/features/console');
    expect(roomOf('apps/web/src/main.tsx')).toBe(null);
    expect(roomOf('scripts/check.mjs')).toBe(null);
  });
  it('have an arrow where a file that is no test imports from another', () => {
    const file = (...to) => ({ imports: to.map((t) => ({ to: t, kind: 'type' })) });
    const imports = new Map([
      ['packages/core/src/a/x.ts', file('packages/core/src/b/y.ts', 'packages/core/src/a/z.ts')],
      ['packages/core/src/b/y.test.ts', file('packages/core/src/a/x.ts')],
    ]);
    expect(roomArrows(imports)).toEqual([['packages/core/src/a', 'packages/core/src/b']]);
  });
  it('are put in the order in which the fewest arrows run upward', () => {
    const down = [
      ['c', 'b'],
      ['b', 'a'],
      ['c', 'a'],
    ];
    expect(upwardArrows(down)).toEqual([]);
    expect(upwardArrows([...down, ['a', 'c']])).toHaveLength(1);
    expect(
      upwardArrows([
        ['a', 'b'],
        ['b', 'a'],
      ]),
    ).toHaveLength(1);
    // A node outside of all circles is never among them.
    const around = [
      ['a', 'b'],
      ['b', 'a'],
      ['z', 'a'],
      ['b', 'm'],
      ['m', 'c'],
    ];
    expect(upwardArrows(around).map((arrow) => arrow.toSorted())).toEqual([['a', 'b']]);
  });
});
