import type { Shell } from './shell.js';

class BadTest extends Error {}

/** Evaluates `test` and `[`: 0 true, 1 false, 2 wrong usage. */
export function testExpression(sh: Shell, words: readonly string[]): number {
  const t = new Test(sh, words);
  try {
    if (words.length === 0) return 1;
    const value = t.or();
    if (t.at < words.length) throw new BadTest(`${words[t.at]}: unknown operand`);
    return value ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BadTest)) throw error;
    sh.complain(error.message);
    return 2;
  }
}

const unary = /^-[bcdefgGhkLnNOprsStuwxz]$/;
const binaryOps = new Set(['=', '==', '!=', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef', '<', '>']);

class Test {
  at = 0;
  private depth = 0;
  constructor(
    private readonly sh: Shell,
    private readonly words: readonly string[],
  ) {}
  or(): boolean {
    let v = this.and();
    while (this.words[this.at] === '-o') {
      this.at++;
      const r = this.and();
      v = v || r;
    }
    return v;
  }
  private and(): boolean {
    let v = this.not();
    while (this.words[this.at] === '-a') {
      this.at++;
      const r = this.not();
      v = v && r;
    }
    return v;
  }
  private not(): boolean {
    if (++this.depth > 100) throw new BadTest('too many parentheses');
    const v = this.negated();
    this.depth--;
    return v;
  }
  private negated(): boolean {
    if (
      this.words[this.at] === '!' &&
      this.at + 1 < this.words.length &&
      !binaryOps.has(this.words[this.at + 1] as string)
    ) {
      this.at++;
      return !this.not();
    }
    return this.primary();
  }
  private primary(): boolean {
    const w = this.words;
    const a = w[this.at];
    if (a === undefined) throw new BadTest('argument expected');
    const op = w[this.at + 1];
    if (op !== undefined && binaryOps.has(op) && this.at + 2 < w.length) {
      const b = w[this.at + 2] as string;
      this.sh.spend((a.length + b.length) >> 3);
      this.at += 3;
      return this.compare(a, op, b);
    }
    if (a === '(') {
      this.at++;
      const v = this.or();
      if (w[this.at] !== ')') throw new BadTest('missing )');
      this.at++;
      return v;
    }
    if (unary.test(a) && op !== undefined) {
      this.at += 2;
      return this.file(a, op);
    }
    this.at++;
    return a !== '';
  }
  private compare(a: string, op: string, b: string): boolean {
    switch (op) {
      case '=':
      case '==':
        return a === b;
      case '!=':
        return a !== b;
      case '<':
        return a < b;
      case '>':
        return a > b;
      case '-nt':
      case '-ot': {
        const [x, y] = [this.lookup(a)?.mtimeMillis ?? -1, this.lookup(b)?.mtimeMillis ?? -1];
        return op === '-nt' ? x > y : x < y;
      }
      case '-ef':
        return this.lookup(a) !== null && this.lookup(a) === this.lookup(b);
    }
    const [x, y] = [this.number(a), this.number(b)];
    switch (op) {
      case '-eq':
        return x === y;
      case '-ne':
        return x !== y;
      case '-lt':
        return x < y;
      case '-le':
        return x <= y;
      case '-gt':
        return x > y;
      default:
        return x >= y;
    }
  }
  private number(text: string): number {
    if (text.length > 64 || !/^\s*[-+]?\d+\s*$/.test(text)) throw new BadTest(`${text}: bad number`);
    return Number(text);
  }
  private lookup(path: string, follow = true) {
    const full = this.sh.world.fs.resolve(path, this.sh.proc.cwd);
    return this.sh.world.fs.lookup(full, follow);
  }
  private file(op: string, arg: string): boolean {
    if (op === '-n') return arg !== '';
    if (op === '-z') return arg === '';
    if (op === '-t') return false;
    if (arg === '/dev/null' && (op === '-e' || op === '-c' || op === '-r' || op === '-w')) return true;
    const node = this.lookup(arg, op !== '-h' && op !== '-L');
    if (!node)
      return (
        op !== '-L' &&
        op !== '-h' &&
        /^\/(s?bin|usr\/s?bin)\/[^/]+$/.test(arg) &&
        /^-[efrx]$/.test(op) &&
        this.sh.world.has(arg.slice(arg.lastIndexOf('/') + 1))
      );
    switch (op) {
      case '-d':
        return node.kind === 'dir';
      case '-f':
        return node.kind === 'file';
      case '-h':
      case '-L':
        return node.kind === 'link';
      case '-s':
        return node.kind === 'dir' || (node.kind === 'file' && node.data !== '');
      case '-x':
        return node.kind === 'dir' || (node.mode & 0o111) !== 0;
      case '-b':
      case '-c':
      case '-p':
      case '-S':
      case '-u':
      case '-g':
      case '-k':
        return false;
      default:
        return true;
    }
  }
}
