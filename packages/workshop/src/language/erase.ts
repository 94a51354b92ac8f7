import { type MessageKey, message } from '../messages/index.js';
import { ProblemAt } from './rules.js';
import { child, children, childrenOf, type Syntax, type SyntaxNode } from './syntax.js';

/** Expressions with a type behind them (`x as T`, `x!`), and one before (`<T>x`). */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSInstantiationExpression']);
/** Constructs that are not only types, but code: Node and browsers do not erase it either. */
const CODE: Readonly<Record<string, MessageKey>> = {
  TSEnumDeclaration: 'enum',
  TSModuleDeclaration: 'namespace',
  TSParameterProperty: 'parameterProperty',
  TSImportEqualsDeclaration: 'importEquals',
  TSExportAssignment: 'exportEquals',
};
/** Statements that end at a line's end if no semicolon does. */
const ENDED = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
  'PropertyDefinition',
]);
const MODIFIERS = /\b(?:public|private|protected|readonly|override|abstract|declare)\b/g;

/**
 * Replaces all types of a file with spaces, so that each line and each column stays as it is: what remains is
 * JavaScript. Throws `ProblemAt` for what is not only a type.
 */
export function eraseTypes(syntax: Syntax): string {
  const eraser = new Eraser(syntax.text);
  eraser.node(syntax.program);
  return eraser.out.join('');
}

class Eraser {
  readonly out: string[];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.out = text.split('');
  }

  node(node: SyntaxNode): void {
    const reason = CODE[node.type];
    if (reason !== undefined && node.declare !== true) throw new ProblemAt(message(reason), node.start);
    if (TYPED.has(node.type)) {
      this.typed(node);
      return;
    }
    if (node.type === 'TSTypeAssertion') {
      const expression = child(node, 'expression') as SyntaxNode;
      this.blank(node.start, expression.start);
      this.node(expression);
      return;
    }
    if (isTypeOnly(node)) {
      this.statement(node);
      return;
    }
    if (node.type.startsWith('TS')) {
      this.blank(node.start, node.end);
      return;
    }
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ImportDeclaration') this.specifiers(node);
    this.modifiers(node);
    this.marks(node);
    if (node.type === 'ArrowFunctionExpression') this.arrow(node);
    const heads = [child(node, 'init'), child(node, 'left')];
    for (const below of childrenOf(node)) {
      this.node(below);
      // The head of a loop has semicolons of its own.
      if (!heads.includes(below)) this.semicolon(below);
    }
  }

  /** A statement that is only a type leaves a semicolon, or the next line could continue the one before. */
  private statement(node: SyntaxNode): void {
    this.blank(node.start, node.end);
    this.out[node.start] = ';';
  }

  private typed(node: SyntaxNode): void {
    const expression = child(node, 'expression') as SyntaxNode;
    this.node(expression);
    // Brackets around the expression stay: `(a) as T`.
    let at = expression.end;
    for (;;) {
      const gap = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*\)/.exec(this.text.slice(at, node.end));
      if (!gap) break;
      at += gap[0].length;
    }
    this.blank(at, node.end);
  }

  /** A statement whose types reached its end, without a semicolon there, gets one in the first erased place. */
  private semicolon(node: SyntaxNode): void {
    if (
      !ENDED.has(node.type) ||
      this.text[node.end - 1] === ';' ||
      this.out[node.end - 1] === this.text[node.end - 1]
    ) {
      return;
    }
    let at = node.end - 1;
    while (at > node.start && /\s/.test(this.out[at - 1] as string)) at--;
    this.out[at] = ';';
  }

  /** `import { type A }` and `export { type A }`, where others are values. */
  private specifiers(node: SyntaxNode): void {
    for (const specifier of children(node, 'specifiers')) {
      if (specifier.importKind !== 'type' && specifier.exportKind !== 'type') continue;
      const comma = /^\s*,/.exec(this.text.slice(specifier.end));
      this.blank(specifier.start, specifier.end + (comma?.[0].length ?? 0));
    }
  }

  /** `private readonly`, `abstract class`, `implements X`. */
  private modifiers(node: SyntaxNode): void {
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      if (node.abstract === true) this.keywords(node.start, this.text.indexOf('class', node.start));
      const first = children(node, 'implements')[0];
      const body = child(node, 'body') as SyntaxNode;
      if (first) this.blank(this.text.lastIndexOf('implements', first.start), body.start);
    }
    if (node.type !== 'PropertyDefinition' && node.type !== 'MethodDefinition') return;
    const key = child(node, 'key') as SyntaxNode;
    this.keywords(node.start, key.start);
    // `private ['a']` and `private *a` would continue the line before.
    if (this.out[node.start] === ' ' && node.static !== true) this.out[node.start] = ';';
  }

  private keywords(from: number, to: number): void {
    for (const found of this.text.slice(from, to).matchAll(MODIFIERS)) {
      this.blank(from + found.index, from + found.index + found[0].length);
    }
  }

  /** `a?: T`, `a!: T`, and a parameter `this`. */
  private marks(node: SyntaxNode): void {
    if (node.optional === true || node.definite === true) {
      const named =
        node.type === 'PropertyDefinition' || node.type === 'MethodDefinition' ? child(node, 'key') : undefined;
      const isPattern = node.type === 'Identifier' || node.type.endsWith('Pattern');
      if (named || isPattern || node.type === 'VariableDeclarator') {
        const from = named?.end ?? (typeof node.name === 'string' ? node.start + node.name.length : node.start);
        const to = child(node, 'typeAnnotation')?.start ?? child(child(node, 'id') ?? node, 'typeAnnotation')?.start;
        this.mark(from, to ?? from + 80);
      }
    }
    const first = children(node, 'params')[0];
    if (first?.type !== 'Identifier' || first.name !== 'this') return;
    const comma = /^\s*,/.exec(this.text.slice(first.end));
    this.blank(first.start, first.end + (comma?.[0].length ?? 0));
  }

  private mark(from: number, to: number): void {
    const found = this.text.slice(from, to).search(/[?!]/);
    if (found >= 0) this.blank(from + found, from + found + 1);
  }

  /** The arrow stands on the line of the closing bracket: a type over several lines moves the bracket down. */
  private arrow(node: SyntaxNode): void {
    const type = child(node, 'returnType');
    if (!type) return;
    const body = child(node, 'body') as SyntaxNode;
    const arrow = this.text.indexOf('=>', type.end);
    const bracket = this.text.lastIndexOf(')', type.start);
    if (!this.text.slice(bracket, Math.min(arrow, body.start)).includes('\n')) return;
    this.out[bracket] = ' ';
    // Set after the type is erased, which its node does later: the place behind it is a space or the arrow itself.
    this.blank(type.start, type.end);
    this.out[type.end - 1] = ')';
    node.returnType = undefined;
  }

  private blank(from: number, to: number): void {
    for (let at = from; at < to; at++) if (this.out[at] !== '\n' && this.out[at] !== '\r') this.out[at] = ' ';
  }
}

/** Statements and class members that are gone without their types. */
function isTypeOnly(node: SyntaxNode): boolean {
  if (node.declare === true) return true;
  if (/^TS(?:Interface|TypeAlias)Declaration$|^TSDeclareFunction$|^TSIndexSignature$/.test(node.type)) return true;
  if (node.type === 'ImportDeclaration') {
    const specifiers = children(node, 'specifiers');
    return node.importKind === 'type' || (specifiers.length > 0 && specifiers.every((s) => s.importKind === 'type'));
  }
  if (node.type === 'ExportNamedDeclaration') {
    const declaration = child(node, 'declaration');
    return node.exportKind === 'type' || (declaration !== undefined && isTypeOnly(declaration));
  }
  if (node.type === 'PropertyDefinition' || node.type === 'MethodDefinition') {
    return node.abstract === true || child(node, 'value')?.type.startsWith('TSDeclare') === true;
  }
  return /^TSAbstract/.test(node.type);
}
