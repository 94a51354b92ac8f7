import type { Go } from '../../kernel/index.js';
import { evaluate } from './arith.js';
import { type List, ShellSyntaxError, type Word } from './ast.js';
import { escapePattern, hasGlob, patternRegex, trimPattern, unescapePattern } from './pattern.js';

/** What an expansion needs from the shell. */
export interface Expansion {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  readonly args: readonly string[];
  readonly nounset: boolean;
  substitute(body: List): Go<string>;
  /** Paths that match a pattern, sorted; none is fine. */
  glob(pattern: string): string[];
  home(): string;
}

/** `${x?message}` or an unset variable under `set -u`: the shell ends. */
export class ExpansionError extends Error {
  override readonly name = 'ExpansionError';
}

/** A word as one text, unsplit: assignments, redirections, case words. */
export function* expandText(x: Expansion, word: Word): Go<string> {
  if (word.fixed !== null) return word.fixed;
  return unescapePattern(yield* expandPattern(x, word));
}

/** A word as a pattern: quoted characters are escaped. */
export function* expandPattern(x: Expansion, word: Word): Go<string> {
  let out = '';
  for (const [i, part] of word.parts.entries()) {
    if (part.t === 'lit') out += part.q ? escapePattern(part.s) : i === 0 ? tilde(x, part.s) : part.s;
    else {
      const value = yield* expandPart(x, part);
      const text = typeof value === 'string' ? value : value.join(' ');
      out += part.q ? escapePattern(text) : text.replace(/\\/g, '\\\\');
    }
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
  return out;
}

function* expandWord(x: Expansion, word: Word, out: string[]): Go<void> {
  /** The field so far, as a pattern; null: none was begun. */
  let field: string | null = null;
  const end = () => {
    if (field === null) return;
    const found = hasGlob(field) ? x.glob(field) : [];
    if (found.length > 0) out.push(...found);
    else out.push(unescapePattern(field));
    field = null;
  };
  for (const [i, part] of word.parts.entries()) {
    if (part.t === 'lit') {
      field = (field ?? '') + (part.q ? escapePattern(part.s) : i === 0 ? tilde(x, part.s) : part.s);
      continue;
    }
    const value: string | readonly string[] = yield* expandPart(x, part);
    if (part.q) {
      if (typeof value === 'string') {
        field = (field ?? '') + escapePattern(value);
        continue;
      }
      for (const [n, v] of value.entries()) {
        if (n > 0) end();
        field = (field ?? '') + escapePattern(v);
      }
      continue;
    }
    for (const [n, v] of (typeof value === 'string' ? [value] : value).entries()) {
      if (n > 0) end();
      const pieces = split(v, x.get('IFS') ?? ' \t\n');
      if (pieces.leading) end();
      for (const [m, piece] of pieces.fields.entries()) {
        if (m > 0) end();
        field = (field ?? '') + piece.replace(/\\/g, '\\\\');
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
export function split(text: string, ifs: string): { fields: string[]; leading: boolean; trailing: boolean } {
  if (ifs === '') return { fields: text ? [text] : [], leading: false, trailing: false };
  const fields: string[] = [];
  let current: string | null = null;
  let leading = false;
  let trailing = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (!ifs.includes(c)) {
      current = (current ?? '') + c;
      trailing = false;
      continue;
    }
    const blank = c === ' ' || c === '\t' || c === '\n';
    if (i === 0) leading = true;
    if (current !== null) fields.push(current);
    else if (!blank && (i === 0 || !trailing)) fields.push('');
    current = null;
    trailing = true;
  }
  if (current !== null) fields.push(current);
  return { fields, leading: leading && fields.length > 0, trailing };
}

function* expandPart(x: Expansion, part: Exclude<Word['parts'][number], { t: 'lit' }>): Go<string | readonly string[]> {
  if (part.t === 'cmd') return (yield* x.substitute(part.body)).replace(/\n+$/, '');
  if (part.t === 'arith') return String(evaluate(yield* expandText(x, part.expr), x));
  const { name, op, arg, q } = part;
  if ((name === '@' || name === '*') && (op === '' || x.args.length > 0) && op !== '#len') {
    if (name === '*' && q) return x.args.join((x.get('IFS') ?? ' ').slice(0, 1));
    return x.args;
  }
  const value = name === '@' || name === '*' ? (x.args.length > 0 ? x.args.join(' ') : undefined) : x.get(name);
  if (op === '#len') return String(name === '@' || name === '*' ? x.args.length : (value ?? '').length);
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
      return trimPattern(value ?? '', op, arg ? yield* expandPattern(x, arg) : '');
    default:
      throw new ShellSyntaxError('bad substitution');
  }
}

/** Matches a path pattern against a tree, folder by folder. */
export function globPaths(
  pattern: string,
  cwd: string,
  list: (dir: string) => { name: string; dir: boolean }[],
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
      const regex = patternRegex(part, true);
      for (const e of entries) {
        if (
          !regex.test(e.name) ||
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
