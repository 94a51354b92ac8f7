import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellPattern, trimPattern } from './pattern.js';
import { BadRegex, Regex, type RegexOptions } from './regex.js';

fc.configureGlobal({ seed: 20261122 });

/** The units that a match took. */
function meter() {
  const spent = {
    units: 0,
    spend: (n: number) => {
      spent.units += n;
    },
  };
  return spent;
}
const match = (source: string, text: string, options: RegexOptions = { extended: true }): string | null => {
  const m = new Regex(source, options).exec(text, 0, () => {});
  return m ? text.slice(m[0], m[1]) : null;
};
const groups = (source: string, text: string): (string | null)[] => {
  const m = new Regex(source, { extended: true }).exec(text, 0, () => {}) ?? [];
  return Array.from({ length: Math.ceil(m.length / 2) }, (_, i) => {
    const [a = -1, b = -1] = [m[2 * i], m[2 * i + 1]];
    return a < 0 ? null : text.slice(a, b);
  });
};

describe('regular expressions', () => {
  it.each([
    ['ab*c', 'xabbbcx', 'abbbc'],
    ['a|ab', 'xab', 'ab'],
    ['(a|ab)(c|bcd)', 'abcd', 'abcd'],
    ['^a', 'ba', null],
    ['a$', 'ab', null],
    ['^$', '', ''],
    ['[[:digit:]]+', 'a 123', '123'],
    ['[^a-c]+', 'abcdefa', 'def'],
    ['[]a]+', 'x]a]', ']a]'],
    ['a{2,3}', 'aaaa', 'aaa'],
    ['a{2}', 'a', null],
    ['(ab){2}', 'ababab', 'abab'],
    ['a{,2}b', 'aaab', 'aab'],
    ['a{x', 'a{x', 'a{x'],
    ['\\.', 'a.b', '.'],
    ['\\w+\\b', '  word!', 'word'],
    ['\\<b\\w*', 'ab bc', 'bc'],
    ['a.c', 'a😀c', 'a😀c'],
    ['(a*)*', 'aaa', 'aaa'],
    ['(|a)+', 'aaa', 'aaa'],
    ['x*', 'aaa', ''],
    ['a+?', 'aaa', 'aaa'],
    ['*a', '*a', '*a'],
  ])('extended %s in %j', (source, text, found) => {
    expect(match(source, text)).toBe(found);
  });

  it.each([
    ['a+b', 'a+b', 'a+b'],
    ['a\\+b', 'aab', 'aab'],
    ['\\(ab\\)*', 'abab', 'abab'],
    ['a\\|b', 'b', 'b'],
    ['a\\{2\\}', 'aaa', 'aa'],
    ['*a', '*a', '*a'],
    ['a^b$c', 'a^b$c', 'a^b$c'],
    ['\\(^a\\)', 'ab', 'a'],
    ['a{2}', 'a{2}', 'a{2}'],
  ])('basic %s in %j', (source, text, found) => {
    expect(match(source, text, {})).toBe(found);
  });

  it('has groups, case, whole lines, words and literals', () => {
    expect(groups('(a+)(b+)?(c)', 'xaac')).toEqual(['aac', 'aa', null, 'c']);
    expect(match('ABC', 'xabcx', { extended: true, ignoreCase: true })).toBe('abc');
    expect(match('[A-C]+', 'xabcx', { extended: true, ignoreCase: true })).toBe('abc');
    expect(match('a|ab', 'ab', { extended: true, whole: true })).toBe('ab');
    expect(match('a', 'ab', { extended: true, whole: true })).toBeNull();
    expect(match('ab', 'abc ab', { extended: true, word: true })).toBe('ab');
    expect(match('a.c', 'abc a.c', { literal: true })).toBe('a.c');
  });

  it.each([
    '(',
    'a)',
    '[a',
    'a{3,2}',
    'a{1000}',
    '\\',
    '(a)\\1',
    '((a{100}){100}){100}',
    `${'('.repeat(500)}a`,
    '(){255}{255}{255}{255}',
  ])('says what is wrong with %s', (source) => {
    expect(() => new Regex(source, { extended: true })).toThrow(BadRegex);
  });

  it('finds what JavaScript finds', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '(a|b)', '(ab)', '(b|c)');
    const source = fc
      .array(fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}')), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.map(([a, q]) => a + q).join(''));
    fc.assert(
      fc.property(source, fc.stringMatching(/^[abc]{0,10}$/), (s, text) => {
        const ours = new Regex(s, { extended: true }).exec(text, 0, () => {});
        const theirs = new RegExp(s).exec(text);
        expect(ours?.[0] ?? null).toBe(theirs?.index ?? null);
        // The longest match is at least as long as a greedy one.
        if (ours && theirs) expect((ours[1] as number) - (ours[0] as number)).toBeGreaterThanOrEqual(theirs[0].length);
        // The match is the longest of all texts that match as a whole.
        if (ours) {
          const whole = new RegExp(`^(?:${s})$`);
          let longest = -1;
          for (let end = ours[0] as number; end <= text.length; end++)
            if (whole.test(text.slice(ours[0], end))) longest = end;
          expect(ours[1]).toBe(longest);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '(a|aa)+$', '(.*)*(.*)*(.*)*x', 'a*a*a*a*a*a*b'])(
    'takes no more than the text times the expression: %s',
    (source) => {
      const spent = meter();
      expect(new Regex(source, { extended: true }).test(`${'a'.repeat(10_000)}!`, spent.spend)).toBe(false);
      // Each character may look at each instruction, some of them on two ways.
      expect(spent.units).toBeLessThan(10_000 * 100);
    },
  );
});

describe('shell patterns', () => {
  it('matches as a simple one does', () => {
    const simple = (p: string, t: string): boolean => {
      if (p === '') return t === '';
      if (p[0] === '*') return simple(p.slice(1), t) || (t !== '' && simple(p, t.slice(1)));
      return t !== '' && (p[0] === '?' || p[0] === t[0]) && simple(p.slice(1), t.slice(1));
    };
    const text = fc.stringMatching(/^[ab]{0,8}$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*?]{0,8}$/), text, (p, t) => {
        const all = Array.from({ length: t.length + 1 }, (_, i) => i);
        expect(shellPattern(p).test(t)).toBe(simple(p, t));
        const heads = all.filter((i) => simple(p, t.slice(0, i)));
        expect(shellPattern(p).prefix(t, false)).toBe(heads[0] ?? -1);
        expect(shellPattern(p).prefix(t, true)).toBe(heads[heads.length - 1] ?? -1);
        const tails = all.filter((i) => simple(p, t.slice(i)));
        expect(trimPattern(t, '%', p)).toBe(t.slice(0, tails[tails.length - 1] ?? t.length));
        expect(trimPattern(t, '%%', p)).toBe(t.slice(0, tails[0] ?? t.length));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a]', 'b', true],
    ['[[:digit:]]', '7', true],
    ['[]]', ']', true],
    ['[a', '[a', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
  ])('%s and %j', (pattern, text, matches) => {
    expect(shellPattern(pattern).test(text)).toBe(matches);
  });

  it('takes no more than the text times the pattern', () => {
    const pattern = `${'*a'.repeat(20)}*b`;
    const text = 'a'.repeat(10_000);
    for (const act of [
      (spend: (n: number) => void) => shellPattern(pattern).test(text, spend),
      (spend: (n: number) => void) => trimPattern(text, '##', pattern, spend),
      (spend: (n: number) => void) => trimPattern(text, '%%', pattern, spend),
    ]) {
      const spent = meter();
      act(spent.spend);
      expect(spent.units).toBeLessThan(10_000 * pattern.length * 2);
    }
    const brackets = meter();
    shellPattern('['.repeat(3000), false, brackets.spend);
    expect(brackets.units).toBeLessThan(3000 * 3000);
  });
});
