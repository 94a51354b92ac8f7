import { lessons } from '@syncloop/core/lessons/library';
import { describe, expect, it } from 'vitest';
import { groupedLessons, groupOfLesson, inOrder } from './lesson-groups.js';

describe('groups of lessons', () => {
  it('have every lesson once, whatever is in the library', () => {
    expect(
      inOrder(lessons)
        .map((l) => l.name)
        .sort(),
    ).toEqual(lessons.map((l) => l.name).sort());
    for (const { group, lessons: own } of groupedLessons(lessons)) {
      expect(own.length).toBeGreaterThan(0);
      for (const l of own) expect(groupOfLesson(l.name)).toBe(group);
    }
  });
  it('begin with the loop, and have at their end what nobody has put into one', () => {
    const named = (...names: string[]) => names.map((name) => ({ name }));
    expect(groupedLessons(named('new-one', 'channels', 'pleg', 'syncloop', 'newer'))).toEqual([
      { group: 'loop', lessons: named('syncloop', 'channels') },
      { group: 'runtime', lessons: named('pleg') },
      { group: 'more', lessons: named('new-one', 'newer') },
    ]);
  });
});
