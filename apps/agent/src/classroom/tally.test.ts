import { describe, expect, it } from 'vitest';
import { MOST_VALUES, Tally } from './tally.js';

const number = { question: { en: 'How long?' }, options: [], number: { unit: 's', tolerance: 1 } };

describe('the counts of a question', () => {
  it('for a number are by number, in ascending order, with three decimals', () => {
    const tally = new Tally(number);
    const give = (n: number) => tally.add(tally.read({ number: n }) as number, 1);
    for (const n of [10, 2.5, 10, -0.0001, 2.50001, 10]) give(n);
    expect(tally.result()).toEqual({ counts: [1, 2, 3], values: [0, 2.5, 10] });
    expect(Object.is(tally.result().values?.[0], 0)).toBe(true);
    tally.add(2.5, -1);
    tally.add(2.5, -1);
    expect(tally.result()).toEqual({ counts: [1, 3], values: [0, 10] });
    expect(tally.asAnswer(2.5)).toEqual({ number: 2.5 });
  });

  it('have so many numbers apart: those that most gave', () => {
    const tally = new Tally(number);
    for (let n = 0; n < MOST_VALUES + 10; n++) tally.add(n, 1);
    tally.add(MOST_VALUES + 5, 1);
    const { counts, values, others } = tally.result();
    expect(values).toHaveLength(MOST_VALUES);
    expect(values?.slice(-2)).toEqual([MOST_VALUES - 2, MOST_VALUES + 5]);
    expect([counts.at(-1), others]).toEqual([2, 10]);
  });

  it('are by answer otherwise, and take what fits the question only', () => {
    const choice = new Tally({ question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] });
    choice.add(1, 1);
    expect(choice.result()).toEqual({ counts: [0, 1] });
    expect(choice.read({ option: 2 })).toBe('this question has 2 answers');
    expect(choice.read({ number: 1 })).toBe('this question has 2 answers');
    expect(new Tally(number).read({ option: 1 })).toBe('this question wants a number');
  });
});
