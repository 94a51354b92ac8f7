import { type CharSet, readBrackets } from './charset.js';

/** Receives how much work a match takes, in units of the budget of the program that asks; may throw. */
export type Spend = (units: number) => void;
const free: Spend = () => {};

/** The characters of a text as a pattern that matches only them. */
export const escapePattern = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** Returns true if a pattern (with `\` before what is literal) has anything to match. */
export function hasGlob(pattern: string): boolean {
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '\\') i++;
    else if (c === '*' || c === '?' || c === '[') return true;
  }
  return false;
}

/** Takes the backslashes of `escapePattern` away. */
export const unescapePattern = (pattern: string): string =>
  pattern.includes('\\') ? pattern.replace(/\\(.)/gs, '$1') : pattern;

/** One place of a pattern: a character's code, a set of them, any character, or any number of any. */
type Item = number | CharSet | 'any' | 'many';

/** A shell pattern for a whole text. */
export class Pattern {
  constructor(
    private readonly items: readonly Item[],
    /** `*` and `?` stop at slashes. */
    private readonly files: boolean,
  ) {}

  private takes(item: Item | undefined, c: number): boolean {
    if (item === undefined || item === 'many') return false;
    if (item === 'any') return !this.files || c !== 47;
    return typeof item === 'number' ? item === c : item.has(c);
  }

  /**
   * Returns true if it matches a whole text. Goes back to the last star only, for an earlier one can never do better:
   * at worst the length of the text times that of the pattern.
   */
  test(text: string, spend: Spend = free): boolean {
    const { items } = this;
    let i = 0;
    let at = 0;
    let star = -1;
    let from = 0;
    for (let steps = 0; i < text.length; steps++) {
      if ((steps & 1023) === 1023) spend(1024);
      const item = items[at];
      if (item === 'many') {
        star = at++;
        from = i;
      } else if (this.takes(item, text.charCodeAt(i))) {
        i++;
        at++;
      } else {
        if (star < 0 || (this.files && text[from] === '/')) return false;
        at = star + 1;
        i = ++from;
      }
    }
    while (items[at] === 'many') at++;
    return at === items.length;
  }

  /**
   * Returns the number of characters at the start of `text` that it can match: the fewest, or the most; -1 if it
   * matches none. Follows all ways of matching at once.
   */
  prefix(text: string, longest: boolean, spend: Spend = free): number {
    const { items } = this;
    const end = items.length;
    let found = -1;
    /** The places where a match may stand, in order. */
    let now: number[] = [];
    const mark = new Int32Array(end + 1).fill(-1);
    const enter = (list: number[], place: number, turn: number): void => {
      for (let p = place; p <= end && mark[p] !== turn; p++) {
        mark[p] = turn;
        list.push(p);
        if (items[p] !== 'many') return;
      }
    };
    enter(now, 0, 0);
    for (let i = 0; ; i++) {
      if (mark[end] === i) {
        found = i;
        if (!longest) return found;
        // A star at the end takes all that is left.
        if (!this.files && items[end - 1] === 'many' && now.includes(end - 1)) return text.length;
      }
      if (i >= text.length || now.length === 0) return found;
      spend(now.length);
      const c = text.charCodeAt(i);
      const next: number[] = [];
      for (const p of now) {
        if (items[p] === 'many') {
          if (!this.files || c !== 47) enter(next, p, i + 1);
        } else if (this.takes(items[p], c)) enter(next, p + 1, i + 1);
      }
      now = next;
    }
  }

  /** The pattern that matches reversed texts. */
  reversed(): Pattern {
    return new Pattern([...this.items].reverse(), this.files);
  }
}

const cache = new Map<string, Pattern>();
let cached = 0;

/** A shell pattern that is made once for the same text; `files`: `*` and `?` stop at slashes. */
export function shellPattern(pattern: string, files = false, spend: Spend = free): Pattern {
  const key = `${files ? 'f' : 's'}${pattern}`;
  let made = cache.get(key);
  if (made) return made;
  spend(pattern.length);
  const items: Item[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] as string;
    if (c === '\\') items.push(i + 1 < pattern.length ? pattern.charCodeAt(++i) : 92);
    else if (c === '*') {
      if (items[items.length - 1] !== 'many') items.push('many');
    } else if (c === '?') items.push('any');
    else if (c === '[') {
      const read = readBrackets(pattern, i, true);
      if (read) {
        items.push(read.set);
        i = read.next - 1;
      } else {
        // It was read to the end for nothing.
        spend(pattern.length - i);
        items.push(91);
      }
    } else items.push(c.charCodeAt(0));
  }
  made = new Pattern(items, files);
  cached += key.length;
  if (cache.size > 500 || cached > 1 << 18) {
    cache.clear();
    cached = key.length;
  }
  cache.set(key, made);
  return made;
}

/** Expands `${x#pattern}` and its siblings. */
export function trimPattern(text: string, op: string, pattern: string, spend: Spend = free): string {
  // Turned round once, and read once each.
  spend((text.length + pattern.length) >> 2);
  const p = shellPattern(pattern, false, spend);
  if (op[0] === '#') {
    const n = p.prefix(text, op === '##', spend);
    return n < 0 ? text : text.slice(n);
  }
  const n = p.reversed().prefix(reverse(text), op === '%%', spend);
  return n < 0 ? text : text.slice(0, text.length - n);
}

function reverse(text: string): string {
  const out: string[] = [];
  for (let i = text.length - 1; i >= 0; i--) out.push(text[i] as string);
  return out.join('');
}
