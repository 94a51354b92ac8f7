/** The characters of POSIX classes, as ranges of code points. */
const classes: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  __proto__: null as never,
  alpha: [
    [65, 90],
    [97, 122],
  ],
  digit: [[48, 57]],
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  blank: [
    [9, 9],
    [32, 32],
  ],
  upper: [[65, 90]],
  lower: [[97, 122]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  print: [[32, 126]],
  graph: [[33, 126]],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
};

/** A set of characters, as a bracket expression names one. */
export class CharSet {
  private ranges: (readonly [number, number])[] = [];
  /** True if `ranges` is in order and without overlaps. */
  private sorted = true;
  constructor(private readonly negated = false) {}

  add(from: number, to = from): this {
    if (from > to) return this;
    this.ranges.push([from, to]);
    this.sorted = false;
    return this;
  }
  /** Adds a class of characters; returns false if there is none of that name. */
  addClass(name: string): boolean {
    const ranges = classes[name];
    for (const [from, to] of ranges ?? []) this.add(from, to);
    return ranges !== undefined;
  }
  has(c: number): boolean {
    return this.holds(c) !== this.negated;
  }
  /** Returns the same without regard to upper and lower case. */
  hasFolded(c: number): boolean {
    const text = String.fromCodePoint(c);
    const [lower, upper] = [text.toLowerCase(), text.toUpperCase()].map((t) => t.codePointAt(0) as number);
    return (this.holds(c) || this.holds(lower as number) || this.holds(upper as number)) !== this.negated;
  }

  private holds(c: number): boolean {
    if (!this.sorted) this.sort();
    let low = 0;
    let high = this.ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [from, to] = this.ranges[middle] as readonly [number, number];
      if (c < from) high = middle - 1;
      else if (c > to) low = middle + 1;
      else return true;
    }
    return false;
  }
  private sort(): void {
    const merged: [number, number][] = [];
    for (const [from, to] of this.ranges.sort((a, b) => a[0] - b[0])) {
      const last = merged[merged.length - 1];
      if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
      else merged.push([from, to]);
    }
    this.ranges = merged;
    this.sorted = true;
  }
}

/**
 * Reads the bracket expression that begins at `at` (where the `[` is); null if it has no end. `escapes`: a backslash
 * takes the next character as it is (shell patterns), else it is a character like any other (regular expressions).
 * `next` is the index after the closing bracket.
 */
export function readBrackets(text: string, at: number, escapes: boolean): { set: CharSet; next: number } | null {
  let i = at + 1;
  const negated = text[i] === '^' || (escapes && text[i] === '!');
  if (negated) i++;
  const set = new CharSet(negated);
  /** One end of a range: a character, `[.c.]` or `[=c=]`. */
  const one = (): number | null => {
    const m = text[i] === '[' && (text[i + 1] === '.' || text[i + 1] === '=') ? (text[i + 1] as string) : null;
    if (m && text.startsWith(`${m}]`, i + 3)) {
      const c = text.charCodeAt(i + 2);
      i += 5;
      return c;
    }
    if (escapes && text[i] === '\\' && i + 1 < text.length) i++;
    const c = text.codePointAt(i);
    if (c === undefined) return null;
    i += c > 0xffff ? 2 : 1;
    return c;
  };
  for (let first = true; ; first = false) {
    if (i >= text.length) return null;
    if (text[i] === ']' && !first) return { set, next: i + 1 };
    if (text.startsWith('[:', i)) {
      // Names of classes are short: a longer text is not a name of a class.
      const name = /^\[:([a-z]{1,10}):\]/.exec(text.slice(i, i + 16))?.[1];
      if (name !== undefined && set.addClass(name)) {
        i += name.length + 4;
        continue;
      }
    }
    const from = one();
    if (from === null) return null;
    if (text[i] === '-' && i + 1 < text.length && text[i + 1] !== ']') {
      i++;
      const to = one();
      if (to === null) return null;
      set.add(from, to);
    } else set.add(from);
  }
}
