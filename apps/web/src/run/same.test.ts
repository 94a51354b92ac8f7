import { expect, it } from 'vitest';
import { keepingSame } from './same.js';

it('fields that say the same stay the very same', () => {
  const before = { time: 1, speed: { mode: 'time', factor: 1 }, hits: [{ seq: 3 }] };
  const next = keepingSame(before, { time: 2, speed: { mode: 'time', factor: 1 }, hits: [{ seq: 4 }] });
  expect(next).toEqual({ time: 2, speed: { mode: 'time', factor: 1 }, hits: [{ seq: 4 }] });
  expect(next.speed).toBe(before.speed);
  expect(next.hits).not.toBe(before.hits);
  expect(Object.keys(keepingSame<object>({ choice: 1, next: '' }, { next: '' }))).toEqual(['next']);
});
