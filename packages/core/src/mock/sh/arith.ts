import { ShellSyntaxError } from './ast.js';

/** The variables that arithmetic reads and writes. */
export interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  /** Counts work. Default: nobody does. */
  spend?(units: number): void;
}

/** The strength with which a binary operator binds; the higher, the stronger. */
const binding: Readonly<Record<string, number>> = {
  __proto__: null as never,
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '<=': 7,
  '>=': 7,
  '<': 7,
  '>': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
  '**': 11,
};

/** Deepest nesting of parentheses, signs, assignments and powers. */
const maxDepth = 600;

/** A result as a 64-bit integer, as far as a number holds one. */
const wrapped = (n: bigint): number => Number(BigInt.asIntN(64, n));
const exact = (n: number, otherwise: () => bigint): number => (Number.isSafeInteger(n) ? n : wrapped(otherwise()));

/** Returns a literal's value; if it is too large, the largest there is, as in strtoll. */
function literal(text: string): number {
  const octal = /^0\d/.test(text);
  const n = octal ? Number.parseInt(text, 8) : Number(text);
  return Math.min(n, 2 ** 63);
}

/** Evaluates `$((...))`, after expansion of its text. Throws ShellSyntaxError. */
export function evaluate(text: string, vars: Variables): number {
  vars.spend?.(text.length);
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
  private deeper(): void {
    if (++this.depth > maxDepth) throw new ShellSyntaxError('arithmetic: expression recursion loop detected');
  }
  private assign(live: boolean): number {
    this.deeper();
    const value = this.assigned(live);
    this.depth--;
    return value;
  }
  private assigned(live: boolean): number {
    const name = this.token;
    const op = this.tokens[this.at + 1] ?? '';
    if (/^[A-Za-z_]/.test(name) && /^(=|[-+*/%&|^]=|<<=|>>=)$/.test(op)) {
      this.at += 2;
      const right = this.assign(live);
      const value = op === '=' ? right : apply(op.slice(0, -1), this.variable(name), right, live);
      if (live) this.vars.set(name, String(value));
      return value;
    }
    const cond = this.level(1, live);
    if (!this.take('?')) return cond;
    const yes = this.assign(live && cond !== 0);
    if (!this.take(':')) throw new ShellSyntaxError('arithmetic syntax error');
    const no = this.assign(live && cond === 0);
    return cond !== 0 ? yes : no;
  }
  /** Evaluates the expression here, as far as its operators bind at least as strongly as `least`. */
  private level(least: number, live: boolean): number {
    this.deeper();
    let left = this.unary(live);
    for (;;) {
      const op = this.token;
      const strength = binding[op] ?? 0;
      if (strength < least) break;
      this.at++;
      const right = this.level(
        op === '**' ? strength : strength + 1,
        live && (op === '&&' ? left !== 0 : op === '||' ? left === 0 : true),
      );
      left = apply(op, left, right, live);
    }
    this.depth--;
    return left;
  }
  private unary(live: boolean): number {
    this.deeper();
    const value = this.operand(live);
    this.depth--;
    return value;
  }
  private operand(live: boolean): number {
    if (this.take('-')) return -this.unary(live);
    if (this.take('+')) return this.unary(live);
    if (this.take('!')) return this.unary(live) === 0 ? 1 : 0;
    if (this.take('~')) return apply('^', this.unary(live), -1, live);
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
    if (/^\d/.test(t)) return literal(t);
    if (!/^[A-Za-z_]/.test(t)) throw new ShellSyntaxError('arithmetic syntax error');
    const v = this.variable(t);
    if (this.token === '++' || this.token === '--') {
      if (live) this.vars.set(t, String(v + (this.token === '++' ? 1 : -1)));
      this.at++;
    }
    return v;
  }
  private variable(name: string): number {
    const text = this.vars.get(name)?.trim() ?? '';
    if (text === '') return 0;
    // A number has no more digits than this; a longer text is not a number.
    const n = text.length > 64 ? Number.NaN : Number(text);
    if (!Number.isInteger(n)) throw new ShellSyntaxError('arithmetic syntax error');
    return n;
  }
}

/** A power of which only the lowest 64 bits are kept on the way: its size does not depend on the exponent. */
function power(base: bigint, exponent: bigint): bigint {
  let value = 1n;
  let square = BigInt.asIntN(64, base);
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) value = BigInt.asIntN(64, value * square);
    square = BigInt.asIntN(64, square * square);
  }
  return value;
}

function apply(op: string, a: number, b: number, live: boolean): number {
  switch (op) {
    case '+':
      return exact(a + b, () => BigInt(a) + BigInt(b));
    case '-':
      return exact(a - b, () => BigInt(a) - BigInt(b));
    case '*':
      return exact(a * b, () => BigInt(a) * BigInt(b));
    case '/':
    case '%':
      if (b === 0) {
        if (live) throw new ShellSyntaxError('divide by zero');
        return 0;
      }
      return op === '/' ? Math.trunc(a / b) : a % b;
    case '**':
      if (b < 0) {
        if (live) throw new ShellSyntaxError('exponent less than 0');
        return 0;
      }
      return exact(a ** b, () => power(BigInt(a), BigInt(b)));
    case '<<':
      return wrapped(BigInt(a) << (BigInt(b) & 63n));
    case '>>':
      return Number(BigInt(a) >> (BigInt(b) & 63n));
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
