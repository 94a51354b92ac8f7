import type { Json } from '../trace/records.js';
import { ExpressionError } from './errors.js';

/** Longest source of one expression, in UTF-16 units. */
export const MAX_SOURCE = 4096;

export interface Token {
  readonly type: 'name' | 'value' | 'operator' | 'end';
  /** The name or operator; of a value its source. */
  readonly text: string;
  /** The number (durations in Micros) or string, for a token that is a value. */
  readonly value: Json;
  readonly position: number;
  readonly end: number;
}

const OPERATORS = [
  ...['==', '!=', '<=', '>=', '=~', '!~', '&&', '||', '??', '=>'],
  ...['<', '>', '!', '+', '-', '*', '/', '%', '?', ':', '(', ')', '[', ']', ',', '.', '{', '}'],
];

/** Units of durations in Micros. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['us', 1],
  ['µs', 1],
  ['ms', 1000],
  ['s', 1_000_000],
  ['m', 60_000_000],
  ['h', 3_600_000_000],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);

const isDigit = (c: string): boolean => c >= '0' && c <= '9';
const isLetter = (c: string): boolean =>
  (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_' || c === '$' || c === 'µ';
const isSpace = (c: string): boolean => c === ' ' || c === '\t' || c === '\n' || c === '\r';

/** Reads tokens one by one from `at` on. Throws an ExpressionError for what no token begins with. */
export class Lexer {
  constructor(
    private readonly source: string,
    public at = 0,
    private readonly stop = source.length,
  ) {}

  next(): Token {
    while (this.at < this.stop && isSpace(this.source[this.at] as string)) this.at++;
    const from = this.at;
    if (from >= this.stop) return { type: 'end', text: '', value: null, position: this.stop, end: this.stop };
    const c = this.source[from] as string;
    if (c === "'" || c === '"') return this.text(c);
    if (isDigit(c) || (c === '.' && isDigit(this.source[from + 1] ?? ''))) return this.number();
    if (isLetter(c)) {
      while (this.at < this.stop && this.isWord(this.at)) this.at++;
      return this.token('name', from, null);
    }
    for (const operator of OPERATORS) {
      if (!this.source.startsWith(operator, from) || from + operator.length > this.stop) continue;
      this.at = from + operator.length;
      return this.token('operator', from, null);
    }
    throw new ExpressionError(unexpected(c), from, from + 1);
  }

  private isWord(at: number): boolean {
    const c = this.source[at] as string;
    return isLetter(c) || isDigit(c);
  }
  private token(type: Token['type'], position: number, value: Json): Token {
    return { type, text: this.source.slice(position, this.at), value, position, end: this.at };
  }

  private text(quote: string): Token {
    const from = this.at;
    let out = '';
    for (this.at++; this.at < this.stop; this.at++) {
      const c = this.source[this.at] as string;
      if (c === quote) {
        this.at++;
        return this.token('value', from, out);
      }
      if (c !== '\\') {
        out += c;
        continue;
      }
      const letter = this.source[++this.at] ?? '';
      const plain = ESCAPES.get(letter);
      if (plain !== undefined) out += plain;
      else if (letter === 'u') {
        const hex = this.source.slice(this.at + 1, this.at + 5);
        if (!/^[0-9a-fA-F]{4}$/.test(hex))
          throw new ExpressionError('expected four hexadecimal digits after \\u', this.at - 1, this.at + 1);
        out += String.fromCharCode(Number.parseInt(hex, 16));
        this.at += 4;
      } else
        throw new ExpressionError(
          `unknown escape "\\${letter}"; there are \\\\ \\' \\" \\n \\t \\r \\b \\f and \\u with four digits`,
          this.at - 1,
          Math.min(this.at + 1, this.stop),
        );
    }
    throw new ExpressionError(`the text has no end; expected a closing ${quote}`, from, this.stop);
  }

  /** A number, or a duration as Go writes it: 10s, 500ms, 1m30s. */
  private number(): Token {
    const from = this.at;
    let total = 0;
    let parts = 0;
    do {
      const start = this.at;
      const digits = this.digits();
      const unitFrom = this.at;
      while (this.at < this.stop && isLetter(this.source[this.at] as string)) this.at++;
      const unit = this.source.slice(unitFrom, this.at);
      if (unit === '' && parts === 0) return this.token('value', from, digits);
      const factor = UNITS.get(unit);
      if (factor === undefined)
        throw new ExpressionError(
          unit === ''
            ? 'expected a unit of time: us, ms, s, m or h'
            : `unknown unit "${unit.slice(0, 20)}"; units of time are us, ms, s, m and h`,
          unit === '' ? start : unitFrom,
          this.at,
        );
      total += digits * factor;
      parts++;
    } while (this.at < this.stop && isDigit(this.source[this.at] as string));
    return this.token('value', from, Math.round(total));
  }

  private digits(): number {
    const { source, stop } = this;
    const from = this.at;
    const run = () => {
      while (this.at < stop && isDigit(source[this.at] as string)) this.at++;
    };
    run();
    if (source[this.at] === '.' && isDigit(source[this.at + 1] ?? '')) {
      this.at++;
      run();
    }
    const exponent = /^[eE][+-]?[0-9]{1,3}/.exec(source.slice(this.at, Math.min(this.at + 5, stop)));
    if (exponent) this.at += exponent[0].length;
    const value = Number(source.slice(from, this.at));
    if (!Number.isFinite(value)) throw new ExpressionError('this number is too large', from, this.at);
    return value;
  }
}

function unexpected(c: string): string {
  switch (c) {
    case '=':
      return 'expected an operator, not "="; write == to compare, =~ to match';
    case '&':
      return 'expected an operator, not "&"; write && for and';
    case '|':
      return 'expected an operator, not "|"; write || for or';
    case '~':
      return 'expected an operator, not "~"; write =~ to match';
    case '“':
    case '”':
    case '‘':
    case '’':
    case '`':
      return `write text in ' or ", not in ${c}`;
    default:
      return `unexpected character ${JSON.stringify(c)}`;
  }
}
