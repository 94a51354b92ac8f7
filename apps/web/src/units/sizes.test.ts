import { expect, it } from 'vitest';
import { bytesText } from './sizes.js';

it('sizes read as file managers write them', () => {
  const of = (n: number) => bytesText(n, 'en');
  expect([0, 812, 999, 1000, 4210, 99_400, 99_500, 999_499, 999_500, 2.1e9, 5e15].map(of)).toEqual([
    ...['0 B', '812 B', '999 B', '1.0 kB', '4.2 kB', '99.4 kB', '100 kB', '999 kB', '1.0 MB', '2.1 GB', '5,000 TB'],
  ]);
  expect(of(-5)).toBe('0 B');
});
