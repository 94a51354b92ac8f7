import { expect, it } from 'vitest';
import { issuedSecret, issuedWords } from '../issued-secrets.js';
import { issued, services } from './gitleaks.js';
import { own } from './own.js';

it('have a form that takes a bounded number of characters, and groups that are not repeated', () => {
  for (const { id, form } of [...own, ...issued, ...services]) {
    const bare = form.replace(/\\.|\[(?:\\.|[^\]])*\]/g, 'x');
    expect(bare, id).not.toMatch(/[*+.]|\{\d+,\}|\)\{\d+(?:,(?:[5-9]|\d\d+))\}/);
    expect(() => new RegExp(form, 'y')).not.toThrow();
  }
});

it('have a word of three letters at least, which each of them is found by', () => {
  for (const word of issuedWords) expect(word).toBe(word.toLowerCase());
  for (const { id, words, before } of [...own, ...issued])
    for (const word of words) expect(word.length + (before ?? 0), `${id}: ${word}`).toBeGreaterThanOrEqual(3);
});

it('find a secret by its form, as long as it goes on, and not an example', () => {
  const at = (text: string, word: string) => issuedSecret(text, word, text.toLowerCase().indexOf(word) + word.length);
  expect(at('x ghp_0123456789abcdefABCDEF0123456789abcd y', 'ghp_')).toEqual([2, 42]);
  expect(at('sk_live_4eC39HqLyjWDarjtT1zdp7dc,', 'sk_live')).toEqual([0, 32]);
  expect(at('sk_live_xxxxxxxxxxxxxxxx', 'sk_live')).toBeNull();
  expect(at('ghp_short', 'ghp_')).toBeNull();
  expect(at('datadog-agent: 0123456789abcdef0123456789abcdef01234567', 'datadog')).toEqual([15, 55]);
  // The id of a container is longer.
  expect(at(`datadog: ${'0123456789abcdef'.repeat(4)}`, 'datadog')).toBeNull();
});
