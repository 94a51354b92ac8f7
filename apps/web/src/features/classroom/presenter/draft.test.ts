import { parsePresenterMessage } from '@syncloop/core/classroom';
import { describe, expect, it } from 'vitest';
import {
  addOption,
  EMPTY_FORM,
  type Form,
  formOf,
  pollOf,
  removeOption,
  setNumber,
  setOption,
  setQuestion,
  wantNumber,
} from './draft.js';

const filled = ['a', 'b'].reduce<Form>(
  (f, text, i) => setOption(f, i, text, 'en'),
  setQuestion(EMPTY_FORM, 'Next?', 'en'),
);

describe('the form for a question', () => {
  it('makes a question that a class takes', () => {
    const poll = pollOf({ ...addOption(filled), right: 1 });
    expect(poll).toEqual({ question: { en: 'Next?' }, options: [{ en: 'a' }, { en: 'b' }], right: 1 });
    expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
    const longest = setQuestion(setOption(filled, 0, 'x'.repeat(9999), 'en'), 'y'.repeat(9999), 'en');
    expect(() => parsePresenterMessage({ type: 'poll', poll: pollOf(longest) })).not.toThrow();
  });
  it('says what is missing', () => {
    expect(pollOf(EMPTY_FORM)).toBe('needQuestion');
    expect(pollOf(setQuestion(EMPTY_FORM, '  ', 'en'))).toBe('needQuestion');
    expect(pollOf(setOption(filled, 1, '', 'en'))).toBe('needOptions');
    expect(pollOf({ ...addOption(filled), right: 2 })).toBe('needRight');
  });
  it('can want a number, with a unit, a right one and a tolerance if there are any', () => {
    const asked = wantNumber(setQuestion(EMPTY_FORM, 'How long?', 'en'), true);
    const question = { en: 'How long?' };
    expect(pollOf(asked)).toEqual({ question, options: [], number: { unit: '', tolerance: 0 } });
    const poll = pollOf(setNumber(asked, { unit: ' s ', right: '-2,5', tolerance: '.5' }));
    expect(poll).toEqual({ question, options: [], number: { unit: 's', tolerance: 0.5 }, right: -2.5 });
    expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
    if (typeof poll !== 'string') expect(pollOf(formOf(poll))).toEqual(poll);
    for (const bad of [{ right: 'x' }, { tolerance: '-1' }, { right: '1'.repeat(20) }])
      expect(pollOf(setNumber(asked, bad))).toBe('needNumber');
    expect(pollOf(wantNumber(asked, false))).toBe('needOptions');
  });
  it('has two to six answers, and keeps the right one right', () => {
    let form: Form = { ...filled, right: 1 };
    for (let i = 0; i < 9; i++) form = addOption(form);
    expect(form.options).toHaveLength(6);
    expect(removeOption(form, 0).right).toBe(0);
    expect(removeOption(form, 1).right).toBeNull();
    expect(removeOption(form, 5).right).toBe(1);
    expect(removeOption(filled, 0)).toBe(filled);
    // An answer that was left empty is left out, and the right one moves up.
    const gap = setOption(setOption(addOption(filled), 0, '', 'en'), 2, 'c', 'en');
    expect(pollOf({ ...gap, right: 2 })).toMatchObject({ options: [{ en: 'b' }, { en: 'c' }], right: 1 });
  });
  it('keeps the languages of a lesson’s question, where that is left as it was', () => {
    const lesson = {
      question: { en: 'Next?', 'zh-CN': '接下来？' },
      options: [{ en: 'a', 'zh-CN': '甲' }, { en: 'b' }],
      right: 0,
    };
    const form = formOf(lesson);
    expect(pollOf(form)).toEqual(lesson);
    expect(pollOf(setQuestion(form, '然后呢？', 'zh-CN'))).toMatchObject({ question: { 'zh-CN': '然后呢？' } });
  });
});
