import { describe, expect, it } from 'vitest';
import {
  afterIn,
  answered,
  answerFor,
  behaviourFor,
  CHOICES,
  choiceOf,
  codeIn,
  memoryIn,
  portsIn,
  statusIn,
} from './behaviours.js';

describe('what images do, as it is chosen', () => {
  it.each(CHOICES)('%s comes back as it was chosen', (choice) => {
    expect(choiceOf(behaviourFor(choice, [80]))).toBe(choice);
  });
  it('numbers are read as they are typed', () => {
    expect(portsIn('80, 443')).toEqual([80, 443]);
    expect(portsIn('80 80')).toEqual([80]);
    expect(portsIn('none')).toBeNull();
    expect(['250Mi', ' 1Gi ', '500k', '', '0', '-1Mi', '1Ei', 'much'].map(memoryIn)).toEqual([
      250 * 2 ** 20,
      2 ** 30,
      500_000,
      ...[null, null, null, null, null],
    ]);
    expect(['200', ' 503 ', '99', '600', 'ok'].map(statusIn)).toEqual([200, 503, null, null, null]);
    expect(portsIn('70000')).toBeNull();
    expect(afterIn('1.5')).toBe(1_500_000);
    expect(afterIn('')).toBeNull();
    expect(afterIn('-1')).toBeNull();
    expect(codeIn('137')).toBe(137);
    expect(codeIn('256')).toBeNull();
  });
  it('what was chosen stands in place of the guess', () => {
    const question = {
      ref: 'a',
      full: 'docker.io/library/a:latest',
      containers: ['p/c'],
      because: 'default',
      near: '',
      settled: false,
      does: { kind: 'runs' },
      doesIn: { init: { kind: 'runs' } },
    } as const;
    expect(answered(question, undefined)).toBe(question);
    expect(answered(question, { ref: 'a', does: null })).toEqual({
      ref: 'a',
      full: 'docker.io/library/a:latest',
      containers: ['p/c'],
      because: 'default',
      near: '',
      settled: false,
      does: null,
    });
  });
  it('an answer about one container leaves what the others of its image do', () => {
    const runs = { kind: 'runs' } as const;
    const ends = { kind: 'exits', code: 1, after: 0 } as const;
    const question = {
      ref: 'a',
      full: 'docker.io/library/a:latest',
      containers: ['p/c', 'p/init'],
      because: 'default',
      near: '',
      settled: true,
      assumed: true,
      does: runs,
      doesIn: { init: runs },
    } as const;
    expect(answerFor(question, 'c', ends)).toEqual({ ref: 'a', does: ends, doesIn: { init: runs } });
    expect(answerFor(question, 'init', ends)).toEqual({ ref: 'a', does: runs, doesIn: { init: ends } });
    expect(answerFor({ ...question, doesIn: {} }, 'c', ends)).toEqual({ ref: 'a', does: ends, doesIn: {} });
    expect(answerFor(question, 'c', null)).toEqual({ ref: 'a', does: null });
  });
});
