import { lessons } from '@syncloop/core/lessons/library';
import { expect, it } from 'vitest';
import { groupedLessons } from './lesson-groups.js';

it('groups of lessons have every lesson once, in the order to take them, beginning with the loop', () => {
  const groups = groupedLessons(lessons);
  expect(groups.flatMap((g) => g.lessons)).toEqual(lessons);
  expect(groups.map((g) => g.group)).toEqual([...new Set(lessons.map((l) => l.group))]);
  expect(groups[0]).toMatchObject({
    group: 'loop',
    lessons: expect.arrayContaining([expect.objectContaining({ name: 'syncloop' })]),
  });
});
