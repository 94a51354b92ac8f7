import { expect, it } from 'vitest';
import { remembered } from './remembered.js';

it('asks once for a text that comes again, null and undefined included, and forgets the oldest', () => {
  const asked: string[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text);
    return text === '' ? undefined : text.length;
  }, 2);
  expect(['a', 'a', '', ''].map(lengthOf)).toEqual([1, 1, undefined, undefined]);
  expect(asked).toEqual(['a', '']);
  expect(lengthOf('bb')).toBe(2);
  expect(lengthOf('a')).toBe(1);
  expect(asked).toEqual(['a', '', 'bb', 'a']);
});
