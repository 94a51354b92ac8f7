import { describe, expect, it } from 'vitest';
import { answeredBy, rightNumber, rowsOf } from './counted.js';

describe('a question with its counts', () => {
  it('has a row for each answer to choose from', () => {
    const options = [{ en: 'a', 'zh-CN': '甲' }, { en: 'b' }];
    expect(rowsOf({ options, counts: [2, 0], right: 1 }, 0, 'zh-CN')).toEqual([
      { key: '0', text: '甲', n: 2, right: false, own: true },
      { key: '1', text: 'b', n: 0, right: true, own: false },
    ]);
  });
  it('for a number has a row for each that was given, and one for the rest', () => {
    const number = { unit: 's', tolerance: 1 };
    const poll = { options: [], number, counts: [3, 1], values: [2, 7.5], others: 4 };
    const rows = rowsOf({ ...poll, right: 7 }, 7.5, 'en');
    expect(rows.map((r) => [r.text, r.n, r.right, r.own])).toEqual([
      ['2 s', 3, false, false],
      ['7.5 s', 1, true, true],
      [null, 4, false, false],
    ]);
    expect(rowsOf(poll, 99, 'en').map((r) => [r.right, r.own])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect(answeredBy(poll)).toBe(8);
    expect([rightNumber(number, 7.1234), rightNumber({ unit: '', tolerance: 0 }, 3)]).toEqual(['7.123 s (±1 s)', '3']);
  });
});
