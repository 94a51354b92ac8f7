import { describe, expect, it } from 'vitest';
import { numberFrom, withUnit } from './typed-number.js';

describe('a number', () => {
  it('is read as people type it', () => {
    expect(['7', ' 2,5 ', '-.5', '+3.', '1e3', '', 'x', '1 000', '1,2,3'].map(numberFrom)).toEqual([
      ...[7, 2.5, -0.5, 3],
      ...Array(5).fill(undefined),
    ]);
  });
  it('is shown with its unit and three decimals', () => {
    expect([withUnit(1.23456, 's'), withUnit(3, ''), withUnit('web', '')]).toEqual(['1.235 s', '3', 'web']);
  });
});
