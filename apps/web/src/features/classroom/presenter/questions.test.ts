import { parsePresenterMessage } from '@syncloop/core/classroom';
import { type Lesson, type LessonState, notStarted } from '@syncloop/core/lessons';
import { describe, expect, it } from 'vitest';
import { useLessons } from '../../lessons/lessons-store.js';
import { offeredQuestion, questionOfLesson } from './questions.js';

const text = (en: string, zh: string) => ({ en, zh });
const option = (en: string, zh: string) => ({ value: en, text: text(en, zh) });

describe('a lesson’s prediction', () => {
  it('is a question for a class, in both languages, with the values of the run', () => {
    const poll = questionOfLesson(
      {
        question: text('Pod `{{ pod }}` was **killed**. What next?', 'Pod `{{ pod }}` 被**杀掉**了。然后呢？'),
        options: [option('PLEG', 'PLEG'), option('nothing', '什么也没有')],
      },
      { pod: 'web' },
    );
    expect(poll).toEqual({
      question: { en: 'Pod web was killed. What next?', 'zh-CN': 'Pod web 被杀掉了。然后呢？' },
      options: [
        { en: 'PLEG', 'zh-CN': 'PLEG' },
        { en: 'nothing', 'zh-CN': '什么也没有' },
      ],
    });
    expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
  });
  it('wants a number, with its unit and tolerance, if the lesson does', () => {
    const number = { unit: 's', tolerance: 2 };
    const poll = questionOfLesson({ question: text('How long?', '多久？'), options: [], number }, {});
    expect(poll).toEqual({ question: { en: 'How long?', 'zh-CN': '多久？' }, options: [], number });
    expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
  });
  it('is none if it has more answers than a class is given', () => {
    const question = text('How many?', '多少？');
    expect(questionOfLesson({ question, options: [] }, {})).toBeNull();
    expect(questionOfLesson({ question, options: Array(7).fill(option('a', 'b')) }, {})).toBeNull();
  });
  it('is offered while the open lesson asks it', () => {
    const entered = { spot: { session: 's', branch: 1, step: 0, seq: 0 }, values: { pod: 'web' } };
    const ask = { question: text('Pod {{ pod }}?', 'Pod {{ pod }}？'), options: [option('a', 'a'), option('b', 'b')] };
    const lesson = { steps: [{}, { ask }] } as unknown as Lesson;
    const play: LessonState = { ...notStarted, phase: 'reading', step: 1, progress: [{}, { entered }] };
    expect(offeredQuestion()).toBeNull();
    useLessons.setState({ lesson, play });
    expect(offeredQuestion()?.question).toEqual({ en: 'Pod web?', 'zh-CN': 'Pod web？' });
    const graded = { given: 'a', answer: 'b', right: false };
    useLessons.setState({ play: { ...play, progress: [{}, { entered, graded }] } });
    expect(offeredQuestion()).toBeNull();
    useLessons.setState({ play: { ...play, step: 0 } });
    expect(offeredQuestion()).toBeNull();
    useLessons.setState({ lesson: null, play: null });
  });
});
