import { type Lesson, lessons, parseLesson } from '@syncloop/core/lessons';
import { beforeEach, describe, expect, it } from 'vitest';
import { storageIn } from '../../fixtures/storage.js';
import { reviewOf } from './review-lesson.js';
import {
  addMissed,
  type Missed,
  MOST_MISSED,
  missedFrom,
  putMissed,
  REVIEW_VERSION,
  settleMissed,
  useReview,
} from './review-store.js';

const kept = new Map<string, string>();
const ask = (en: string) => ({ question: { en, zh: en } });
const one: Missed = { lesson: 'pleg', step: 5, question: 'When?', tries: 0 };
const file = (missed: readonly unknown[], version: unknown = REVIEW_VERSION) => JSON.stringify({ version, missed });
const stored = () => missedFrom(kept.get('syncloop.lessons.missed') ?? null);
const { getState } = useReview;

beforeEach(() => {
  kept.clear();
  globalThis.localStorage = storageIn(kept);
  putMissed([], []);
});

describe('predictions that were wrong', () => {
  it('are kept once each, and asked on the next visit only', () => {
    addMissed('pleg', 5, ask('When?'));
    addMissed('pleg', 5, ask('When?'));
    expect(stored()).toEqual([one]);
    expect(getState().due).toEqual([]);
    expect(kept.get('syncloop.lessons.missed')).toBe(file([one]));
  });

  it('go away by a right answer, and come back in yet another run after a wrong one', () => {
    const other = { ...one, step: 8 };
    putMissed([one, other], [one, other]);
    settleMissed(one, 'wrong');
    expect(getState()).toMatchObject({ missed: [{ ...one, tries: 1 }, other], due: [other] });
    settleMissed(other, 'skipped');
    expect(getState()).toMatchObject({ missed: [{ ...one, tries: 1 }, other], due: [] });
    settleMissed(other, 'right');
    expect(stored()).toEqual([{ ...one, tries: 1 }]);
    settleMissed(one, 'gone');
    expect(kept.size).toBe(0);
  });

  it('are bounded: the oldest goes first', () => {
    for (let step = 0; step <= MOST_MISSED; step++) addMissed('pleg', step, ask(`${'x'.repeat(500)}`));
    expect(stored()).toHaveLength(MOST_MISSED);
    expect(stored()[0]).toMatchObject({ step: 1, question: 'x'.repeat(80) });
  });

  it('are left out if they are not ours, or of another version', () => {
    expect(missedFrom(file([one], 2))).toEqual([]);
    for (const bad of [null, '', '{', '[]', '{"version":1}', '{"version":1,"missed":{}}'])
      expect(missedFrom(bad)).toEqual([]);
    const bad = [
      null,
      {},
      { ...one, lesson: '../x' },
      { ...one, step: -1 },
      { ...one, step: 0.5 },
      { ...one, tries: '1' },
    ];
    expect(missedFrom(file([...bad, { ...one, question: 'x'.repeat(81) }, { ...one, more: 1 }]))).toEqual([one]);
    expect(missedFrom(file(Array.from({ length: 90 }, (_, step) => ({ ...one, step }))))).toHaveLength(MOST_MISSED);
  });

  it('are asked in another seed, with the options in another order, at the same step', async () => {
    const entry = lessons.find((l) => l.name === 'syncloop');
    const lesson = parseLesson((await entry?.load()) ?? '', 'syncloop') as Lesson;
    const at = lesson.steps.findIndex((s) => s.ask?.options.length === 3);
    const own = lesson.steps[at]?.ask;
    const missed = { lesson: 'syncloop', step: at, question: own?.question.en.slice(0, 80) ?? '', tries: 0 };
    const seeds = new Set<number | undefined>();
    for (let tries = 0; tries < 4; tries++) {
      const review = reviewOf(lesson, { ...missed, tries });
      seeds.add(review?.seed);
      expect(review?.steps).toHaveLength(at + 1);
      const options = review?.steps.at(-1)?.ask?.options.map((o) => o.value) ?? [];
      expect(options).not.toEqual(own?.options.map((o) => o.value));
      expect([...options].sort()).toEqual(own?.options.map((o) => o.value).sort());
    }
    expect([...seeds].sort()).toEqual([...lesson.otherSeeds].sort());
    expect(seeds.has(lesson.seed)).toBe(false);
    expect(reviewOf(lesson, { ...missed, question: 'Another' })).toBeNull();
    expect(reviewOf(lesson, { ...missed, step: 0 })).toBeNull();
    expect(reviewOf({ ...lesson, otherSeeds: [] }, missed)?.seed).toBe(lesson.seed);
  });
});
