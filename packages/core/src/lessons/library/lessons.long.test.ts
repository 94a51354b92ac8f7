import { beforeAll, describe, expect, it } from 'vitest';
import { loadEras } from '../../kubelet/era/index.js';
import { parseLesson } from '../parse.js';
import { rehearse } from '../testing/rehearse.js';
import { lessons } from './index.js';

/** LESSON: only these, with commas between. LESSON_SHOW: prints them as they are read. */
const wanted = process.env.LESSON?.split(',');
const chosen = lessons.filter((l) => wanted?.includes(l.name) ?? true);

beforeAll(loadEras);

describe('the lessons', () => {
  const rightAt: number[] = [];
  it.each(chosen.map((l) => [l.name, l] as const))('%s is true of its run, in both languages', async (name, entry) => {
    const lesson = parseLesson(await entry.load(), name);
    const { problems, rightAt: right, transcript } = rehearse(lesson);
    if (process.env.LESSON_SHOW) console.info(`== ${name}\n${transcript.join('\n')}\n`);
    expect(problems).toEqual([]);
    rightAt.push(...right);
  });

  it.skipIf(wanted !== undefined)('do not always have the right option in the same place', () => {
    expect(rightAt.length).toBeGreaterThan(2);
    for (const at of new Set(rightAt))
      expect(rightAt.filter((x) => x === at).length / rightAt.length).toBeLessThan(0.7);
  });
});
