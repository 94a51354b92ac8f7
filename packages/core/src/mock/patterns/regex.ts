import { CharSet, readBrackets } from './charset.js';
import type { Spend } from './pattern.js';

/** The text is not a regular expression, or one that this engine does not take; the message says why. */
export class BadRegex extends Error {
  override readonly name = 'BadRegex';
}

export interface RegexOptions {
  /** POSIX extended syntax (grep -E, sed -E); else basic. */
  readonly extended?: boolean;
  readonly ignoreCase?: boolean;
  /** No character is special (grep -F). */
  readonly literal?: boolean;
  /** The whole text must match (grep -x). */
  readonly whole?: boolean;
  /** The match must begin and end where words do (grep -w). */
  readonly word?: boolean;
}

/** Largest program of instructions: repetitions such as `(a{100}){100}` are written out. */
const maxProgram = 4000;
/** Deepest nesting of groups. */
const maxDepth = 100;
/** Groups whose place is kept, for `\1` to `\9` of a replacement. */
const maxGroups = 9;
/** Most repetitions that a count may ask for. upstream: RE_DUP_MAX */
const maxRepeat = 255;

type Place = 'start' | 'end' | 'word' | 'inside' | 'word-start' | 'word-end';
type Node =
  | { readonly t: 'char'; readonly c: number }
  | { readonly t: 'any' }
  | { readonly t: 'set'; readonly set: CharSet }
  | { readonly t: 'place'; readonly place: Place }
  | { readonly t: 'list'; readonly all: readonly Node[] }
  | { readonly t: 'either'; readonly all: readonly Node[] }
  | { readonly t: 'group'; readonly n: number; readonly of: Node }
  | { readonly t: 'repeat'; readonly of: Node; readonly min: number; readonly max: number };

type Instruction =
  | { readonly op: 'char'; readonly c: number }
  | { readonly op: 'any' }
  | { readonly op: 'set'; readonly set: CharSet }
  | { readonly op: 'place'; readonly place: Place }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'match' };

const wordChar = new CharSet();
wordChar.addClass('word');
const isWord = (c: number | undefined): boolean => c !== undefined && wordChar.has(c);

/** Classes that GNU's and busybox's expressions have besides POSIX', by letter; upper case is the opposite. */
const letters: Readonly<Record<string, string>> = { w: 'word', s: 'space', d: 'digit' };
const places: Readonly<Record<string, Place>> = { b: 'word', B: 'inside', '<': 'word-start', '>': 'word-end' };
const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11 };

/** Reads POSIX syntax, basic or extended, as busybox' tools take it. */
class RegexParser {
  private at = 0;
  private depth = 0;
  groups = 0;
  constructor(
    private readonly text: string,
    private readonly extended: boolean,
  ) {}

  parse(): Node {
    const node = this.either();
    if (this.at < this.text.length) throw new BadRegex('Unmatched ) or \\)');
    return node;
  }

  /** Returns true if an operator is here: itself in extended syntax, with a backslash in basic. */
  private sees(op: string): boolean {
    return this.text.startsWith(this.extended ? op : `\\${op}`, this.at);
  }
  private take(op: string): boolean {
    if (!this.sees(op)) return false;
    this.at += this.extended ? 1 : 2;
    return true;
  }

  private either(): Node {
    if (++this.depth > maxDepth) throw new BadRegex('Regular expression too big');
    const all = [this.list()];
    while (this.take('|')) all.push(this.list());
    this.depth--;
    return all.length === 1 ? (all[0] as Node) : { t: 'either', all };
  }

  private list(): Node {
    const all: Node[] = [];
    while (this.at < this.text.length && !this.sees('|') && !this.sees(')')) {
      let node = this.one(all.length === 0);
      // A star that begins an expression is a star, and what has none to repeat is not repeated.
      if (node.t !== 'place') node = this.repeated(node);
      all.push(node);
    }
    return all.length === 1 ? (all[0] as Node) : { t: 'list', all };
  }

  private repeated(of: Node): Node {
    let node = of;
    for (let times = 0; ; times++) {
      if (times > maxDepth) throw new BadRegex('Regular expression too big');
      let range: readonly [number, number] | null = null;
      if (this.text[this.at] === '*') {
        this.at++;
        range = [0, Number.POSITIVE_INFINITY];
      } else if (this.take('+')) range = [1, Number.POSITIVE_INFINITY];
      else if (this.take('?')) range = [0, 1];
      else if (this.sees('{')) range = this.count();
      if (!range) return node;
      const [min, max] = range;
      // `a**` says no more than `a*`, and needs no deeper a program.
      if (node.t === 'repeat' && node.min === 0 && node.max === max && max === Number.POSITIVE_INFINITY && min < 2)
        continue;
      node = { t: 'repeat', of: node, min, max };
    }
  }

  /** Reads `{2}`, `{2,}`, `{,3}` or `{2,3}`; null if the brace is only a brace. */
  private count(): readonly [number, number] | null {
    const m = /^\{(\d{0,6})(?:(,)(\d{0,6}))?(\\?)\}/.exec(
      this.text.slice(this.at + (this.extended ? 0 : 1), this.at + 18),
    );
    if (!m || (m[1] === '' && m[2] === undefined) || (m[4] === '') !== this.extended) {
      if (this.extended) return null;
      throw new BadRegex('Invalid content of \\{\\}');
    }
    this.at += m[0].length + (this.extended ? 0 : 1);
    const min = Number(m[1]);
    const max = m[2] === undefined ? min : m[3] === '' ? Number.POSITIVE_INFINITY : Number(m[3]);
    if (max < min) throw new BadRegex('Invalid content of \\{\\}');
    if (min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat))
      throw new BadRegex('Regular expression too big');
    return [min, max];
  }

  private one(first: boolean): Node {
    const { text, extended } = this;
    if (this.take('(')) {
      const n = ++this.groups;
      const of = this.either();
      if (!this.take(')')) throw new BadRegex('Unmatched ( or \\(');
      return { t: 'group', n, of };
    }
    const c = text[this.at] as string;
    if (c === '[') {
      const read = readBrackets(text, this.at, false);
      if (!read) throw new BadRegex('Unmatched [, [^, [:, [., or [=');
      this.at = read.next;
      return { t: 'set', set: read.set };
    }
    if (c === '.') {
      this.at++;
      return { t: 'any' };
    }
    if (c === '^' && (extended || first)) {
      this.at++;
      return { t: 'place', place: 'start' };
    }
    if (c === '$' && (extended || this.endsHere())) {
      this.at++;
      return { t: 'place', place: 'end' };
    }
    if (c === '\\') {
      const next = text[this.at + 1];
      if (next === undefined) throw new BadRegex('Trailing backslash');
      if (/[1-9]/.test(next)) throw new BadRegex('back-references are not known to this mock shell');
      this.at += 2;
      const place = places[next];
      if (place) return { t: 'place', place };
      const name = letters[next.toLowerCase()];
      if (name) {
        const set = new CharSet(next !== next.toLowerCase());
        set.addClass(name);
        return { t: 'set', set };
      }
      const control = controls[next];
      if (control !== undefined) return { t: 'char', c: control };
      this.at--;
    }
    const code = text.codePointAt(this.at) as number;
    this.at += code > 0xffff ? 2 : 1;
    return { t: 'char', c: code };
  }

  /** Returns true if the expression ends here: in basic syntax a dollar sign is special only there. */
  private endsHere(): boolean {
    const rest = this.at + 1;
    return rest >= this.text.length || this.text.startsWith('\\)', rest) || this.text.startsWith('\\|', rest);
  }
}

/** The place at which a regular expression matched: indices into the text, by group; -1 if a group took no part. */
export type Match = readonly number[];

/**
 * A regular expression of a program's text. It follows all ways of matching at once (Pike's machine), so that a match
 * takes at most the length of the text times that of the expression; of all matches it takes the leftmost, and of these
 * the longest, as in POSIX.
 */
export class Regex {
  private readonly program: Instruction[] = [];
  private readonly mark: Int32Array;
  private readonly ignoreCase: boolean;
  private turn = 0;
  private compiled = 0;
  /** The one character that each match begins with; -1 if there is no such. */
  private readonly head: number;

  /** Throws BadRegex. */
  constructor(source: string, options: RegexOptions = {}) {
    this.ignoreCase = options.ignoreCase ?? false;
    const { literal, whole, word, extended } = options;
    let node: Node = literal
      ? { t: 'list', all: [...source].map((c) => ({ t: 'char', c: c.codePointAt(0) as number })) }
      : new RegexParser(source, extended ?? false).parse();
    const between = (from: Place, to: Place): Node => ({
      t: 'list',
      all: [{ t: 'place', place: from }, node, { t: 'place', place: to }],
    });
    if (whole) node = between('start', 'end');
    else if (word) node = between('word', 'word');
    this.emit({ op: 'save', slot: 0 });
    this.compile(node);
    this.emit({ op: 'save', slot: 1 });
    this.emit({ op: 'match' });
    const second = this.program[1];
    this.head = second?.op === 'char' && !this.ignoreCase && second.c < 0xd800 ? second.c : -1;
    this.mark = new Int32Array(this.program.length).fill(-1);
  }

  private emit<T extends Instruction>(i: T): T {
    if (this.program.length >= maxProgram) throw new BadRegex('Regular expression too big');
    this.program.push(i);
    return i;
  }

  private compile(node: Node): void {
    // An empty node makes no instructions however often it is repeated.
    if (++this.compiled > 5 * maxProgram) throw new BadRegex('Regular expression too big');
    switch (node.t) {
      case 'char':
        this.emit({ op: 'char', c: this.ignoreCase ? fold(node.c) : node.c });
        return;
      case 'any':
        this.emit({ op: 'any' });
        return;
      case 'set':
        this.emit({ op: 'set', set: node.set });
        return;
      case 'place':
        this.emit({ op: 'place', place: node.place });
        return;
      case 'list':
        for (const n of node.all) this.compile(n);
        return;
      case 'group':
        if (node.n > maxGroups) {
          this.compile(node.of);
          return;
        }
        this.emit({ op: 'save', slot: 2 * node.n });
        this.compile(node.of);
        this.emit({ op: 'save', slot: 2 * node.n + 1 });
        return;
      case 'either': {
        const jumps: { to: number }[] = [];
        for (const [i, n] of node.all.entries()) {
          if (i === node.all.length - 1) this.compile(n);
          else {
            const split = this.emit({ op: 'split', first: this.program.length + 1, second: 0 });
            this.compile(n);
            jumps.push(this.emit({ op: 'jump', to: 0 }));
            split.second = this.program.length;
          }
        }
        for (const j of jumps) j.to = this.program.length;
        return;
      }
      case 'repeat': {
        for (let i = 0; i < node.min; i++) this.compile(node.of);
        if (node.max === Number.POSITIVE_INFINITY) {
          const split = this.emit({ op: 'split', first: this.program.length + 1, second: 0 });
          const at = this.program.length - 1;
          this.compile(node.of);
          this.emit({ op: 'jump', to: at });
          split.second = this.program.length;
          return;
        }
        const splits: { second: number }[] = [];
        for (let i = node.min; i < node.max; i++) {
          splits.push(this.emit({ op: 'split', first: this.program.length + 1, second: 0 }));
          this.compile(node.of);
        }
        for (const s of splits) s.second = this.program.length;
      }
    }
  }

  test(text: string, spend: Spend): boolean {
    return this.run(text, 0, spend, true) !== null;
  }

  /** The first match at or after `from`; null if there is none. */
  exec(text: string, from: number, spend: Spend): Match | null {
    return this.run(text, from, spend, false);
  }

  private run(text: string, from: number, spend: Spend, anywhere: boolean): Match | null {
    const { program } = this;
    let best: Match | null = null;
    let threads: { pc: number; saved: readonly number[] }[] = [];
    let unpaid = 0;
    for (let i = from; ; ) {
      this.turn++;
      const next: typeof threads = [];
      if (!best) {
        if (threads.length === 0 && this.head >= 0) {
          const at = text.indexOf(String.fromCharCode(this.head), i);
          unpaid += ((at < 0 ? text.length : at) - i) >> 4;
          if (at < 0) break;
          i = at;
        }
      }
      // Those that are under way come first: they began further left.
      const now: typeof threads = [];
      for (const t of threads) unpaid += this.follow(now, t.pc, t.saved, text, i);
      if (!best) unpaid += this.follow(now, 0, [], text, i);
      const c = text.codePointAt(i);
      const width = c !== undefined && c > 0xffff ? 2 : 1;
      unpaid += now.length + 1;
      if (unpaid > 1000) {
        spend(unpaid);
        unpaid = 0;
      }
      const folded = this.ignoreCase && c !== undefined ? fold(c) : c;
      for (const t of now) {
        const one = program[t.pc] as Instruction;
        if (one.op === 'match') {
          if (anywhere) return t.saved;
          const [start = 0, end = 0] = t.saved;
          const [bestStart = 0, bestEnd = 0] = best ?? [];
          if (!best || start < bestStart || (start === bestStart && end > bestEnd)) best = t.saved;
        } else if (c !== undefined && this.takes(one, c, folded as number)) next.push({ pc: t.pc + 1, saved: t.saved });
      }
      if (best) {
        const start = best[0] as number;
        threads = next.filter((t) => (t.saved[0] as number) <= start);
        if (threads.length === 0) break;
      } else threads = next;
      if (i >= text.length) break;
      i += width;
    }
    spend(unpaid);
    return best;
  }

  private takes(one: Instruction, c: number, folded: number): boolean {
    switch (one.op) {
      case 'char':
        return one.c === folded;
      case 'any':
        return true;
      case 'set':
        return this.ignoreCase ? one.set.hasFolded(c) : one.set.has(c);
      default:
        return false;
    }
  }

  /**
   * Adds all instructions that read a character and can be reached without one; returns the number that were looked at.
   */
  private follow(
    into: { pc: number; saved: readonly number[] }[],
    pc: number,
    saved: readonly number[],
    text: string,
    at: number,
  ): number {
    const stack: { pc: number; saved: readonly number[] }[] = [{ pc, saved }];
    let looked = 0;
    for (let top = stack.pop(); top; top = stack.pop()) {
      looked++;
      if (this.mark[top.pc] === this.turn) continue;
      this.mark[top.pc] = this.turn;
      const one = this.program[top.pc] as Instruction;
      switch (one.op) {
        case 'jump':
          stack.push({ pc: one.to, saved: top.saved });
          break;
        case 'split':
          stack.push({ pc: one.second, saved: top.saved }, { pc: one.first, saved: top.saved });
          break;
        case 'save': {
          const now = top.saved.slice();
          while (now.length < one.slot) now.push(-1);
          now[one.slot] = at;
          stack.push({ pc: top.pc + 1, saved: now });
          break;
        }
        case 'place':
          if (isAt(one.place, text, at)) stack.push({ pc: top.pc + 1, saved: top.saved });
          break;
        default:
          into.push(top);
      }
    }
    return looked;
  }
}

const fold = (c: number): number => String.fromCodePoint(c).toLowerCase().codePointAt(0) as number;

function isAt(place: Place, text: string, at: number): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === text.length;
  const before = at > 0 && isWord(text.charCodeAt(at - 1));
  const after = at < text.length && isWord(text.charCodeAt(at));
  switch (place) {
    case 'word':
      return before !== after;
    case 'inside':
      return before === after;
    case 'word-start':
      return !before && after;
    case 'word-end':
      return before && !after;
  }
}
