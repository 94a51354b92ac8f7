import { ShellSyntaxError } from './ast.js';

/** What arithmetic reads and writes. */
export interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

const binary: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

/** Evaluates `$((...))`, after expansion of its text. Throws ShellSyntaxError. */
export function evaluate(text: string, vars: Variables): number {
  const tokens =
    text
      .match(
        /\s+|0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|[<>=!+\-*/%&|^]=|[-+*/%<>=!~&|^?:(),]|./g,
      )
      ?.filter((t) => !/^\s+$/.test(t)) ?? [];
  if (tokens.length === 0) return 0;
  const p = new Arith(tokens, vars);
  const value = p.comma(true);
  if (!p.done) throw new ShellSyntaxError('arithmetic syntax error');
  return value;
}

class Arith {
  private at = 0;
  private depth = 0;
  constructor(
    private readonly tokens: readonly string[],
    private readonly vars: Variables,
  ) {}
  get done(): boolean {
    return this.at >= this.tokens.length;
  }
  private get token(): string {
    return this.tokens[this.at] ?? '';
  }
  private take(t: string): boolean {
    if (this.token !== t) return false;
    this.at++;
    return true;
  }
  comma(live: boolean): number {
    let v = this.assign(live);
    while (this.take(',')) v = this.assign(live);
    return v;
  }
  private assign(live: boolean): number {
    const name = this.token;
    const op = this.tokens[this.at + 1] ?? '';
    if (/^[A-Za-z_]/.test(name) && /^(=|[-+*/%&|^]=|<<=|>>=)$/.test(op)) {
      this.at += 2;
      const right = this.assign(live);
      const value = op === '=' ? right : apply(op.slice(0, -1), this.variable(name), right, live);
      if (live) this.vars.set(name, String(value));
      return value;
    }
    const cond = this.level(0, live);
    if (!this.take('?')) return cond;
    const yes = this.assign(live && cond !== 0);
    if (!this.take(':')) throw new ShellSyntaxError('arithmetic syntax error');
    const no = this.assign(live && cond === 0);
    return cond !== 0 ? yes : no;
  }
  private level(n: number, live: boolean): number {
    const ops = binary[n];
    if (!ops) return this.unary(live);
    let left = this.level(n + 1, live);
    for (;;) {
      const op = this.token;
      if (!ops.includes(op)) return left;
      this.at++;
      const right = this.level(
        op === '**' ? n : n + 1,
        live && (op === '&&' ? left !== 0 : op === '||' ? left === 0 : true),
      );
      left = apply(op, left, right, live);
    }
  }
  private unary(live: boolean): number {
    if (++this.depth > 500) throw new ShellSyntaxError('arithmetic: expression recursion loop detected');
    try {
      if (this.take('-')) return -this.unary(live);
      if (this.take('+')) return this.unary(live);
      if (this.take('!')) return this.unary(live) === 0 ? 1 : 0;
      if (this.take('~')) return ~this.unary(live);
      if (this.token === '++' || this.token === '--') {
        const step = this.token === '++' ? 1 : -1;
        this.at++;
        const name = this.token;
        this.at++;
        const v = this.variable(name) + step;
        if (live) this.vars.set(name, String(v));
        return v;
      }
      if (this.take('(')) {
        const v = this.comma(live);
        if (!this.take(')')) throw new ShellSyntaxError('arithmetic syntax error');
        return v;
      }
      const t = this.token;
      this.at++;
      if (/^\d/.test(t)) return /^0\d/.test(t) ? Number.parseInt(t, 8) : Number(t);
      if (!/^[A-Za-z_]/.test(t)) throw new ShellSyntaxError('arithmetic syntax error');
      const v = this.variable(t);
      if (this.token === '++' || this.token === '--') {
        if (live) this.vars.set(t, String(v + (this.token === '++' ? 1 : -1)));
        this.at++;
      }
      return v;
    } finally {
      this.depth--;
    }
  }
  private variable(name: string): number {
    const text = this.vars.get(name)?.trim() ?? '';
    if (text === '') return 0;
    const n = Number(text);
    if (!Number.isInteger(n)) throw new ShellSyntaxError('arithmetic syntax error');
    return n;
  }
}

function apply(op: string, a: number, b: number, live: boolean): number {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
    case '%':
      if (b === 0) {
        if (live) throw new ShellSyntaxError('divide by zero');
        return 0;
      }
      return op === '/' ? Math.trunc(a / b) : a % b;
    case '**':
      return a ** b;
    case '<<':
      return Number(BigInt.asIntN(64, BigInt(a) << BigInt(b & 63)));
    case '>>':
      return Number(BigInt(a) >> BigInt(b & 63));
    case '&':
      return Number(BigInt(a) & BigInt(b));
    case '|':
      return Number(BigInt(a) | BigInt(b));
    case '^':
      return Number(BigInt(a) ^ BigInt(b));
    case '&&':
      return a !== 0 && b !== 0 ? 1 : 0;
    case '||':
      return a !== 0 || b !== 0 ? 1 : 0;
    case '==':
      return a === b ? 1 : 0;
    case '!=':
      return a !== b ? 1 : 0;
    case '<':
      return a < b ? 1 : 0;
    case '>':
      return a > b ? 1 : 0;
    case '<=':
      return a <= b ? 1 : 0;
    default:
      return a >= b ? 1 : 0;
  }
}
