import { isObject } from '../base/index.js';
import { Compiler } from './compiler.js';
import { ExpressionError } from './errors.js';
import { evaluate } from './expression.js';
import { functions } from './functions.js';
import { Lexer, MAX_SOURCE, type Token } from './lexer.js';
import { KEYWORDS, Parser } from './parser.js';
import { roots } from './roots.js';
import type { Part } from './run.js';
import { recordShapes } from './shapes.js';
import type { Context } from './subject.js';
import { memberOf, textOf } from './values.js';

export interface Completion {
  readonly text: string;
  readonly kind: 'field' | 'name' | 'function' | 'keyword' | 'key';
  /** Signature or type; the value if it is known. */
  readonly detail: string;
}
export interface Completions {
  /** The part of the source that they replace. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

const NONE: readonly Completion[] = [];
const MOST = 200;

/**
 * Proposes names and functions at `offset` of an expression that is being written, after a dot the fields. With a
 * `context` also the keys that are there just now. Never throws.
 */
export function complete(source: string, offset: number, context?: Context): Completions {
  const at = Math.max(0, Math.min(offset, source.length));
  const before = read(source.slice(0, at));
  if (before === null || source.length > MAX_SOURCE) return { from: at, to: at, items: NONE };
  const last = before[before.length - 1];
  const partial = last?.type === 'name' && last.end === at ? last : null;
  if (partial) before.pop();
  const from = partial?.position ?? at;
  const to = partial ? wordEnd(source, at) : at;
  const start = partial?.text ?? '';
  const previous = before[before.length - 1];
  if (previous && operator(previous, '.')) {
    const owner = chain(source, before.slice(0, -1), previous.position);
    return { from, to, items: owner === null ? NONE : fieldsOf(owner, start, context) };
  }
  if (!partial && previous && (previous.type !== 'operator' || operator(previous, ')') || operator(previous, ']')))
    return { from, to, items: NONE };
  const items: Completion[] = [];
  for (const [name, root] of roots) items.push({ text: name, kind: 'name', detail: root.about });
  for (const [name, shape] of recordShapes) {
    if (roots.has(name)) continue;
    const value = context ? memberOf(context.record as never, name) : null;
    items.push({ text: name, kind: 'field', detail: value === null ? shape.type : textOf(value, 60) });
  }
  for (const [name, info] of functions)
    items.push({ text: name, kind: 'function', detail: `${info.signature}: ${info.about}` });
  for (const name of KEYWORDS) items.push({ text: name, kind: 'keyword', detail: '' });
  return { from, to, items: ranked(items, start) };
}

const operator = (token: Token, text: string): boolean => token.type === 'operator' && token.text === text;

function wordEnd(source: string, at: number): number {
  while (at < source.length && /[\w$]/.test(source[at] as string)) at++;
  return at;
}

/** The tokens so far; null within a text or after what is not a token. */
function read(source: string): Token[] | null {
  const lexer = new Lexer(source);
  const out: Token[] = [];
  try {
    for (;;) {
      const token = lexer.next();
      if (token.type === 'end') return out;
      out.push(token);
    }
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** Returns the owner of the dot at `end`; null if it is not known. */
function chain(source: string, before: readonly Token[], end: number): Part | null {
  let i = before.length;
  let open = 0;
  while (i > 0) {
    const token = before[i - 1] as Token;
    if (operator(token, ']') || operator(token, ')')) open++;
    else if (operator(token, '[') || operator(token, '(')) {
      if (open === 0) break;
      open--;
    } else if (open === 0 && token.type === 'operator' && token.text !== '.') break;
    i--;
    // Two values side by side: the first one is another expression.
    const next = before[i - 1];
    if (open === 0 && token.type !== 'operator' && next && next.type !== 'operator') break;
  }
  const first = before[i];
  if (!first) return null;
  try {
    const { node } = new Parser(new Lexer(`${source.slice(first.position, end)}.x`)).parse();
    return node.type === 'field' ? new Compiler().owner(node.of) : null;
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

function fieldsOf({ shape, run }: Part, start: string, context: Context | undefined): Completion[] {
  const items: Completion[] = [];
  const value = context ? evaluate(run, context).value : null;
  if (shape.type === 'object')
    for (const [name, field] of shape.fields) {
      const now = memberOf(value, name);
      items.push({ text: name, kind: 'field', detail: now === null ? field.type : textOf(now, 60) });
    }
  else if (isObject(value))
    for (const key of Object.keys(value).slice(0, MOST))
      if (/^[A-Za-z_$][\w$]*$/.test(key))
        items.push({ text: key, kind: 'key', detail: textOf(memberOf(value, key), 60) });
  return ranked(items, start);
}

/** Sorts those that begin so first, then those that have it within. */
function ranked(items: readonly Completion[], start: string): Completion[] {
  const low = start.toLowerCase();
  const begins = items.filter((i) => i.text.toLowerCase().startsWith(low));
  const within = low === '' ? [] : items.filter((i) => i.text.toLowerCase().indexOf(low) > 0);
  return [...begins, ...within].slice(0, MOST);
}
