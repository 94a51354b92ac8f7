import { beforeAll, describe, expect, it } from 'vitest';
import { loadEras } from '../../kubelet/era/index.js';
import { parseLesson } from '../parse.js';
import { type Rehearsal, rehearse } from '../testing/rehearse.js';
import { holesOf } from '../text.js';
import { lessons } from './index.js';

/** LESSON: only these, with commas between. LESSON_SHOW: prints them as they are read. */
const wanted = process.env.LESSON?.split(',');
const chosen = lessons.filter((l) => wanted?.includes(l.name) ?? true);

beforeAll(loadEras);

describe('the lessons', () => {
  const rightAt: number[] = [];
  /** The rehearsal of each lesson in its own run, to compare other seeds with. */
  const rehearsed = new Map<string, Rehearsal>();
  it.each(chosen.map((l) => [l.name, l] as const))('%s is true of its run, in both languages', async (name, entry) => {
    const lesson = parseLesson(await entry.load(), name);
    const rehearsal = rehearse(lesson);
    rehearsed.set(name, rehearsal);
    const { problems, rightAt: right, transcript } = rehearsal;
    if (process.env.LESSON_SHOW) console.info(`== ${name}\n${transcript.join('\n')}\n`);
    expect(problems).toEqual([]);
    rightAt.push(...right);
  });

  /** SYNCLOOP_RUNS: each lesson in each of its other seeds; else every eighth in its first. */
  const all = wanted !== undefined || Number(process.env.SYNCLOOP_RUNS ?? 0) > 0;
  const some = chosen.filter((_, i) => all || i % 8 === 0);
  it.each(some.map((l) => [l.name, l] as const))('%s is true in its other seeds, too', async (name, entry) => {
    const lesson = parseLesson(await entry.load(), name);
    const asks = lesson.steps.flatMap((s) => (s.ask ? [s.ask] : []));
    const own = rehearsed.get(name) ?? rehearse(lesson);
    for (const seed of all ? lesson.otherSeeds : lesson.otherSeeds.slice(0, 1)) {
      const other = rehearse({ ...lesson, seed });
      expect(other.problems, `seed ${seed}`).toEqual([]);
      expect(other.rightAt, `seed ${seed}`).toEqual(own.rightAt);
      // A number may be another one, if the explanation takes it from the run.
      for (const [i, { right }] of asks.entries())
        if (holesOf(right.en).length === 0) expect(other.answers[i], right.en).toEqual(own.answers[i]);
    }
  });

  it.skipIf(wanted !== undefined)('do not always have the right option in the same place', () => {
    expect(rightAt.length).toBeGreaterThan(2);
    for (const at of new Set(rightAt))
      expect(rightAt.filter((x) => x === at).length / rightAt.length).toBeLessThan(0.7);
  });
});
