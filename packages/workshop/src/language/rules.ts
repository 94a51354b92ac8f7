import { inWords, type Message, message } from '../messages/index.js';
import { child, children, childrenOf, type SyntaxNode } from './syntax.js';

/** A mistake at an offset of the text. */
export class ProblemAt extends Error {
  constructor(
    readonly says: Message,
    readonly offset: number,
  ) {
    super(inWords(says, 'en'));
  }
}

/** Names that belong to what is inserted. */
export const RESERVED = '$syncloop';

/** Throws `ProblemAt` for the first thing that a function of its input cannot use. */
export function checkRules(node: SyntaxNode): void {
  const says = broken(node);
  if (says !== undefined) throw new ProblemAt(says, node.start);
  for (const below of childrenOf(node)) if (!below.type.startsWith('TS') || hasCode(below)) checkRules(below);
}

/** Expressions of TypeScript have code in them; types have none. */
const hasCode = (node: SyntaxNode) => /Expression$|Assertion$/.test(node.type);

function broken(node: SyntaxNode): Message | undefined {
  const { async: isAsync, await: isAwaited } = node;
  if (isAsync === true || isAwaited === true || node.type === 'AwaitExpression') {
    return message('async');
  }
  if (typeof node.bigint === 'string') return message('bigint');
  if (node.type === 'ImportDeclaration' && !isTypes(node)) {
    return message('import');
  }
  if (node.type === 'ImportExpression' || node.type === 'MetaProperty' || node.type === 'ExportAllDeclaration') {
    return message('oneFile');
  }
  if (node.type === 'ExportNamedDeclaration' && child(node, 'source') && node.exportKind !== 'type') {
    return message('exportFrom');
  }
  if (node.type === 'ExportDefaultDeclaration') {
    const declaration = child(node, 'declaration');
    if (!/^(?:Function|Class)Declaration$/.test(declaration?.type ?? '') || !child(declaration as SyntaxNode, 'id')) {
      return message('exportName');
    }
  }
  if (node.type === 'ThrowStatement' && child(node, 'argument')?.raw === 'null') {
    return message('throwNull');
  }
  if (children(node, 'decorators').length > 0) return message('decorators');
  if (node.type === 'Identifier' && typeof node.name === 'string' && node.name.startsWith(RESERVED)) {
    return message('reserved', { name: RESERVED });
  }
  return undefined;
}

function isTypes(node: SyntaxNode): boolean {
  const specifiers = children(node, 'specifiers');
  return node.importKind === 'type' || (specifiers.length > 0 && specifiers.every((s) => s.importKind === 'type'));
}
