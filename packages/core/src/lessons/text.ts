import { compile, type Expression, textOf } from '../expression/index.js';
import type { LocalText } from '../scenario/document/scenario.js';
import type { Json } from '../trace/index.js';

/**
 * A part of a text as the page shows it. `value`: it was taken from the run. `break`: a new paragraph. `href`: where a
 * link leads, an https address.
 */
export interface Piece {
  readonly kind: 'text' | 'code' | 'strong' | 'link' | 'break';
  readonly text: string;
  readonly href?: string;
  readonly value?: true;
}

/** The values for the holes of a text: expression -> its value as text. */
export type Values = Readonly<Record<string, string>>;

const marks = /`([^`]+)`|\*\*(.+?)\*\*|\{\{(.+?)\}\}|\[([^\][]+)\]\((https:\/\/[^\s()]+)\)|\n\s*\n/g;
const link = /\[([^\][]+)\]\(([^()]*)\)/g;
const hole = /\{\{(.+?)\}\}/g;
/** The text for a value that is not known. */
const unknown = '…';

/** The expressions in a text's holes, in their order. */
export function holesOf(text: string): string[] {
  return [...text.matchAll(hole)].map((m) => (m[1] as string).trim());
}
/** Returns the texts in code marks, in their order. */
export function codesOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((m) => m[1] as string);
}

/** The targets of a text's links, in their order. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(link)].map((m) => m[2] as string);
}
/** A text as long as it is read: without the addresses of its links. */
export const withoutAddresses = (text: string): string => text.replace(link, '$1');

/** A text with its marks: `code`, **strong**, [link](https://...), {{ expression }}, empty lines between paragraphs. */
export function pieces(text: string, values: Values): Piece[] {
  const out: Piece[] = [];
  const fill = (t: string) =>
    t.replace(hole, (_, e: string) => (Object.hasOwn(values, e.trim()) ? (values[e.trim()] as string) : unknown));
  const plain = (t: string) => {
    if (t !== '') out.push({ kind: 'text', text: t.replace(/\s*\n\s*/g, ' ') });
  };
  let at = 0;
  for (const m of text.matchAll(marks)) {
    plain(text.slice(at, m.index));
    at = m.index + m[0].length;
    const [, code, strong, expression, words, href] = m;
    if (code !== undefined) out.push({ kind: 'code', text: fill(code), ...(code.includes('{{') && { value: true }) });
    else if (strong !== undefined) out.push({ kind: 'strong', text: fill(strong.replaceAll('`', '')) });
    else if (expression !== undefined) out.push({ kind: 'text', text: fill(m[0]), value: true });
    else if (words !== undefined && href !== undefined) out.push({ kind: 'link', text: words, href });
    else out.push({ kind: 'break', text: '' });
  }
  plain(text.slice(at));
  return out;
}

/** The text as it is read out: without marks, with values. */
export const plainText = (text: string, values: Values): string =>
  pieces(text, values)
    .map((p) => (p.kind === 'break' ? '\n' : p.text))
    .join('');

/** A value as it is in a sentence. */
export function valueText(value: Json): string {
  return typeof value === 'number' ? String(Number(value.toFixed(3))) : textOf(value, 200);
}

const compiled = new Map<string, Expression>();
/** Compiles an expression, once: lessons ask the same again and again. */
export function expressionOf(source: string): Expression {
  let e = compiled.get(source);
  if (!e) {
    e = compile(source);
    if (compiled.size > 1000) compiled.clear();
    compiled.set(source, e);
  }
  return e;
}

/** Returns all holes of some texts, each once. */
export function allHoles(texts: readonly (LocalText | undefined)[]): string[] {
  return [...new Set(texts.flatMap((t) => (t ? [...holesOf(t.en), ...holesOf(t.zh)] : [])))];
}
