import { lessons } from '@syncloop/core/lessons/library';
import { describe, expect, it } from 'vitest';
import { groupedLessons, groupOfLesson } from './lesson-groups.js';

describe('groups of lessons', () => {
  it('have every lesson once, in the order of the list', () => {
    const groups = groupedLessons(lessons);
    const names = groups.flatMap((g) => g.lessons.map((l) => l.name));
    expect([...names].sort()).toEqual(lessons.map((l) => l.name).sort());
    for (const g of groups) expect(g.lessons).toEqual(lessons.filter((l) => g.lessons.includes(l)));
  });
  it('go by what a lesson is about', () => {
    expect(groupOfLesson('syncloop')).toBe('loop');
    expect(groupOfLesson('channels')).toBe('loop');
    expect(groupOfLesson('sync-pod')).toBe('pods');
    expect(groupOfLesson('crash-loop')).toBe('pods');
    expect(groupOfLesson('pleg')).toBe('runtime');
    expect(groupOfLesson('kubelet-restart')).toBe('node');
    expect(groupOfLesson('something-else')).toBe('node');
  });
});
