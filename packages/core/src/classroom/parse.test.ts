import { describe, expect, it } from 'vitest';
import {
  ClassError,
  inLanguage,
  isRight,
  MAX_HAND,
  MAX_RUN,
  parseFollowerMessage,
  parsePresenterMessage,
} from './index.js';

const view = {
  n: 3,
  run: 1,
  step: 523,
  seq: 1204,
  time: 12_345_000,
  running: true,
  speed: { mode: 'time', factor: 10 },
  sight: { selection: { kind: 'pod', uid: 'abc' }, inspectorTab: 'why', left: null },
};
const poll = {
  question: { en: 'What comes next?', 'zh-CN': '接下来？' },
  options: [{ en: 'PLEG' }, { en: 'sync' }],
  right: 1,
};

const fails = (value: unknown, text: RegExp | string, parse: (v: unknown) => unknown = parsePresenterMessage) => {
  expect(() => parse(value)).toThrow(ClassError);
  expect(() => parse(value)).toThrow(text);
};

describe('messages of a class', () => {
  it('are taken over as far as they are known', () => {
    expect(parsePresenterMessage({ type: 'view', view: { ...view, more: 1 }, x: 2 })).toEqual({ type: 'view', view });
    expect(parsePresenterMessage({ type: 'poll', poll: { ...poll, counts: [9, 9] } })).toEqual({ type: 'poll', poll });
    expect(parsePresenterMessage({ type: 'run', run: { n: 1, moment: 'v1.jabc' } })).toEqual({
      type: 'run',
      run: { n: 1, moment: 'v1.jabc' },
    });
    expect(parsePresenterMessage({ type: 'phase', phase: 'revealed' })).toEqual({ type: 'phase', phase: 'revealed' });
    expect(parseFollowerMessage({ type: 'answer', poll: 1, option: 0, id: 'x' })).toEqual({
      type: 'answer',
      poll: 1,
      option: 0,
    });
  });

  it('have a pointer relative to a box of the map, or none', () => {
    const pointer = { box: 'story-pleg', x: 1.25, y: -0.5 };
    expect(parsePresenterMessage({ type: 'pointer', pointer: { ...pointer, z: 1 } })).toEqual({
      type: 'pointer',
      pointer,
    });
    expect(parsePresenterMessage({ type: 'pointer' })).toEqual({ type: 'pointer' });
    fails({ type: 'pointer', pointer: { ...pointer, box: '<b>' } }, 'pointer.box');
    fails({ type: 'pointer', pointer: { ...pointer, x: 1e9 } }, 'pointer.x: it is 1000000000');
    fails({ type: 'pointer', pointer: { ...pointer, y: Number.NaN } }, 'pointer.y');
    fails({ type: 'pointer', pointer: null }, 'pointer');
    fails({ type: 'pointer', pointer }, 'type', parseFollowerMessage);
  });

  it('have a lesson’s values as texts, not many and not long', () => {
    const lesson = { name: 'pleg', step: 3, values: { 'seconds(time)': '1.2' }, ended: {}, answer: 'x' };
    expect(parsePresenterMessage({ type: 'lesson', lesson: { ...lesson, more: 1 } })).toEqual({
      type: 'lesson',
      lesson,
    });
    expect(parsePresenterMessage({ type: 'lesson' })).toEqual({ type: 'lesson' });
    const bad = (more: object, text: RegExp | string) =>
      fails({ type: 'lesson', lesson: { ...lesson, ...more } }, text);
    bad({ name: '../x' }, 'lesson.name');
    bad({ step: 999 }, 'lesson.step');
    bad({ values: { a: 1 } }, 'values are texts');
    bad({ values: { a: { b: 'x' } } }, 'nested too deep');
    bad({ values: { a: 'x'.repeat(9000) } }, 'too long');
    bad({ values: JSON.parse('{"__proto__":"x"}') }, '__proto__');
    bad({ answer: { a: 1 } }, 'lesson.answer');
    const poll = { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }], lesson: { name: 'pleg', step: 3 } };
    expect(parsePresenterMessage({ type: 'poll', poll })).toEqual({ type: 'poll', poll });
    fails({ type: 'phase', phase: 'revealed', right: 6e12 }, 'right: it is 6000000000000');
  });

  it('have a question for a number, with its unit, and numbers for answers', () => {
    const wanted = { question: { en: 'How long?' }, options: [], number: { unit: 's', tolerance: 2 }, right: -3.5 };
    expect(parsePresenterMessage({ type: 'poll', poll: wanted })).toEqual({ type: 'poll', poll: wanted });
    const bad = (more: object, text: string) => fails({ type: 'poll', poll: { ...wanted, ...more } }, text);
    bad({ options: poll.options }, 'poll.options: it has 2; a question for a number has no answers');
    bad({ number: { unit: 'x'.repeat(25), tolerance: 0 } }, 'poll.number.unit');
    bad({ number: { unit: 's', tolerance: -1 } }, 'poll.number.tolerance');
    bad({ right: 2e12 }, 'poll.right');
    fails({ type: 'poll', poll: { ...poll, right: 0.5 } }, 'poll.right');
    fails({ type: 'poll', poll: { ...poll, right: 2 } }, 'poll.right');
    const given = { type: 'answer', poll: 1, number: 2.5 };
    expect(parseFollowerMessage(given)).toEqual(given);
    for (const number of [1e13, Number.POSITIVE_INFINITY, '1', null])
      fails({ ...given, number }, 'message.number', parseFollowerMessage);
    fails({ ...given, option: 0 }, 'exactly one of option and number', parseFollowerMessage);
    expect([9, 11.9, 12.1].map((n) => isRight({ ...wanted, right: 10 }, n))).toEqual([true, true, false]);
    expect([isRight(wanted, -3), isRight({ number: wanted.number }, 0), isRight({ right: 1 }, 1)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('have a hand with a moment, and a name of letters', () => {
    const hand = { moment: 'v4.jabc', time: 5, name: '王 Ada' };
    expect(parseFollowerMessage({ type: 'hand', hand: { ...hand, more: 1 } })).toEqual({ type: 'hand', hand });
    expect(parseFollowerMessage({ type: 'hand' })).toEqual({ type: 'hand' });
    const bad = (more: object, text: string) =>
      fails({ type: 'hand', hand: { ...hand, ...more } }, text, parseFollowerMessage);
    bad({ moment: '<script>' }, 'hand.moment');
    bad({ moment: `v4.j${'a'.repeat(MAX_HAND)}` }, `it may have ${MAX_HAND}`);
    for (const name of ['', '<b>', '\u202eevil', 'x'.repeat(25), ' x']) bad({ name }, 'hand.name');
    fails({ type: 'hand', hand }, 'type');
  });

  it('have a stage by its name, and of a follower no more than names of levels and cases', () => {
    expect(parsePresenterMessage({ type: 'stage', stage: 'pod-actions' })).toEqual({
      type: 'stage',
      stage: 'pod-actions',
    });
    expect(parsePresenterMessage({ type: 'stage' })).toEqual({ type: 'stage' });
    for (const stage of ['', '../x', 'A', 'x'.repeat(64), 1]) fails({ type: 'stage', stage }, 'stage');
    const first = { level: 'examples', case: 'new-pod', problem: 'exception' };
    const given = { type: 'stage', stage: 'pleg', report: { passed: ['examples'], first } };
    const more = { ...given, code: 'x', report: { ...given.report, code: 'x', first: { ...first, got: 'x' } } };
    expect(parseFollowerMessage(more)).toEqual(given);
    const bad = (report: object, text: string) => fails({ ...given, report }, text, parseFollowerMessage);
    bad({ passed: ['all'] }, 'report.passed');
    bad({ passed: Array(4).fill('examples') }, 'report.passed');
    bad({ passed: [], first: { ...first, case: '<b>' } }, 'report.first.case');
    bad({ passed: [], first: { ...first, case: 'x'.repeat(81) } }, 'report.first.case');
    bad({ passed: [], first: { ...first, problem: 'other' } }, 'report.first.problem');
    bad({ passed: [], first: { ...first, level: 'x' } }, 'report.first.level');
  });

  it('of followers are answers, hands and where they stand, and nothing else', () => {
    for (const type of [
      'present',
      'lesson',
      'openHand',
      'lower',
      'listen',
      'stop',
      'run',
      'view',
      'poll',
      'phase',
      'endPoll',
      'command',
      'hello',
      '__proto__',
    ])
      fails(
        { type, view, poll },
        /type: it is "\w+"; (it must be one of answer, hand, stage, place|did you mean)/,
        parseFollowerMessage,
      );
    for (const bad of [null, 1, 'answer', [], { type: 'answer' }, { type: 'answer', poll: 1, option: 6 }])
      fails(bad, /must be/, parseFollowerMessage);
    expect(parseFollowerMessage({ type: 'place', place: 'own', behind: 3, name: 'x' })).toEqual({
      type: 'place',
      place: 'own',
      behind: 3,
    });
    fails({ type: 'place', place: 'joining', behind: 0 }, 'place: it is "joining"', parseFollowerMessage);
    fails({ type: 'place', place: 'with', behind: -1 }, 'behind: it is -1', parseFollowerMessage);
    fails({ type: 'answer', poll: 1, option: 0.5 }, 'option: it is 0.5', parseFollowerMessage);
  });

  it('say which field is wrong', () => {
    fails({ type: 'view', view: { ...view, step: -1 } }, 'step: it is -1; it must be a whole number');
    fails({ type: 'view', view: { ...view, speed: { mode: 'warp' } } }, 'speed.mode: it is "warp"');
    fails({ type: 'view', view: { ...view, running: 1 } }, 'running: it is 1');
    fails({ type: 'run', run: { n: 1, moment: '<script>' } }, 'run.moment');
    fails({ type: 'phase', phase: 'over' }, 'phase: it is "over"');
    fails({ type: 'poll', poll: { ...poll, right: 2 } }, 'right: it is 2');
  });

  it('are small', () => {
    fails({ type: 'run', run: { n: 1, moment: `v1.j${'a'.repeat(MAX_RUN)}` } }, `it may have ${MAX_RUN}`);
    fails({ type: 'view', view: { ...view, sight: { a: 'x'.repeat(5000) } } }, 'too long');
    fails(
      { type: 'view', view: { ...view, sight: { a: 'x'.repeat(3000), b: 'x'.repeat(3000) } } },
      'it may have 4000 characters',
    );
    const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`);
    fails({ type: 'view', view: { ...view, sight: deep } }, 'nested too deep');
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 1]));
    fails({ type: 'view', view: { ...view, sight: many } }, 'sight: it has 30 entries');
    for (const n of [0, 1, 7])
      fails({ type: 'poll', poll: { ...poll, options: Array(n).fill({ en: 'x' }) } }, '2 to 6 answers');
    fails({ type: 'poll', poll: { ...poll, question: { en: 'x'.repeat(500) } } }, 'it may have 400');
    fails({ type: 'poll', poll: { ...poll, question: {} } }, 'en or zh-CN');
    fails({ type: 'poll', poll: { ...poll, question: { en: ' ' } } }, 'must be a text');
  });

  it('leave prototypes alone', () => {
    const bad = JSON.parse('{"type":"view","view":{"sight":{"__proto__":{"polluted":1}}}}');
    fails({ type: 'view', view: { ...view, ...bad.view } }, /sight/);
    const deep = JSON.parse('{"a":{"__proto__":{"polluted":1}}}');
    fails({ type: 'view', view: { ...view, sight: deep } }, '__proto__');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

it('a text is in the language asked for, or in the one that there is', () => {
  expect(inLanguage(poll.question, 'zh-CN')).toBe('接下来？');
  expect(inLanguage({ en: 'PLEG' }, 'zh-CN')).toBe('PLEG');
  expect(inLanguage({ 'zh-CN': '是' }, 'en')).toBe('是');
});
