import { expect, test } from 'vitest';
import { convert, readRules } from './secret-rules.mjs';

const rule = (regex, keywords, more = {}) => ({ id: 'x', regex, keywords, entropy: 0, path: false, ...more });

test('rules of a gitleaks.toml are read', () => {
  const toml = `title = "x"\n\n[[rules]]\nid = "a"\nregex = '''\\bghp_[0-9a-z]{36}\\b'''\nentropy = 3.5\nkeywords = [\n    "ghp_",\n]\n\n[[rules]]\nid = "b"\npath = '''x'''\n`;
  expect(readRules(toml)).toEqual([
    { id: 'a', regex: '\\bghp_[0-9a-z]{36}\\b', entropy: 3.5, keywords: ['ghp_'], path: false },
    { id: 'b', regex: '', entropy: 0, keywords: [], path: true },
  ]);
});

test('a rule becomes a form in syntax of JavaScript, without what stands behind the secret', () => {
  const stripe = String.raw`\b((?:sk|rk)_(?:test|live)_(?i)[a-z0-9]{10,99})(?:[\x60'"\s;]|\\[nr]|$)`;
  expect(convert(rule(stripe, ['sk_test', 'rk_live']))).toEqual({
    id: 'x',
    words: ['sk_test', 'rk_live'],
    form: '\\b(?:sk|rk)_(?:test|live)_[0-9A-Za-z]{10,99}',
  });
  expect(convert(rule('[a-z]{14}\\.v1\\.[\\w=-]{60,}', ['.v1.'], { entropy: 3 }))).toEqual({
    id: 'x',
    words: ['.v1.'],
    before: 14,
    form: '[a-z]{14}\\.v1\\.[\\-0-9=A-Z_a-z]{60,400}',
    entropy: 3,
  });
});

test('what can match in several ways, or has no place to be found by, is left out with the reason', () => {
  const made = (regex, word = 'abc') => convert(rule(regex, [word]));
  expect(() => made('abc[a-z]{2,9}[a-z0-9]{3}')).toThrow('more than one way to match');
  expect(() => made('abc(?:[a-z]x){2,9}1')).toThrow('a group that is repeated');
  expect(() => made('[a-z]{2,9}-abc')).toThrow('its keyword has no fixed place');
  expect(() => made('abc.*')).toThrow('. in the middle');
  expect(() => made('ab[0-9]{9}', 'ab')).toThrow('its keyword is in every line');
  const service = (value) =>
    String.raw`(?i)[\w.-]{0,50}?(?:acme)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(${value})(?:[\x60'"\s;]|\\[nr]|$)`;
  expect(made(service('[a-z0-9]{40}'), 'acme')).toEqual({ id: 'x', after: ['acme'], form: '[0-9A-Za-z]{40}' });
  expect(() => made(service('[a-f0-9]{32}'), 'acme')).toThrow('its values look like ids of Kubernetes');
  expect(() => made(service('[a-z]{12}'), 'acme')).toThrow('its values are short words');
});
