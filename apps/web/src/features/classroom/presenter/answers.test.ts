import type { PresentedPoll } from '@syncloop/core/classroom';
import { beforeEach, describe, expect, it } from 'vitest';
import { storageIn } from '../../../fixtures/storage.js';
import {
  ANSWERS_VERSION,
  answersFrom,
  byTrouble,
  forgetAnswers,
  MOST_ANSWERED,
  noteAnswers,
  rightCount,
  useAnswers,
  wrongShare,
} from './answers.js';

const kept = new Map<string, string>();
const poll = (id: number, counts: readonly number[], more: Partial<PresentedPoll> = {}): PresentedPoll => ({
  id,
  phase: 'open',
  question: { en: `Question ${id}` },
  options: counts.map((_, i) => ({ en: `o${i}` })),
  counts,
  ...more,
});
const noted = () => useAnswers.getState().answers.map((a) => [a.poll.question.en, a.counts]);

beforeEach(() => {
  kept.clear();
  globalThis.sessionStorage = storageIn(kept);
  forgetAnswers();
  noteAnswers(null);
});

describe('the answers of a class', () => {
  it('are counted by question as they come, with the right one once it is known, and nothing of anybody', () => {
    noteAnswers(poll(1, [0, 0]));
    expect(noted()).toEqual([]);
    noteAnswers(poll(1, [1, 0]));
    noteAnswers(poll(1, [1, 2], { phase: 'revealed', right: 1 }));
    noteAnswers(null);
    noteAnswers(poll(2, [3, 0]));
    expect(noted()).toEqual([
      ['Question 1', [1, 2]],
      ['Question 2', [3, 0]],
    ]);
    expect(answersFrom(kept.get('syncloop.class.answers') ?? null)).toEqual(useAnswers.getState().answers);
    expect(kept.get('syncloop.class.answers')).not.toContain('"id"');
    forgetAnswers();
    expect(kept.size).toBe(0);
  });

  it('to a question that is asked again are another entry', () => {
    noteAnswers(poll(1, [1, 0]));
    noteAnswers(poll(2, [0, 1], { question: { en: 'Question 1' } }));
    expect(noted()).toHaveLength(2);
  });

  it('are listed with what most got wrong first', () => {
    noteAnswers(poll(1, [9, 1], { right: 0 }));
    noteAnswers(poll(2, [9, 1]));
    noteAnswers(poll(3, [9, 1], { right: 1 }));
    const sorted = byTrouble(useAnswers.getState().answers);
    expect(sorted.map((a) => a.poll.question.en)).toEqual(['Question 3', 'Question 1', 'Question 2']);
    expect(sorted.map(wrongShare)).toEqual([0.9, expect.closeTo(0.1), null]);
  });

  it('to a question for a number are by number, and right as near to the right one as it wants', () => {
    const number = { unit: 's', tolerance: 2 };
    const asked = poll(3, [2, 1, 4], { options: [], number, values: [8, 10, 99], others: 3, right: 9 });
    noteAnswers(asked);
    const answers = answersFrom(kept.get('syncloop.class.answers') ?? null);
    expect(answers).toEqual(useAnswers.getState().answers);
    expect(answers.map((a) => [rightCount(a), wrongShare(a)])).toEqual([[3, 0.7]]);
    const stored = { poll: { question: { en: '?' }, options: [], number }, counts: [1], values: [2] };
    const read = (one: object) =>
      answersFrom(JSON.stringify({ version: ANSWERS_VERSION, answers: [{ ...stored, ...one }] }));
    expect(read({})).toHaveLength(1);
    for (const bad of [{ values: [] }, { values: ['2'] }, { values: undefined }, { others: -1 }])
      expect(read(bad)).toEqual([]);
  });

  it('are bounded, and left out if they are not ours', () => {
    for (let id = 1; id <= MOST_ANSWERED + 5; id++) noteAnswers(poll(id, [1, 0]));
    expect(noted()).toHaveLength(MOST_ANSWERED);
    const one = { poll: { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] }, counts: [1, 2] };
    const file = (answers: readonly unknown[], version: number = ANSWERS_VERSION) =>
      JSON.stringify({ version, answers });
    expect(answersFrom(file([one]))).toEqual([one]);
    expect(answersFrom(file([one], 2))).toEqual([]);
    for (const counts of [[1], [1, -2], [1, 'x'], null]) expect(answersFrom(file([{ ...one, counts }]))).toEqual([]);
    expect(answersFrom(file([{ ...one, poll: {} }, null]))).toEqual([]);
    for (const bad of [null, '', '{', '[]']) expect(answersFrom(bad)).toEqual([]);
  });
});
