import type { Argument, Binary, Node } from './ast.js';
import { ExpressionError } from './errors.js';
import { Lexer, MAX_SOURCE, type Token } from './lexer.js';

/** Most levels of nodes: operators, calls and brackets within each other. */
export const MAX_DEPTH = 100;

/** Binding powers; what binds more is done first. Comparisons do not chain. */
const POWER: ReadonlyMap<string, number> = new Map([
  ['?', 1],
  ['??', 2],
  ['||', 3],
  ['&&', 4],
  ...['==', '!=', '<', '<=', '>', '>=', '=~', '!~', 'in'].map((op) => [op, 5] as const),
  ['+', 6],
  ['-', 6],
  ['*', 7],
  ['/', 7],
  ['%', 7],
]);
const COMPARISON = 5;
const UNARY = 8;

/** Words that are not names. */
export const KEYWORDS: readonly string[] = ['true', 'false', 'null', 'in'];

/** Omit that keeps a union one. */
type Bare<T> = T extends unknown ? Omit<T, 'depth'> : never;

/**
 * Reads one expression from `lexer`'s place on, up to the end or, with `until`, to that operator. Throws an
 * ExpressionError.
 */
export class Parser {
  private token: Token;
  private level = 0;

  constructor(
    private readonly lexer: Lexer,
    private readonly until: string | null = null,
  ) {
    this.token = lexer.next();
  }

  /** The tree, and where its end mark ends. */
  parse(): { node: Node; end: number } {
    if (this.isEnd()) throw this.error('expected an expression, but there is none');
    const node = this.expression(0);
    if (!this.isEnd()) throw this.error(`expected an operator or the end, not ${this.found()}${hint(this.token)}`);
    if (this.until !== null && this.token.type === 'end')
      throw this.error(`expected "${this.until}" after the expression`);
    return { node, end: this.token.end };
  }

  private isEnd(): boolean {
    return this.token.type === 'end' || (this.until !== null && this.is(this.until));
  }
  private is(operator: string): boolean {
    return this.token.type === 'operator' && this.token.text === operator;
  }
  private advance(): Token {
    const { token } = this;
    this.token = this.lexer.next();
    return token;
  }
  private take(operator: string, where: string): Token {
    if (!this.is(operator)) throw this.error(`expected "${operator}" ${where}, not ${this.found()}`);
    return this.advance();
  }
  private found(): string {
    const { type, text } = this.token;
    return type === 'end' ? 'the end' : `"${text.length > 30 ? `${text.slice(0, 30)}…` : text}"`;
  }
  private error(reason: string, at: { position: number; end: number } = this.token): ExpressionError {
    return new ExpressionError(reason, at.position, at.end);
  }
  private node(node: Bare<Node>, ...parts: readonly Node[]): Node {
    let depth = 0;
    for (const part of parts) depth = Math.max(depth, part.depth);
    if (depth >= MAX_DEPTH)
      throw this.error(`too deep: expressions may have ${MAX_DEPTH} levels`, {
        position: node.position,
        end: node.end,
      });
    return { ...node, depth: depth + 1 } as Node;
  }

  private expression(power: number): Node {
    if (++this.level > MAX_DEPTH) throw this.error(`too deep: expressions may have ${MAX_DEPTH} levels`);
    let left = this.prefix();
    for (;;) {
      const { token } = this;
      const operator = token.type === 'operator' || token.text === 'in' ? token.text : '';
      const mine = token.type === 'value' ? undefined : POWER.get(operator);
      if (mine === undefined || mine <= power) break;
      this.advance();
      if (operator === '?') {
        const yes = this.expression(0);
        this.take(':', 'of "condition ? value : value"');
        const no = this.expression(0);
        left = this.node({ type: 'choice', test: left, yes, no, position: left.position, end: no.end }, left, yes, no);
        continue;
      }
      const right = this.expression(mine);
      left = this.node(
        { type: 'binary', operator: operator as Binary, left, right, position: left.position, end: right.end },
        left,
        right,
      );
      const next = this.token.type === 'value' ? undefined : POWER.get(this.token.text);
      if (mine === COMPARISON && next === COMPARISON)
        throw this.error('comparisons do not chain; write a < b && b < c');
    }
    this.level--;
    return left;
  }

  private prefix(): Node {
    const { token } = this;
    if (token.type === 'operator' && (token.text === '!' || token.text === '-')) {
      this.advance();
      const of = this.expression(UNARY);
      return this.node({ type: 'unary', operator: token.text, of, position: token.position, end: of.end }, of);
    }
    return this.postfix(this.primary());
  }

  private postfix(node: Node): Node {
    for (;;) {
      if (this.is('.')) {
        this.advance();
        const name = this.token;
        if (name.type !== 'name') throw this.error(`expected the name of a field after ".", not ${this.found()}`);
        this.advance();
        node = this.node(
          { type: 'field', of: node, name: name.text, nameAt: name.position, position: node.position, end: name.end },
          node,
        );
      } else if (this.is('[')) {
        this.advance();
        const index = this.expression(0);
        const close = this.take(']', 'after the index');
        node = this.node({ type: 'index', of: node, index, position: node.position, end: close.end }, node, index);
      } else return node;
    }
  }

  private primary(): Node {
    const { token } = this;
    const { position, end } = token;
    if (token.type === 'value') {
      this.advance();
      return this.node({ type: 'value', value: token.value, position, end });
    }
    if (token.type === 'name' && token.text !== 'in') {
      this.advance();
      if (this.is('(')) return this.call(token);
      const constant = token.text === 'true' ? true : token.text === 'false' ? false : undefined;
      if (constant !== undefined || token.text === 'null')
        return this.node({ type: 'value', value: constant ?? null, position, end });
      return this.node({ type: 'name', name: token.text, position, end });
    }
    if (this.is('(')) {
      this.advance();
      const inner = this.expression(0);
      const close = this.take(')', 'to close the bracket');
      return { ...inner, position, end: close.end };
    }
    if (this.is('[')) {
      this.advance();
      const items: Node[] = [];
      while (!this.is(']')) {
        items.push(this.expression(0));
        if (!this.is(']')) this.take(',', 'or "]" in the list');
      }
      const close = this.advance();
      return this.node({ type: 'list', items, position, end: close.end }, ...items);
    }
    throw this.error(`expected a value, not ${this.found()}`);
  }

  private call(name: Token): Node {
    this.advance();
    const args: Argument[] = [];
    while (!this.is(')')) {
      args.push(this.argument());
      if (!this.is(')')) this.take(',', `or ")" in the arguments of ${name.text.slice(0, 30)}()`);
    }
    const close = this.advance();
    return this.node(
      { type: 'call', name: name.text, nameEnd: name.end, args, position: name.position, end: close.end },
      ...args.map((a) => a.body),
    );
  }

  private argument(): Argument {
    const body = this.expression(0);
    if (!this.is('=>')) return { parameter: null, body };
    if (body.type !== 'name') throw this.error('expected one name before "=>", as in p => p.phase', body);
    this.advance();
    return { parameter: body.name, body: this.expression(0) };
  }
}

function hint(token: Token): string {
  switch (token.text.toLowerCase()) {
    case '(':
      return '; functions are written f(x), not x.f()';
    case 'and':
      return '; write && for and';
    case 'or':
      return '; write || for or';
    case 'is':
      return '; write == to compare';
    case 'not':
      return '; write ! for not';
    default:
      return '';
  }
}

/** The tree of a source. Throws an ExpressionError. */
export function parse(source: string): Node {
  if (source.length > MAX_SOURCE)
    throw new ExpressionError(
      `the expression has ${source.length} characters; it may have ${MAX_SOURCE}`,
      MAX_SOURCE,
      source.length,
    );
  return new Parser(new Lexer(source)).parse().node;
}
