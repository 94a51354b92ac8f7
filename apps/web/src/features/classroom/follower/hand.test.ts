import { MAX_HAND, parseFollowerMessage } from '@syncloop/core/classroom';
import { expect, it } from 'vitest';
import { isOfOurs } from '../presenter/hands.js';
import { handMessage, nameFrom } from './hand.js';

it('a raised hand has the moment, and the name only if one was given, as the class takes it', () => {
  expect(handMessage('v4.jabc', 5, '')).toEqual({ type: 'hand', hand: { moment: 'v4.jabc', time: 5 } });
  for (const typed of [
    'Ada',
    ' Zoë-Anne O’Hara 3 ',
    '王小明',
    '<b>x</b>',
    '\u202eevil',
    '-',
    'x'.repeat(99),
    'ab '.repeat(20),
  ]) {
    const message = handMessage('v4.jabc', 5, typed);
    expect(parseFollowerMessage(message)).toEqual(message);
  }
  expect(nameFrom('<b>x</b>')).toBe('bxb');
  expect(nameFrom('\u202eevil')).toBe('evil');
  expect(handMessage(`v4.j${'a'.repeat(MAX_HAND)}`, 5, '')).toBeNull();
});

it('a hand’s moment is opened in the presenter’s own scenario or one of the library only', () => {
  expect(isOfOurs({}, {})).toBe(true);
  expect(isOfOurs({}, { text: 'ours' })).toBe(true);
  expect(isOfOurs({ text: 'ours' }, { text: 'ours' })).toBe(true);
  expect(isOfOurs({ text: 'theirs' }, { text: 'ours' })).toBe(false);
  expect(isOfOurs({ text: 'theirs' }, {})).toBe(false);
});
