import { lessons } from '@syncloop/core/lessons/library';
import { describe, expect, it } from 'vitest';
import { lessonIn } from './lessons-start.js';
import { keptFrom, nextLesson } from './lessons-store.js';

describe('links to lessons', () => {
  it('name a lesson, and may name a step', () => {
    expect(lessonIn('http://x/#lesson=pleg')).toEqual({ name: 'pleg' });
    expect(lessonIn('http://x/?a=1#lesson=pleg/3')).toEqual({ name: 'pleg', step: 2 });
    for (const bad of ['', '#run=v1.x', '#lesson=', '#lesson=a/0', '#lesson=a/1/2', '#lesson=%3Cb%3E'])
      expect(lessonIn(`http://x/${bad}`)).toBeNull();
  });
});

describe('what is kept of lessons', () => {
  it('is taken only as far as it is ours', () => {
    expect(keptFrom(null)).toEqual({});
    expect(keptFrom('[1')).toEqual({});
    expect(keptFrom('[1]')).toEqual({});
    const stored = {
      good: {
        step: 2,
        steps: 9,
        done: false,
        progress: [{ solved: 'learner' }, { given: 3, graded: { given: 3, answer: 4, right: false, more: 1 } }, 7],
      },
      'Bad name': { step: 1, steps: 2 },
      far: { step: 1e9, steps: 2 },
      none: null,
      odd: { step: 0, steps: 3, done: 'yes', progress: [{ given: {}, solved: 'magic' }] },
    };
    expect(keptFrom(JSON.stringify(stored))).toEqual({
      good: {
        step: 2,
        steps: 9,
        done: false,
        progress: [{ solved: 'learner' }, { given: 3, graded: { given: 3, answer: 4, right: false } }, {}],
      },
      odd: { step: 0, steps: 3, done: false, progress: [{}] },
    });
  });
});

describe('the lesson to take next', () => {
  const done = { step: 0, steps: 1, done: true, progress: [] };
  const [first, second, third] = lessons.map((l) => l.name) as [string, string, string];
  it('is the first that is not done after this one, or else before it', () => {
    expect(nextLesson({ list: lessons, kept: {} })?.name).toBe(first);
    expect(nextLesson({ list: lessons, kept: { [first]: done } })?.name).toBe(second);
    expect(nextLesson({ list: lessons, kept: { [second]: done } }, first)?.name).toBe(third);
    const all = Object.fromEntries(lessons.map((l) => [l.name, done]));
    const { [first]: _, ...rest } = all;
    expect(nextLesson({ list: lessons, kept: rest }, lessons.at(-1)?.name)?.name).toBe(first);
    expect(nextLesson({ list: lessons, kept: all }, first)).toBeUndefined();
  });
});
