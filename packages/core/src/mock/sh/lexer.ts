import { BudgetExceeded, budget } from '../process/budget.js';
import { type List, type Part, ShellSyntaxError, type Word } from './ast.js';

export type Token =
  | { readonly t: 'word'; readonly word: Word; readonly raw: string }
  | { readonly t: 'op'; readonly op: string; readonly fd: number | null }
  | { readonly t: 'newline' }
  | { readonly t: 'eof' };

const operators = ['&&', '||', ';;', '<<-', '<<', '>>', '>&', '<&', '<>', '>|', ';', '&', '|', '<', '>', '(', ')'];

/** Limits how deep constructs of one program's text are inside one another, and counts their work. */
export class Depth {
  private depth = 0;
  constructor(readonly spend: (units: number) => void) {}
  enter(): void {
    if (++this.depth > budget.constructs) throw new BudgetExceeded('program');
  }
  leave(): void {
    this.depth--;
  }
}

/** Cuts a program into tokens, on demand; here-documents are read when their line ends. */
export class Lexer {
  at = 0;
  private readonly heredocs: {
    delimiter: string;
    quoted: boolean;
    strip: boolean;
    word: { parts: Part[]; fixed: string | null };
  }[] = [];

  constructor(
    readonly text: string,
    private readonly parseNested: (text: string) => List,
    private readonly depth: Depth,
  ) {
    // Each nesting reads its part of the text again.
    depth.spend(8 * text.length);
  }

  /** Registers a here-document; the returned word is filled when the line has ended. */
  heredoc(delimiter: Word, strip: boolean): Word {
    const text = delimiter.parts.map((p) => (p.t === 'lit' ? p.s : '')).join('');
    const word: { parts: Part[]; fixed: string | null } = { parts: [], fixed: null };
    this.heredocs.push({ delimiter: text, quoted: delimiter.parts.some((p) => p.q), strip, word });
    return word;
  }

  next(): Token {
    this.skipBlanks();
    const c = this.text[this.at];
    if (c === undefined) {
      this.readHeredocs();
      return { t: 'eof' };
    }
    if (c === '\n') {
      this.at++;
      this.readHeredocs();
      return { t: 'newline' };
    }
    const number = /^\d+(?=[<>])/.exec(this.text.slice(this.at, this.at + 4));
    const from = number ? this.at + number[0].length : this.at;
    for (const op of operators) {
      if (!this.text.startsWith(op, from)) continue;
      this.at = from + op.length;
      return { t: 'op', op: op === '>|' ? '>' : op, fd: number ? Number(number[0]) : null };
    }
    const start = this.at;
    const parts = this.readWord(false);
    return { t: 'word', word: makeWord(parts), raw: this.text.slice(start, this.at) };
  }

  private skipBlanks(): void {
    for (;;) {
      const c = this.text[this.at];
      if (c === ' ' || c === '\t' || c === '\r') this.at++;
      else if (c === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (c === '#') while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
      else return;
    }
  }

  private readHeredocs(): void {
    for (const doc of this.heredocs.splice(0)) {
      let body = '';
      for (;;) {
        if (this.at >= this.text.length) break;
        let end = this.text.indexOf('\n', this.at);
        if (end < 0) end = this.text.length;
        let line = this.text.slice(this.at, end);
        this.at = Math.min(end + 1, this.text.length);
        if (doc.strip) line = line.replace(/^\t+/, '');
        if (line === doc.delimiter) break;
        body += `${line}\n`;
      }
      if (doc.quoted) doc.word.parts.push({ t: 'lit', s: body, q: true });
      else for (const part of new Lexer(body, this.parseNested, this.depth).readQuoted(null)) doc.word.parts.push(part);
      doc.word.fixed = makeWord(doc.word.parts).fixed;
    }
  }

  /** A word up to a blank or an operator; with `brace`, up to the closing brace of `${...}`. */
  private readWord(brace: boolean): Part[] {
    const parts: Part[] = [];
    let lit = '';
    const flush = () => {
      if (lit) parts.push({ t: 'lit', s: lit, q: false });
      lit = '';
    };
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) break;
      if (brace ? c === '}' : ' \t\r\n;&|<>()'.includes(c)) break;
      if (c === '\\') {
        flush();
        const n = this.text[this.at + 1];
        this.at += 2;
        if (n !== '\n') parts.push({ t: 'lit', s: n ?? '\\', q: true });
      } else if (c === "'") {
        flush();
        const end = this.text.indexOf("'", this.at + 1);
        if (end < 0) throw new ShellSyntaxError('unterminated quoted string');
        parts.push({ t: 'lit', s: this.text.slice(this.at + 1, end), q: true });
        this.at = end + 1;
      } else if (c === '"') {
        flush();
        this.at++;
        const inner = this.readQuoted('"');
        if (inner.length === 0) parts.push({ t: 'lit', s: '', q: true });
        for (const part of inner) parts.push(part);
      } else if (c === '$' || c === '`') {
        const part = this.readDollar(false);
        if (part) {
          flush();
          parts.push(part);
        } else {
          lit += c;
          this.at++;
        }
      } else {
        lit += c;
        this.at++;
      }
    }
    flush();
    return parts;
  }

  /** Reads the text inside double quotes (`end` is the quote) or a here-document (`end` null). */
  readQuoted(end: '"' | null): Part[] {
    const parts: Part[] = [];
    let lit = '';
    const flush = () => {
      if (lit) parts.push({ t: 'lit', s: lit, q: true });
      lit = '';
    };
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) {
        if (end) throw new ShellSyntaxError('unterminated quoted string');
        break;
      }
      if (c === end) {
        this.at++;
        break;
      }
      if (c === '\\') {
        const n = this.text[this.at + 1];
        if (n !== undefined && (n === '$' || n === '`' || n === '\\' || n === '\n' || n === end)) {
          if (n !== '\n') lit += n;
          this.at += 2;
          continue;
        }
      } else if (c === '$' || c === '`') {
        const part = this.readDollar(true);
        if (part) {
          flush();
          parts.push(part);
          continue;
        }
      }
      lit += c;
      this.at++;
    }
    flush();
    return parts;
  }

  /** An expansion that starts here, or null when the `$` is only a dollar sign. */
  private readDollar(q: boolean): Part | null {
    this.depth.enter();
    const part = this.expansion(q);
    this.depth.leave();
    return part;
  }
  private expansion(q: boolean): Part | null {
    if (this.text[this.at] === '`') {
      let body = '';
      let i = this.at + 1;
      for (; this.text[i] !== '`'; i++) {
        if (this.text[i] === undefined) throw new ShellSyntaxError('EOF in backquote substitution');
        if (this.text[i] === '\\' && '`$\\'.includes(this.text[i + 1] ?? ' ')) i++;
        body += this.text[i];
      }
      this.at = i + 1;
      return { t: 'cmd', body: this.parseNested(body), q };
    }
    const n = this.text[this.at + 1];
    if (n === '(') {
      if (this.text[this.at + 2] === '(') {
        const end = this.matching(this.at + 1);
        if (this.text[end - 1] === ')') {
          const inner = new Lexer(this.text.slice(this.at + 3, end - 1), this.parseNested, this.depth);
          this.at = end + 1;
          return { t: 'arith', expr: makeWord(inner.readQuoted(null)), q };
        }
      }
      const end = this.matching(this.at + 1);
      const body = this.text.slice(this.at + 2, end);
      this.at = end + 1;
      return { t: 'cmd', body: this.parseNested(body), q };
    }
    if (n === '{') {
      this.at += 2;
      const m = this.match(parameter);
      if (!m) throw new ShellSyntaxError('bad substitution');
      // `${#}` is the number of arguments, `${#x}` the length of x.
      const length = m[1] === '#';
      this.at += m[0].length;
      let op = length ? '#len' : '';
      let arg: Word | null = null;
      if (this.text[this.at] !== '}') {
        const o = this.match(operator);
        if (!o || length) throw new ShellSyntaxError('bad substitution');
        op = o[0];
        this.at += op.length;
        const parts = this.readWord(true);
        arg = makeWord(q ? parts.map((p) => ({ ...p, q: true })) : parts);
      }
      if (this.text[this.at] !== '}') throw new ShellSyntaxError('missing }');
      this.at++;
      return { t: 'var', name: m[2] as string, op, arg, q };
    }
    this.at++;
    const m = this.match(plain);
    if (!m) {
      this.at--;
      return null;
    }
    this.at += m[0].length;
    return { t: 'var', name: m[0], op: '', arg: null, q };
  }

  private match(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.at;
    return what.exec(this.text);
  }

  /** The place at which the parenthesis at `open` closes; quotes and nesting count. */
  private matching(open: number): number {
    this.depth.enter();
    const end = this.closing(open);
    this.depth.leave();
    this.depth.spend(end - open);
    return end;
  }
  private closing(open: number): number {
    let depth = 0;
    for (let i = open; i < this.text.length; i++) {
      const c = this.text[i];
      if (c === '\\') i++;
      else if (c === "'") {
        i = this.text.indexOf("'", i + 1);
        if (i < 0) break;
      } else if (c === '"') {
        for (i++; i < this.text.length && this.text[i] !== '"'; i++) {
          if (this.text[i] === '\\') i++;
          else if (this.text[i] === '$' && this.text[i + 1] === '(') i = this.matching(i + 1);
        }
      } else if (c === '(') depth++;
      else if (c === ')' && --depth === 0) return i;
    }
    throw new ShellSyntaxError('unexpected end of file (expecting ")")');
  }
}

/** Patterns after a dollar sign; sticky (`y`), as they are read from the middle of a text. */
const parameter = /(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])/y;
const operator = /:[-=?+]|[-=?+]|##?|%%?/y;
const plain = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

export function makeWord(parts: readonly Part[]): Word {
  let fixed: string | null = '';
  for (const p of parts) {
    if (p.t !== 'lit' || (!p.q && (/[*?[]/.test(p.s) || p.s.startsWith('~')))) {
      fixed = null;
      break;
    }
    fixed += p.s;
  }
  return { parts, fixed };
}
