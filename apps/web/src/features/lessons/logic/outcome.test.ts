import { expect, it } from 'vitest';
import { outcomeOf } from './outcome.js';

it.each([
  ['knows', 0, 0, 0],
  ['skipped', 3, 0, 0],
  ['none', 3, 3, 0],
  ['none', 3, 1, 0],
  ['few', 3, 3, 1],
  ['knows', 3, 2, 1],
  ['knows', 3, 3, 2],
] as const)(
  'the end of a lesson says %s after %i asked, %i answered and %i right',
  (outcome, asked, answered, right) => {
    expect(outcomeOf({ asked, answered, right })).toBe(outcome);
  },
);
