import { expect, it } from 'vitest';
import type { Decisions, Micros, Millis, Seq } from './index.js';

it('units of numbers are not taken for one another', () => {
  const seq: Seq = 3;
  const time: Micros = 5;
  // Each of these lines must be an error of the compiler.
  // @ts-expect-error a record's place is not a time
  const wrongTime: Micros = seq;
  // @ts-expect-error a record's place is not a count of decisions
  const wrongCount: Decisions = seq;
  // @ts-expect-error microseconds are not milliseconds
  const wrongUnit: Millis = time;
  const next: Seq = seq + 1;
  expect([wrongTime, wrongCount, wrongUnit, next]).toEqual([3, 3, 5, 4]);
});
