import { expect, it } from 'vitest';
import { codeFrom, codeText } from './join.js';

it('a code is understood as people type it, and read out in two halves', () => {
  for (const typed of ['ABCDEF', 'abcdef', ' abc def ', 'ABC-DEF', 'a b c d e f g'])
    expect(codeFrom(typed)).toBe('ABCDEF');
  expect(codeFrom('ab1')).toBe('AB');
  expect(codeText('ABCDEF')).toBe('ABC DEF');
});
