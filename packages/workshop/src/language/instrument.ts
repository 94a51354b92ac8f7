import { RESERVED } from './rules.js';
import { declaredNames, type Scope, scopeOf } from './scopes.js';
import { child, children, childrenOf, placeOf, type Syntax, type SyntaxNode } from './syntax.js';

/** Counts a turn of a loop or a call. Of the interpreter's prelude, as the two below. */
export const TICK = `${RESERVED}Tick`;
/** Takes what is spread, and counts its entries. */
export const SPREAD = `${RESERVED}Spread`;
/** Records that a statement is next. */
export const LINE = `${RESERVED}Line`;

/** A place at which a run of the code can stop: before a statement. */
export interface Stop {
  line: number;
  column: number;
  function: string;
}

/** Text that is put into a file. It has no line breaks, so each line keeps its number. */
export interface Insert {
  at: number;
  text: string;
  /** Closes what began further up: it stands before what begins at the same place. */
  closes: boolean;
}

const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Statements at which nothing happens by itself. */
const SILENT = new Set(['FunctionDeclaration', 'ClassDeclaration', 'EmptyStatement', 'BlockStatement']);

/**
 * Finds what is put into a learner's code: a count in each loop and each function, so that no loop is endless; a count
 * of what is spread, which is a loop without turns; with `trace`, a record before each statement.
 */
export function instrument(syntax: Syntax, trace: boolean): { inserts: Insert[]; stops: Stop[] } {
  const instrumenter = new Instrumenter(syntax, trace);
  instrumenter.node(syntax.program, scopeOf(syntax.program, undefined), '');
  return { inserts: instrumenter.inserts, stops: instrumenter.stops };
}

class Instrumenter {
  readonly inserts: Insert[] = [];
  readonly stops: Stop[] = [];
  private readonly text: string;
  private readonly trace: boolean;
  /** Statements around which a block was opened. */
  private readonly blocks = new Set<SyntaxNode>();

  constructor(syntax: Syntax, trace: boolean) {
    // In a comment an arrow could stand.
    let text = syntax.text;
    for (const { start, end } of syntax.comments)
      text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
    this.text = text;
    this.trace = trace;
  }

  node(node: SyntaxNode, scope: Scope, name: string): void {
    this.visit(node, scope, name);
    if (this.blocks.has(node)) this.close(node.end, '}');
  }

  private visit(node: SyntaxNode, scope: Scope, name: string): void {
    if (node.type.startsWith('TS') && !/Expression$|Assertion$/.test(node.type)) return;
    if (node.declare === true) return;
    if (FUNCTIONS.has(node.type)) {
      this.function(node, scope, name);
      return;
    }
    const inner = scopeOf(node, scope);
    if (LOOPS.has(node.type)) this.body(child(node, 'body'), inner, name, `${TICK}();`);
    if (node.type === 'IfStatement') {
      this.body(child(node, 'consequent'), inner, name, '');
      const otherwise = child(node, 'alternate');
      if (otherwise?.type !== 'IfStatement') this.body(otherwise, inner, name, '');
    }
    if (node.type === 'SpreadElement') {
      this.insert(node.start + 3, `${SPREAD}(`);
      this.nodes(node, inner, name);
      this.close(node.end, ')');
      return;
    }
    if (this.trace) this.statements(node, inner, name);
    this.nodes(node, inner, name);
  }

  private nodes(node: SyntaxNode, scope: Scope, name: string): void {
    for (const below of childrenOf(node)) this.node(below, scope, nameOf(node, below) ?? name);
  }

  private function(node: SyntaxNode, scope: Scope, given: string): void {
    const id = child(node, 'id');
    const name = typeof id?.name === 'string' ? id.name : given;
    const inner = scopeOf(node, scope);
    const body = child(node, 'body');
    if (!body) return;
    for (const parameter of children(node, 'params')) this.node(parameter, inner, name);
    if (body.type === 'BlockStatement') {
      this.insert(body.start + 1, `${TICK}();`);
      const block = scopeOf(body, inner);
      if (this.trace) this.statements(body, block, name);
      this.nodes(body, block, name);
      return;
    }
    const arrow = this.text.lastIndexOf('=>', body.start) + 2;
    this.insert(arrow, `(${TICK}(),${this.trace ? `${this.stop(body, inner, name)},` : ''}`);
    this.node(body, inner, name);
    this.close(node.end, ')');
  }

  /** A body that is one statement becomes a block. */
  private body(body: SyntaxNode | undefined, scope: Scope, name: string, first: string): void {
    if (!body) return;
    if (body.type === 'BlockStatement') {
      if (first) this.insert(body.start + 1, first);
      return;
    }
    const stop = this.trace && !SILENT.has(body.type) ? `${this.stop(body, scope, name)};` : '';
    if (!first && !stop) return;
    this.insert(body.start, `{${first}${stop}`);
    this.blocks.add(body);
  }

  private statements(node: SyntaxNode, scope: Scope, name: string): void {
    const list = node.type === 'SwitchCase' ? children(node, 'consequent') : children(node, 'body');
    if (!/^(?:Program|BlockStatement|SwitchCase|StaticBlock)$/.test(node.type)) return;
    for (const statement of list) {
      const inside = /^Export/.test(statement.type) ? child(statement, 'declaration') : statement;
      if (!inside || SILENT.has(inside.type) || inside.type.startsWith('TS') || inside.declare === true) continue;
      if (/^(?:Import|Export)/.test(inside.type)) continue;
      this.insert(statement.start, `${this.stop(inside, scope, name)};`);
    }
  }

  /** A call that records this place, with the variables that are in scope and declared before it. */
  private stop(node: SyntaxNode, scope: Scope, name: string): string {
    const place = placeOf(this.text, node.start);
    this.stops.push({ ...place, function: name });
    const getters = declaredNames(scope, node.start).map((variable) => `get ${variable}(){return ${variable}}`);
    return `${LINE}(${this.stops.length - 1},{${getters.join(',')}})`;
  }

  private insert(at: number, text: string): void {
    this.inserts.push({ at, text, closes: false });
  }

  private close(at: number, text: string): void {
    this.inserts.push({ at, text, closes: true });
  }
}

/** The name that a function has from where it stands: `const f = () => 1`, `{ f() {} }`. */
function nameOf(parent: SyntaxNode, below: SyntaxNode): string | undefined {
  const holder = parent.type === 'VariableDeclarator' ? child(parent, 'id') : child(parent, 'key');
  if (!holder || below === holder || typeof holder.name !== 'string') return undefined;
  return FUNCTIONS.has(below.type) ? holder.name : undefined;
}
