import { type Match, Regex } from '../patterns/regex.js';
import { budget } from '../process/budget.js';
import type { Proc } from '../process/process.js';

/** The text is not a script of sed's, or one with commands that this one does not have. */
export class SedError extends Error {
  override readonly name = 'SedError';
}

/** The replacement of a match: texts, and groups by number. */
type Replacement = readonly (string | number)[];

type Command = { readonly address: ((line: string, n: number, last: boolean, proc: Proc) => boolean) | null } & (
  | { readonly t: 'substitute'; readonly regex: Regex; readonly to: Replacement; readonly all: boolean }
  | { readonly t: 'delete' | 'print' }
);

/**
 * A script of `s`, `d` and `p` commands, each for all lines, for one by number, for the last, or for those that match.
 */
export class SedScript {
  private readonly commands: Command[] = [];
  private at = 0;

  /** Throws SedError and BadRegex. */
  constructor(
    private readonly text: string,
    private readonly extended: boolean,
  ) {
    for (;;) {
      while (this.at < text.length && ' \t\n;'.includes(text[this.at] as string)) this.at++;
      if (this.at >= text.length) return;
      this.commands.push(this.command());
    }
  }

  /** Returns the line after all commands; null if it is not shown. */
  edit(line: string, n: number, last: boolean, proc: Proc): string | null {
    let now = line;
    for (const c of this.commands) {
      proc.spend(1);
      const hit = c.address === null || c.address(now, n, last, proc);
      if (c.t === 'substitute') {
        if (hit) now = substitute(now, c.regex, c.to, c.all, proc);
      } else if (hit === (c.t === 'delete')) return null;
    }
    return now;
  }

  private command(): Command {
    const address = this.address();
    const { text } = this;
    const letter = text[this.at++];
    if (letter === 'd' || letter === 'p') {
      this.end();
      return { t: letter === 'd' ? 'delete' : 'print', address };
    }
    if (letter !== 's') throw new SedError('unsupported command');
    const delimiter = text[this.at++];
    if (delimiter === undefined || delimiter === '\n' || delimiter === '\\') throw new SedError('unsupported command');
    const from = this.upTo(delimiter);
    const to = replacement(this.upTo(delimiter));
    let all = false;
    let ignoreCase = false;
    for (; /[gipI]/.test(text[this.at] ?? ''); this.at++) {
      if (text[this.at] === 'g') all = true;
      else if (text[this.at] !== 'p') ignoreCase = true;
    }
    this.end();
    return { t: 'substitute', address, regex: new Regex(from, { extended: this.extended, ignoreCase }), to, all };
  }

  private address(): Command['address'] {
    const { text } = this;
    if (text[this.at] === '$') {
      this.at++;
      return (_line, _n, last) => last;
    }
    if (text[this.at] === '/') {
      this.at++;
      const regex = new Regex(this.upTo('/'), { extended: this.extended });
      return (line, _n, _last, proc) => regex.test(line, proc.spender);
    }
    let digits = '';
    while (/\d/.test(text[this.at] ?? '')) digits += text[this.at++];
    return digits === '' ? null : (_line, n) => n === Number(digits);
  }

  /** The text up to a delimiter, behind which it goes on. With a backslash the delimiter is itself. */
  private upTo(delimiter: string): string {
    let out = '';
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at] as string;
      if (c === delimiter) {
        this.at++;
        return out;
      }
      if (c === '\\') {
        const next = this.text[++this.at] ?? '';
        out += next === delimiter ? next : `\\${next}`;
      } else out += c;
    }
    throw new SedError('unsupported command');
  }

  /** Expects the end of a command: its line's end, or a semicolon. */
  private end(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++;
    if (this.at < this.text.length && !';\n'.includes(this.text[this.at] as string))
      throw new SedError('unsupported command');
  }
}

function replacement(text: string): Replacement {
  const out: (string | number)[] = [];
  let plain = '';
  const group = (n: number) => {
    if (plain) out.push(plain);
    plain = '';
    out.push(n);
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '&') group(0);
    else if (c !== '\\') plain += c;
    else {
      const next = text[++i] ?? '\\';
      if (/\d/.test(next)) group(Number(next));
      else plain += next === 'n' ? '\n' : next === 't' ? '\t' : next;
    }
  }
  if (plain) out.push(plain);
  return out;
}

function substitute(line: string, regex: Regex, to: Replacement, all: boolean, proc: Proc): string {
  let out = '';
  let from = 0;
  let behind = -1;
  const add = (text: string) => {
    proc.spend(text.length >> 3);
    if (out.length + text.length > budget.output) proc.exceed('output');
    out += text;
  };
  for (;;) {
    const match: Match | null = regex.exec(line, from, proc.spender);
    if (!match) break;
    const [start = 0, end = 0] = match;
    add(line.slice(from, start));
    // Right behind a match there is no empty one.
    for (const piece of end === start && start === behind ? [] : to) {
      if (typeof piece === 'string') add(piece);
      else {
        const [a, b] = [match[2 * piece] ?? -1, match[2 * piece + 1] ?? -1];
        if (a >= 0 && b >= a) add(line.slice(a, b));
      }
    }
    from = end;
    behind = end;
    if (end === start) {
      // An empty match takes no character: the next one goes on behind it.
      add(line.slice(end, end + 1));
      from = end + 1;
    }
    if (!all || from > line.length) break;
  }
  return out + line.slice(from);
}
