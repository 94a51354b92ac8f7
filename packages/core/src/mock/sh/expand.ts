import { trimRight } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { escapePattern, hasGlob, type Spend, shellPattern, trimPattern, unescapePattern } from '../patterns/pattern.js';
import { evaluate } from './arith.js';
import { type List, ShellSyntaxError, type Word } from './ast.js';

/** The part of the shell that an expansion needs. */
export interface Expansion {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  readonly args: readonly string[];
  readonly nounset: boolean;
  substitute(body: List): Go<string>;
  /** Paths that match a pattern, sorted; none is fine. */
  glob(pattern: string): string[];
  home(): string;
  /** Counts work done for it; may end the program. */
  readonly spend: Spend;
  /** Called before a text of that many characters is made; may end the program. */
  grows(length: number): void;
  /** Called before a list of that many words is made; may end the program. */
  counts(words: number): void;
}

/** `${x?message}` or an unset variable under `set -u`: the shell ends. */
export class ExpansionError extends Error {
  override readonly name = 'ExpansionError';
}

/** Texts as one with `between` in between, unless that is too long. */
export function joined(x: Pick<Expansion, 'spend' | 'grows'>, texts: readonly string[], between: string): string {
  if (texts.length === 1) return texts[0] as string;
  let length = 0;
  for (const t of texts) length += t.length + between.length;
  x.grows(length);
  x.spend(texts.length + (length >> 3));
  return texts.join(between);
}

/** A word as one text, unsplit: assignments, redirections, case words. */
export function* expandText(x: Expansion, word: Word): Go<string> {
  if (word.fixed !== null) return word.fixed;
  let out = '';
  for (const [i, part] of word.parts.entries()) {
    let text: string;
    if (part.t === 'lit') text = part.q || i > 0 ? part.s : tilde(x, part.s);
    else {
      const value = yield* expandPart(x, part);
      text = typeof value === 'string' ? value : joined(x, value, ' ');
    }
    x.grows(out.length + text.length);
    out += text;
  }
  return out;
}

/** A word as a pattern: quoted characters are escaped. */
export function* expandPattern(x: Expansion, word: Word): Go<string> {
  let out = '';
  for (const [i, part] of word.parts.entries()) {
    let text: string;
    if (part.t === 'lit') text = part.q ? escapePattern(part.s) : i === 0 ? tilde(x, part.s) : part.s;
    else {
      const value = yield* expandPart(x, part);
      const plain = typeof value === 'string' ? value : joined(x, value, ' ');
      x.spend(plain.length >> 2);
      text = part.q ? escapePattern(plain) : plain.replace(/\\/g, '\\\\');
    }
    x.grows(out.length + text.length);
    out += text;
  }
  return out;
}

/** Words as fields: split, globbed. */
export function* expandFields(x: Expansion, words: readonly Word[]): Go<string[]> {
  const out: string[] = [];
  for (const word of words) {
    if (word.fixed !== null) out.push(word.fixed);
    else yield* expandWord(x, word, out);
  }
  x.counts(out.length);
  return out;
}

function* expandWord(x: Expansion, word: Word, out: string[]): Go<void> {
  /** The field so far, as a pattern; null: none was begun. */
  let field: string | null = null;
  const end = () => {
    if (field === null) return;
    x.spend(8 + (field.length >> 2));
    const found = hasGlob(field) ? x.glob(field) : [];
    if (found.length > 0) for (const f of found) out.push(f);
    else out.push(unescapePattern(field));
    x.counts(out.length);
    field = null;
  };
  const add = (text: string, literal: boolean) => {
    x.grows((field?.length ?? 0) + text.length);
    x.spend(text.length >> 2);
    field = (field ?? '') + (literal ? escapePattern(text) : text.replace(/\\/g, '\\\\'));
  };
  for (const [i, part] of word.parts.entries()) {
    if (part.t === 'lit') {
      field = (field ?? '') + (part.q ? escapePattern(part.s) : i === 0 ? tilde(x, part.s) : part.s);
      continue;
    }
    const value: string | readonly string[] = yield* expandPart(x, part);
    if (part.q) {
      if (typeof value === 'string') {
        add(value, true);
        continue;
      }
      for (const [n, v] of value.entries()) {
        if (n > 0) end();
        add(v, true);
      }
      continue;
    }
    for (const [n, v] of (typeof value === 'string' ? [value] : value).entries()) {
      if (n > 0) end();
      const pieces = split(v, x.get('IFS') ?? ' \t\n', x.spend);
      if (pieces.leading) end();
      for (const [m, piece] of pieces.fields.entries()) {
        if (m > 0) end();
        add(piece, false);
      }
      if (pieces.trailing) end();
    }
  }
  end();
}

function tilde(x: Expansion, s: string): string {
  return s === '~' || s.startsWith('~/') ? x.home() + s.slice(1) : s;
}

/** Field splitting. `leading`, `trailing`: the text began or ended with a separator. */
export function split(
  text: string,
  ifs: string,
  spend: Spend,
): { fields: string[]; leading: boolean; trailing: boolean } {
  if (ifs === '') return { fields: text ? [text] : [], leading: false, trailing: false };
  spend((text.length >> 1) + ifs.length);
  const separators = new Set(ifs);
  const fields: string[] = [];
  /** The start of the current field; -1 outside of one. */
  let begun = -1;
  let leading = false;
  let trailing = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (!separators.has(c)) {
      if (begun < 0) begun = i;
      trailing = false;
      continue;
    }
    const blank = c === ' ' || c === '\t' || c === '\n';
    if (i === 0) leading = true;
    if (begun >= 0) fields.push(text.slice(begun, i));
    else if (!blank && (i === 0 || !trailing)) fields.push('');
    begun = -1;
    trailing = true;
  }
  if (begun >= 0) fields.push(text.slice(begun));
  return { fields, leading: leading && fields.length > 0, trailing };
}

function* expandPart(x: Expansion, part: Exclude<Word['parts'][number], { t: 'lit' }>): Go<string | readonly string[]> {
  if (part.t === 'cmd') return trimRight(yield* x.substitute(part.body), '\n');
  if (part.t === 'arith') return String(evaluate(yield* expandText(x, part.expr), x));
  const { name, op, arg, q } = part;
  if ((name === '@' || name === '*') && (op === '' || x.args.length > 0) && op !== '#len') {
    if (name === '*' && q) return joined(x, x.args, (x.get('IFS') ?? ' ').slice(0, 1));
    return x.args;
  }
  const all = name === '@' || name === '*';
  if (op === '#len') return String(all ? x.args.length : (x.get(name) ?? '').length);
  const value = all ? (x.args.length > 0 ? joined(x, x.args, ' ') : undefined) : x.get(name);
  const missing = value === undefined || (op.startsWith(':') && value === '');
  const other = function* (): Go<string> {
    return arg ? yield* expandText(x, arg) : '';
  };
  switch (op.replace(':', '')) {
    case '':
      if (value === undefined && x.nounset) throw new ExpansionError(`${name}: parameter not set`);
      return value ?? '';
    case '-':
      return missing ? yield* other() : (value as string);
    case '=':
      if (!missing) return value as string;
      x.set(name, yield* other());
      return x.get(name) ?? '';
    case '+':
      return missing ? '' : yield* other();
    case '?':
      if (!missing) return value as string;
      throw new ExpansionError(`${name}: ${(yield* other()) || 'parameter not set'}`);
    case '#':
    case '##':
    case '%':
    case '%%':
      return trimPattern(value ?? '', op, arg ? yield* expandPattern(x, arg) : '', x.spend);
    default:
      throw new ShellSyntaxError('bad substitution');
  }
}

/** Matches a path pattern against a tree, folder by folder. */
export function globPaths(
  pattern: string,
  cwd: string,
  list: (dir: string) => { name: string; dir: boolean }[],
  spend: Spend,
): string[] {
  const absolute = pattern.startsWith('/');
  let found: { shown: string; real: string }[] = [{ shown: absolute ? '/' : '', real: absolute ? '/' : cwd }];
  const parts = pattern.split('/').filter(Boolean);
  for (const [i, part] of parts.entries()) {
    const next: { shown: string; real: string }[] = [];
    for (const at of found) {
      const join = (name: string) => ({
        shown: at.shown === '' || at.shown === '/' ? at.shown + name : `${at.shown}/${name}`,
        real: `${at.real === '/' ? '' : at.real}/${name}`,
      });
      let entries: { name: string; dir: boolean }[] = [];
      try {
        entries = list(at.real);
      } catch {
        continue;
      }
      const wanted = shellPattern(part, true, spend);
      spend(entries.length + (at.real.length >> 3));
      for (const e of entries) {
        if (
          !wanted.test(e.name, spend) ||
          (e.name.startsWith('.') && !part.startsWith('.')) ||
          (i < parts.length - 1 && !e.dir)
        )
          continue;
        next.push(join(e.name));
      }
    }
    found = next;
  }
  return found.map((f) => f.shown).sort();
}
