import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapePattern, shellPattern, unescapePattern } from '../patterns/pattern.js';
import { sh } from '../testing/run-shell.js';
import { evaluate } from './arith.js';
import { ShellSyntaxError } from './ast.js';
import { parse } from './parser.js';

// The same cases each time.
fc.configureGlobal({ seed: 20261121 });

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((s) => !s.includes('\0'));
/** Texts that look like programs. */
const program = fc
  .array(
    fc.constantFrom(
      'echo',
      'a',
      'b c',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '(',
      ')',
      '{',
      '}',
      'if',
      'then',
      'fi',
      'while',
      'do',
      'done',
      'for',
      'in',
      'case',
      'esac',
      '$x',
      '${x:-',
      '}',
      '$(',
      '`',
      '"',
      "'",
      '\\',
      '\n',
      '<<E',
      'E',
      '>',
      '2>&1',
      '$((',
      '))',
      '!',
      'trap',
      'exit',
      'sleep 1',
      'wait',
      'true',
      'false',
      '[',
      ']',
      '*',
      '#',
      'f()',
      'x=1',
      'shift',
      'set -e',
      'break',
      'read v',
      'cat',
      'kill $$',
      'exec',
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(' '));

describe('sh: properties', () => {
  it('a quoted text comes out as it went in', () => {
    fc.assert(
      fc.property(text, (s) => {
        expect(sh(`printf %s ${quoted(s)}`).out).toBe(s);
        expect(sh(`x=${quoted(s)}; printf %s "$x"`).out).toBe(s);
      }),
      { numRuns: 60 },
    );
  });

  it('any text is a program or a syntax error', () => {
    fc.assert(
      fc.property(fc.oneof(program, text), (s) => {
        try {
          parse(s);
        } catch (error) {
          expect(error).toBeInstanceOf(ShellSyntaxError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('any program ends, goes on for ever, or fails, and nothing else', () => {
    fc.assert(
      fc.property(program, (s) => {
        const r = sh(s, { limit: 50 });
        expect(r.code === null || (r.code >= 0 && r.code < 256)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('calculates as integers do', () => {
    const n = fc.integer({ min: -1000, max: 1000 });
    const none = { get: () => undefined, set: () => {} };
    fc.assert(
      fc.property(n, n, n, (a, b, c) => {
        expect(evaluate(`(${a}) + (${b}) * (${c})`, none)).toBe(a + b * c);
        expect(evaluate(`(${a}) < (${b}) ? ${c} : (${a}) - (${b})`, none)).toBe(a < b ? c : a - b);
        if (b !== 0) expect(evaluate(`(${a}) / (${b}) * (${b}) + (${a}) % (${b})`, none)).toBe(a);
      }),
    );
  });

  it('an escaped pattern matches its own text only', () => {
    fc.assert(
      fc.property(text, text, (s, other) => {
        expect(unescapePattern(escapePattern(s))).toBe(s);
        expect(shellPattern(escapePattern(s)).test(s)).toBe(true);
        expect(shellPattern(escapePattern(s)).test(other)).toBe(s === other);
        expect(shellPattern(`${escapePattern(s)}*`).test(s + other)).toBe(true);
      }),
    );
  });
});
