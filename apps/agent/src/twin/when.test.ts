import { expect, it } from 'vitest';
import { timeOf } from './when.js';

const START = Date.UTC(2026, 10, 22, 23, 59, 50) * 1000;

it('takes a time of day, a time, and how long after the start', () => {
  expect(timeOf('from', '90s', START)).toBe(90e6);
  expect(timeOf('from', '23:59:51.5', START)).toBe(1.5e6);
  // The time is on the next day, because the log began before midnight.
  expect(timeOf('from', '00:00', START)).toBe(10e6);
  expect(timeOf('from', '2026-11-22T23:59:50.000250Z', START)).toBe(250);
  expect(timeOf('from', '2026-11-23T00:59:51+01:00', START)).toBe(1e6);
  expect(timeOf('from', '2026-11-22 23:59:52 UTC', START)).toBe(2e6);
});

it('says what would do where it is none', () => {
  for (const text of ['soon', '25:00', '-3s', '2026-11-22T23:59:50', ''])
    expect(() => timeOf('to', text, START)).toThrow(/--to is .* but must be a time of day in UTC \(03:12:07\)/);
});
