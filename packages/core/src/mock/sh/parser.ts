import type { Spend } from '../patterns/pattern.js';
import {
  type AndOr,
  type Assign,
  type Command,
  type IdleLoop,
  type List,
  type Pipeline,
  type Redirect,
  ShellSyntaxError,
  type Word,
} from './ast.js';
import { Depth, Lexer, makeWord, type Token } from './lexer.js';

const cache = new Map<string, List | ShellSyntaxError>();
/** Characters of the texts that are kept: a tree takes a hundred times as much. */
let cached = 0;
const maxCached = 1 << 18;

/** Parses a program; throws ShellSyntaxError, and BudgetExceeded if it is too deep. The same text is parsed once. */
export function parse(text: string, spend: Spend = () => {}): List {
  let result = cache.get(text);
  if (result === undefined) {
    try {
      result = new Parser(text, new Depth(spend)).program();
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      result = error;
    }
    cached += text.length;
    if (cache.size > 500 || cached > maxCached) {
      cache.clear();
      cached = text.length;
    }
    if (text.length < maxCached) cache.set(text, result);
  }
  if (result instanceof ShellSyntaxError) throw result;
  return result;
}

const reservedEnds = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}', ')', ';;']);

class Parser {
  private readonly lexer: Lexer;
  private token: Token;
  private readonly ahead: Token[] = [];

  constructor(
    text: string,
    private readonly depth: Depth,
  ) {
    this.lexer = new Lexer(text, (nested) => new Parser(nested, depth).program(), depth);
    this.token = this.lexer.next();
  }

  program(): List {
    const list = this.list();
    if (this.token.t !== 'eof') this.unexpected();
    return list;
  }

  private advance(): Token {
    const t = this.token;
    this.token = this.ahead.shift() ?? this.lexer.next();
    return t;
  }
  private peek(): Token {
    if (this.ahead.length === 0) this.ahead.push(this.lexer.next());
    return this.ahead[0] as Token;
  }
  private isOp(op: string): boolean {
    return this.token.t === 'op' && this.token.op === op;
  }
  /** Returns true for a reserved word, which counts only unquoted: its raw text is the word. */
  private isReserved(word: string): boolean {
    return this.token.t === 'word' && this.token.raw === word;
  }
  private expect(word: string): void {
    if (!this.isReserved(word) && !this.isOp(word)) this.unexpected(word);
    this.advance();
  }
  private unexpected(expecting?: string): never {
    const t = this.token;
    const what =
      t.t === 'eof' ? 'end of file' : t.t === 'newline' ? 'newline' : t.t === 'op' ? `"${t.op}"` : `word "${t.raw}"`;
    throw new ShellSyntaxError(
      `syntax error: unexpected ${what.replace(/^word (?="(then|else|elif|fi|do|done|esac|\}|in)")/, '')}${expecting ? ` (expecting "${expecting}")` : ''}`,
    );
  }
  private newlines(): void {
    while (this.token.t === 'newline') this.advance();
  }
  private atEnd(): boolean {
    const t = this.token;
    if (t.t === 'eof') return true;
    return t.t === 'op' ? t.op === ')' || t.op === ';;' : t.t === 'word' && reservedEnds.has(t.raw);
  }

  private list(): List {
    const out: AndOr[] = [];
    for (;;) {
      this.newlines();
      if (this.atEnd()) return out;
      const item = this.andOr();
      let background = false;
      if (this.isOp('&')) {
        background = true;
        this.advance();
      } else if (this.isOp(';')) this.advance();
      else if (this.token.t !== 'newline' && !this.atEnd()) this.unexpected();
      out.push({ ...item, background });
    }
  }

  /** A list that may not be empty, as in a loop's body. */
  private body(end: string): List {
    const list = this.list();
    if (list.length === 0) this.unexpected(this.token.t === 'eof' ? end : undefined);
    return list;
  }

  private andOr(): AndOr {
    const first = this.pipeline();
    const rest: { op: '&&' | '||'; pipeline: Pipeline }[] = [];
    while (this.token.t === 'op' && (this.token.op === '&&' || this.token.op === '||')) {
      const op = this.token.op;
      this.advance();
      this.newlines();
      rest.push({ op, pipeline: this.pipeline() });
    }
    return { first, rest, background: false };
  }

  private pipeline(): Pipeline {
    let negate = false;
    while (this.isReserved('!')) {
      negate = !negate;
      this.advance();
    }
    const commands = [this.command()];
    while (this.isOp('|')) {
      this.advance();
      this.newlines();
      commands.push(this.command());
    }
    return { negate, commands };
  }

  private command(): Command {
    this.depth.enter();
    const command = this.oneCommand();
    this.depth.leave();
    return command;
  }
  private oneCommand(): Command {
    const t = this.token;
    if (t.t === 'op') {
      if (t.op === '(') {
        this.advance();
        const body = this.body(')');
        this.expect(')');
        return { t: 'subshell', body, redirects: this.redirects() };
      }
      if (t.op.startsWith('<') || t.op.startsWith('>')) return this.simple();
      this.unexpected();
    }
    if (t.t !== 'word') this.unexpected();
    switch (t.raw) {
      case '{': {
        this.advance();
        const body = this.body('}');
        this.expect('}');
        return { t: 'group', body, redirects: this.redirects() };
      }
      case 'if':
        return this.ifClause();
      case 'while':
      case 'until':
        return this.whileClause(t.raw === 'until');
      case 'for':
        return this.forClause();
      case 'case':
        return this.caseClause();
    }
    if (reservedEnds.has(t.raw)) this.unexpected();
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(t.raw)) {
      const n = this.peek();
      if (n.t === 'op' && n.op === '(') {
        this.advance();
        this.advance();
        this.expect(')');
        this.newlines();
        return { t: 'function', name: t.raw, body: this.command(), redirects: [] };
      }
    }
    return this.simple();
  }

  private ifClause(): Command {
    const arms: { cond: List; body: List }[] = [];
    let otherwise: List | null = null;
    this.advance();
    for (;;) {
      const cond = this.body('then');
      this.expect('then');
      arms.push({ cond, body: this.body('fi') });
      if (this.isReserved('elif')) {
        this.advance();
        continue;
      }
      if (this.isReserved('else')) {
        this.advance();
        otherwise = this.body('fi');
      }
      this.expect('fi');
      return { t: 'if', arms, otherwise, redirects: this.redirects() };
    }
  }

  private whileClause(until: boolean): Command {
    this.advance();
    const cond = this.body('do');
    this.expect('do');
    const body = this.body('done');
    this.expect('done');
    return { t: 'while', until, cond, body, idle: idleLoop(until, cond, body), redirects: this.redirects() };
  }

  private forClause(): Command {
    this.advance();
    if (this.token.t !== 'word') this.unexpected();
    const name = this.token.raw;
    this.advance();
    this.newlines();
    let words: Word[] | null = null;
    if (this.isReserved('in')) {
      this.advance();
      words = [];
      while (this.token.t === 'word') words.push((this.advance() as { word: Word }).word);
    }
    if (this.isOp(';')) this.advance();
    this.newlines();
    this.expect('do');
    const body = this.body('done');
    this.expect('done');
    return { t: 'for', name, words, body, redirects: this.redirects() };
  }

  private caseClause(): Command {
    this.advance();
    if (this.token.t !== 'word') this.unexpected();
    const word = (this.advance() as { word: Word }).word;
    this.newlines();
    this.expect('in');
    const arms: { patterns: Word[]; body: List }[] = [];
    for (;;) {
      this.newlines();
      if (this.isReserved('esac')) break;
      if (this.isOp('(')) this.advance();
      const patterns: Word[] = [];
      for (;;) {
        if (this.token.t !== 'word') this.unexpected();
        patterns.push((this.advance() as { word: Word }).word);
        if (!this.isOp('|')) break;
        this.advance();
      }
      this.expect(')');
      arms.push({ patterns, body: this.list() });
      if (this.isOp(';;')) this.advance();
      else if (!this.isReserved('esac')) this.unexpected(';;');
    }
    this.advance();
    return { t: 'case', word, arms, redirects: this.redirects() };
  }

  private simple(): Command {
    const assigns: Assign[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      const t = this.token;
      if (t.t === 'op' && /^[<>]/.test(t.op)) {
        redirects.push(this.redirect());
        continue;
      }
      if (t.t !== 'word') break;
      const m = words.length === 0 ? /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(t.raw) : null;
      this.advance();
      if (m) assigns.push({ name: m[1] as string, value: dropPrefix(t.word, m[0].length) });
      else words.push(t.word);
    }
    if (assigns.length + words.length + redirects.length === 0) this.unexpected();
    return { t: 'simple', assigns, words, redirects };
  }

  private redirects(): Redirect[] {
    const out: Redirect[] = [];
    while (this.token.t === 'op' && /^[<>]/.test(this.token.op)) out.push(this.redirect());
    return out;
  }

  private redirect(): Redirect {
    const t = this.advance() as { op: string; fd: number | null };
    if (this.token.t !== 'word') this.unexpected();
    // The word stays the current token until the here-document is registered: taking the next token may end the line.
    const word = this.token.word;
    const fd = t.fd ?? (t.op.startsWith('<') ? 0 : 1);
    if (t.op === '<<' || t.op === '<<-') {
      const target = this.lexer.heredoc(word, t.op === '<<-');
      this.advance();
      return { fd, op: '<<', target };
    }
    this.advance();
    return { fd, op: t.op as Redirect['op'], target: word };
  }
}

/** The word without its first `n` characters, which are literal. */
function dropPrefix(word: Word, n: number): Word {
  const [first, ...rest] = word.parts;
  if (first?.t !== 'lit') return word;
  const left = first.s.slice(n);
  return makeWord(left ? [{ ...first, s: left }, ...rest] : rest);
}

/** Seconds as sleep takes them (`0.2`, `5`, `2m`, `infinity`), in Micros; null for any other text. */
export function sleepDuration(text: string): number | null {
  if (text === 'infinity' || text === 'inf') return Number.POSITIVE_INFINITY;
  const m = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (!m) return null;
  const unit = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }[m[2] as '' | 's'] as number;
  return Math.round(Number(m[1]) * unit * 1e6);
}

function idleLoop(until: boolean, cond: List, body: List): IdleLoop | null {
  const fixed = (item: AndOr): string[] | null => {
    const command = item.first.commands[0];
    if (
      item.background ||
      item.rest.length > 0 ||
      item.first.negate ||
      item.first.commands.length !== 1 ||
      command?.t !== 'simple'
    )
      return null;
    if (command.assigns.length > 0 || command.redirects.length > 0) return null;
    return command.words.every((w) => w.fixed !== null) ? command.words.map((w) => w.fixed as string) : null;
  };
  const [only] = cond;
  const c = cond.length === 1 && only ? fixed(only) : null;
  if (c?.length !== 1 || !(until ? c[0] === 'false' : c[0] === 'true' || c[0] === ':')) return null;
  const sleeps: number[] = [];
  for (const item of body) {
    const words = fixed(item);
    if (words?.length === 1 && (words[0] === ':' || words[0] === 'true')) continue;
    const d = words?.length === 2 && words[0] === 'sleep' ? sleepDuration(words[1] as string) : null;
    if (d === null || d <= 0) return null;
    sleeps.push(d);
  }
  return sleeps.length > 0 ? { sleeps } : null;
}
