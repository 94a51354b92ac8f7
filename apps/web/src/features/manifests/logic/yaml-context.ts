/**
 * The context of a place in a YAML text, by indentation alone: that works while the text is being written and no parser
 * can read it. Block style only; it does not understand braces, brackets and literal texts.
 */
export interface YAMLContext {
  /** Keys from the top of the document; `-` for an item of a list. */
  readonly path: readonly string[];
  /** `key`: a key is being written; `value`: the value of the last key of the path. */
  readonly kind: 'key' | 'value';
  /** The part of it that is written so far, and where it begins and ends. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  /** The other keys of the same mapping. */
  readonly siblings: readonly string[];
  /** Column of the key. */
  readonly column: number;
  /** The number of dashes before it, if it is otherwise the first of its line. */
  readonly dashes: number;
}

interface Line {
  readonly from: number;
  readonly text: string;
}
interface Entry {
  readonly kind: 'dash' | 'key';
  readonly column: number;
  readonly key: string;
}

const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#&*!|>'"%@`[\]{},:?-](?:[^:#]|:(?=\S)|(?<=\S)#)*?|[-?:](?=\S)(?:[^:#]|:(?=\S))*?))\s*:(?=\s|$)/;

/** Dashes and the key at the start of a line. */
function entriesOf(text: string): { entries: Entry[]; rest: number } {
  const entries: Entry[] = [];
  let at = text.length - text.trimStart().length;
  while (text[at] === '-' && (text[at + 1] === ' ' || text[at + 1] === undefined)) {
    entries.push({ kind: 'dash', column: at, key: '-' });
    at++;
    while (text[at] === ' ') at++;
  }
  const m = KEY.exec(text.slice(at));
  if (!m) return { entries, rest: at };
  entries.push({ kind: 'key', column: at, key: m[1] ?? m[2] ?? (m[3] as string) });
  at += m[0].length;
  return { entries, rest: at };
}

const isEmpty = (text: string): boolean => /^\s*(#.*)?$/.test(text);
const isBoundary = (text: string): boolean => /^(---|\.\.\.)(\s|$)/.test(text);

/** The document's lines up to the place, the last one being its own line as a whole. */
function linesAround(text: string, at: number): { before: Line[]; own: Line; after: Line[] } {
  const before: Line[] = [];
  const after: Line[] = [];
  let own: Line = { from: 0, text: '' };
  let from = 0;
  let past = false;
  for (const line of text.split('\n')) {
    const to = from + line.length;
    if (past) {
      if (isBoundary(line)) break;
      after.push({ from, text: line });
    } else if (to >= at) {
      own = { from, text: line };
      past = true;
    } else {
      if (isBoundary(line)) before.length = 0;
      else before.push({ from, text: line });
    }
    from = to + 1;
  }
  return { before, own, after };
}

/** Returns null if the context cannot be determined. */
export function yamlContext(text: string, at: number): YAMLContext | null {
  if (/^\s*[{[]/.test(text)) return null;
  const { before, own, after } = linesAround(text, at);
  if (isBoundary(own.text)) return null;
  const column = at - own.from;
  const comment = /(^|\s)#/.exec(own.text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (s) => '_'.repeat(s.length)));
  if (comment && comment.index < column) return null;
  const { entries, rest } = entriesOf(own.text);
  const key = entries.find((e) => e.kind === 'key');
  const dashes = entries.filter((e) => e.kind === 'dash');
  let kind: 'key' | 'value';
  let start: number;
  let end: number;
  let place: number;
  if (key && column >= rest) {
    kind = 'value';
    start = rest + (/^\s*/.exec(own.text.slice(rest)) as RegExpExecArray)[0].length;
    end = own.text.trimEnd().length;
    if (start > column) start = column;
    if (end < start) end = start;
    place = key.column;
  } else if (key) {
    kind = 'key';
    start = key.column;
    end = rest - 1;
    place = key.column;
    if (column < start) return null;
  } else {
    kind = 'key';
    const written = own.text.slice(rest);
    if (/^[[\]{}|>&*!]/.test(written)) return null;
    start = rest;
    end = Math.max(rest, own.text.trimEnd().length);
    // On an empty line the caret is the indentation.
    place = written.trim() === '' ? column : start;
    if (written.trim() === '') {
      start = column;
      end = column;
    } else if (column < start) return null;
    const last = dashes.at(-1);
    if (last && column <= last.column) return null;
  }
  const above = ancestors(before, dashes, place);
  if (!above) return null;
  const path = key && kind === 'value' ? [...above, key.key] : key ? [...above, key.key] : above;
  const item = dashes.at(-1)?.column ?? null;
  const siblings = [...siblingsBefore(before, place, item !== null), ...siblingsAfter(after, place)];
  const word = own.text.slice(start, Math.max(start, Math.min(end, column)));
  return {
    path,
    kind,
    word,
    from: own.from + start,
    to: own.from + end,
    siblings,
    column: place,
    dashes: dashes.length,
  };
}

/** Keys and items around a place, from the top down. Null within a literal text. */
function ancestors(before: readonly Line[], own: readonly Entry[], place: number): string[] | null {
  const path: string[] = [];
  let column = place;
  let item = false;
  const take = (entries: readonly Entry[]) => {
    for (const e of [...entries].reverse()) {
      // A list may be in the column of its key.
      const inside = e.kind === 'key' && item ? e.column <= column : e.column < column;
      if (!inside) continue;
      path.unshift(e.key);
      column = e.column;
      item = e.kind === 'dash';
    }
  };
  take(own);
  for (let i = before.length - 1; i >= 0 && (column > 0 || item); i--) {
    const { text } = before[i] as Line;
    if (isEmpty(text)) continue;
    const { entries, rest } = entriesOf(text);
    const literal = /^\s*[|>][-+0-9]*\s*(#.*)?$/.test(text.slice(rest));
    const holder = entries.at(-1);
    if (literal && holder && holder.column < column) return null;
    take(entries);
  }
  return path;
}

function siblingsBefore(before: readonly Line[], place: number, startsItem: boolean): string[] {
  const out: string[] = [];
  if (startsItem) return out;
  for (let i = before.length - 1; i >= 0; i--) {
    const { text } = before[i] as Line;
    if (isEmpty(text)) continue;
    const { entries } = entriesOf(text);
    const key = entries.find((e) => e.kind === 'key');
    if (key?.column === place) out.unshift(key.key);
    const indent = text.length - text.trimStart().length;
    if (indent < place) break;
  }
  return out;
}

function siblingsAfter(after: readonly Line[], place: number): string[] {
  const out: string[] = [];
  for (const { text } of after) {
    if (isEmpty(text)) continue;
    const indent = text.length - text.trimStart().length;
    if (indent < place) break;
    const { entries } = entriesOf(text);
    // A dash in this column begins another list or item.
    if (indent === place && entries[0]?.kind === 'dash') break;
    const key = entries.find((e) => e.kind === 'key');
    if (key && key.column === place && indent === place) out.push(key.key);
  }
  return out;
}

/** The key at a place, for help about it; null if there is no key there. */
export function keyAt(
  text: string,
  at: number,
): { readonly path: readonly string[]; readonly from: number; readonly to: number } | null {
  const context = yamlContext(text, at);
  if (context?.kind !== 'key' || context.from === context.to || at > context.to || !context.path.length) return null;
  const name = context.path.at(-1) as string;
  const written = text.slice(context.from, context.to);
  // A word without a colon is not a key yet.
  return written.includes(name)
    ? { path: context.path, from: context.from, to: context.from + written.trimEnd().length }
    : null;
}
