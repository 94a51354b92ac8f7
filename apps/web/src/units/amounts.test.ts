import { expect, it } from 'vitest';
import { amountText } from './amounts.js';

it('prints bytes in units, and counts as they are', () => {
  expect(amountText('memory.available', 40 * 2 ** 20)).toBe('40Mi');
  expect(amountText('nodefs.available', 1.5 * 2 ** 30)).toBe('1.5Gi');
  expect(amountText('nodefs.available', 900)).toBe('900');
  expect(amountText('nodefs.inodesFree', 2_000_000)).toBe('2000000');
  expect(amountText('pid.available', 5000)).toBe('5000');
});
