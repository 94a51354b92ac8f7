import { child, children, childrenOf, type SyntaxNode } from './syntax.js';

/** A mistake at an offset of the text. */
export class ProblemAt extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Names that belong to what is inserted. */
export const RESERVED = '$syncloop';

/** Throws `ProblemAt` for the first thing that a function of its input cannot use. */
export function checkRules(node: SyntaxNode): void {
  const message = broken(node);
  if (message !== undefined) throw new ProblemAt(message, node.start);
  for (const below of childrenOf(node)) if (!below.type.startsWith('TS') || hasCode(below)) checkRules(below);
}

/** Expressions of TypeScript have code in them; types have none. */
const hasCode = (node: SyntaxNode) => /Expression$|Assertion$/.test(node.type);

function broken(node: SyntaxNode): string | undefined {
  const { async: isAsync, await: isAwaited } = node;
  if (isAsync === true || isAwaited === true || node.type === 'AwaitExpression') {
    return 'async and await have nothing to wait for: the function returns its result at once. Remove the word.';
  }
  if (typeof node.bigint === 'string') return 'There are no BigInt numbers here. Write the number without n.';
  if (node.type === 'ImportDeclaration' && !isTypes(node)) {
    return 'There is nothing to import: the types of the stage are known without it. Remove the line.';
  }
  if (node.type === 'ImportExpression' || node.type === 'MetaProperty' || node.type === 'ExportAllDeclaration') {
    return 'There is nothing to import or export from: the code is one file.';
  }
  if (node.type === 'ExportNamedDeclaration' && child(node, 'source') && node.exportKind !== 'type') {
    return 'There is nothing to export from: the code is one file.';
  }
  if (node.type === 'ExportDefaultDeclaration') {
    const declaration = child(node, 'declaration');
    if (!/^(?:Function|Class)Declaration$/.test(declaration?.type ?? '') || !child(declaration as SyntaxNode, 'id')) {
      return 'What is exported needs its name. Write: export function name(...) { ... }';
    }
  }
  if (node.type === 'ThrowStatement' && child(node, 'argument')?.raw === 'null') {
    return 'null says nothing about what went wrong. Throw an error: throw new Error("...").';
  }
  if (children(node, 'decorators').length > 0) return 'There are no decorators here. Call the function instead.';
  if (node.type === 'Identifier' && typeof node.name === 'string' && node.name.startsWith(RESERVED)) {
    return `Names that begin with ${RESERVED} are taken. Use another name.`;
  }
  return undefined;
}

function isTypes(node: SyntaxNode): boolean {
  const specifiers = children(node, 'specifiers');
  return node.importKind === 'type' || (specifiers.length > 0 && specifiers.every((s) => s.importKind === 'type'));
}
