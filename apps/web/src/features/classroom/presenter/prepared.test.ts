import { parsePresenterMessage } from '@syncloop/core/classroom';
import { lessons, parseLesson } from '@syncloop/core/lessons';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addPrepared,
  fileOf,
  MOST_PREPARED,
  questionsOf,
  questionsOfLesson,
  removePrepared,
  usePrepared,
} from './prepared.js';

const question = (n: number) => ({ question: { en: `Q${n}?` }, options: [{ en: 'a' }, { 'zh-CN': '乙' }], right: 1 });

beforeEach(() => usePrepared.setState({ questions: [] }));

describe('prepared questions', () => {
  it('go into a file and come back', () => {
    const questions = [question(1), question(2)];
    expect(questionsOf(fileOf(questions))).toEqual(questions);
  });

  it.each([
    ['not json', { why: 'json' }],
    ['null', { why: 'kind' }],
    ['{"kind":"other","questions":[]}', { why: 'kind' }],
    [fileOf([question(1)]).replace('"version": 1', '"version": 2'), { why: 'version' }],
    [fileOf([]), { why: 'empty' }],
    [fileOf(Array(MOST_PREPARED + 1).fill(question(1))), { why: 'many' }],
    [' '.repeat(2_000_001), { why: 'large' }],
    [
      fileOf([question(1), { question: { en: 'Q' }, options: [{ en: 'alone' }] }]),
      { why: 'question', n: 2, text: expect.stringMatching(/options: it has 1/) },
    ],
  ])('say what is wrong with a file: %#', (text, problem) => {
    expect(questionsOf(text)).toEqual(problem);
  });

  it('are kept once each, up to a limit', () => {
    expect(addPrepared([question(1), question(2), question(1)])).toBe(2);
    expect(addPrepared([question(2)])).toBe(0);
    removePrepared(0);
    expect(usePrepared.getState().questions).toEqual([question(2)]);
    expect(addPrepared(Array.from({ length: 300 }, (_, n) => question(n + 10)))).toBe(MOST_PREPARED - 1);
  });

  it('are taken from a lesson, as far as they need no values of a run', async () => {
    let all = 0;
    for (const entry of lessons) {
      const lesson = parseLesson(await entry.load(), entry.name);
      for (const poll of questionsOfLesson(lesson)) {
        all++;
        expect(JSON.stringify(poll)).not.toMatch(/\{\{|…/);
        expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
      }
    }
    expect(all).toBeGreaterThan(lessons.length);
  });
});
