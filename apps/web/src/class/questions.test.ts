import { parsePresenterMessage } from '@syncloop/core/class';
import { describe, expect, it } from 'vitest';
import { offeredQuestion, offerQuestion, questionOfLesson } from './questions.js';

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
  it('is none where a number is asked for, or more than a class is given', () => {
    const question = text('How many?', '多少？');
    expect(questionOfLesson({ question, options: [] }, {})).toBeNull();
    expect(questionOfLesson({ question, options: Array(7).fill(option('a', 'b')) }, {})).toBeNull();
  });
  it('is offered by whoever has one', () => {
    expect(offeredQuestion()).toBeNull();
    offerQuestion(() => null);
    const mine = { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] };
    offerQuestion(() => mine);
    expect(offeredQuestion()).toBe(mine);
  });
});
