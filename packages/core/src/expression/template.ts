import type { Json } from '../trace/records.js';
import { ExpressionError } from './errors.js';
import { Expression, MAX_WORK } from './expression.js';
import { Lexer, MAX_SOURCE } from './lexer.js';
import { Parser } from './parser.js';
import type { Context } from './subject.js';
import { type Budget, textOf } from './values.js';

/** Longest text of one value in a template, and of the whole. */
const MAX_PART = 1000;
const MAX_TEXT = 16_384;

/** Text with `{expression}` parts. */
export class Template {
  /** @internal use `compileTemplate` */
  constructor(
    readonly source: string,
    private readonly parts: readonly (string | Expression)[],
  ) {}

  get usesState(): boolean {
    return this.parts.some((p) => typeof p !== 'string' && p.usesState);
  }

  /**
   * The text with the values put in; long ones are cut off. All of them together do what `budget` allows, by default
   * what one expression may. Never throws.
   */
  text(context: Context, budget: Budget = { left: MAX_WORK }): string {
    const text = this.parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const { value, exhausted } = part.outcome(context, budget);
        return exhausted ? '(too much work)' : textOf(value as Json, MAX_PART);
      })
      .join('');
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  }
}

/**
 * Compiles a template, in which `{{` and `}}` are braces as such. Throws an ExpressionError; positions are in the whole
 * text.
 */
export function compileTemplate(source: string): Template {
  if (source.length > MAX_SOURCE)
    throw new ExpressionError(
      `the text has ${source.length} characters; it may have ${MAX_SOURCE}`,
      MAX_SOURCE,
      source.length,
    );
  const parts: (string | Expression)[] = [];
  let plain = '';
  for (let at = 0; at < source.length; ) {
    const c = source[at] as string;
    if ((c === '{' || c === '}') && source[at + 1] === c) {
      plain += c;
      at += 2;
    } else if (c === '}') {
      throw new ExpressionError('"}" without "{"; write }} for a brace as such', at, at + 1);
    } else if (c === '{') {
      if (plain !== '') parts.push(plain);
      plain = '';
      const { node, end } = new Parser(new Lexer(source, at + 1), '}').parse();
      parts.push(new Expression(source.slice(at + 1, end - 1), node));
      at = end;
    } else {
      plain += c;
      at++;
    }
  }
  if (plain !== '') parts.push(plain);
  return new Template(source, parts);
}
