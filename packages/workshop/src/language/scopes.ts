import { child, children, isNode, type SyntaxNode } from './syntax.js';

/** The variables that a block, a function or a file declares. */
export interface Scope {
  outer: Scope | undefined;
  variables: readonly Variable[];
}

interface Variable {
  name: string;
  /** From this offset on it has a value. */
  from: number;
}

/** The scope of a node within another one: the same one if the node declares nothing. */
export function scopeOf(node: SyntaxNode, outer: Scope | undefined): Scope {
  const variables = declaredBy(node);
  return outer && variables.length === 0 ? outer : { outer, variables };
}

/** Names with a value at an offset, innermost first. */
export function declaredNames(scope: Scope, at: number): string[] {
  const names = new Set<string>();
  for (let now: Scope | undefined = scope; now; now = now.outer) {
    for (const { name, from } of now.variables) if (from <= at) names.add(name);
  }
  return [...names];
}

function declaredBy(node: SyntaxNode): Variable[] {
  switch (node.type) {
    case 'Program':
    case 'BlockStatement':
    case 'StaticBlock':
      return children(node, 'body').flatMap(ofStatement);
    case 'SwitchStatement':
      return children(node, 'cases').flatMap((one) => children(one, 'consequent').flatMap(ofStatement));
    case 'ForStatement':
      return ofStatement(child(node, 'init'));
    case 'ForInStatement':
    case 'ForOfStatement': {
      const body = child(node, 'body');
      return ofStatement(child(node, 'left')).map(({ name }) => ({ name, from: body?.start ?? node.end }));
    }
    case 'CatchClause':
      return namesOf(child(node, 'param')).map((name) => ({ name, from: node.start }));
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return children(node, 'params')
        .flatMap(namesOf)
        .filter((name) => name !== 'this')
        .map((name) => ({ name, from: node.start }));
    default:
      return [];
  }
}

/** Functions and classes are left out: they do not change. */
function ofStatement(statement: SyntaxNode | undefined): Variable[] {
  const inside = statement?.type === 'ExportNamedDeclaration' ? child(statement, 'declaration') : statement;
  if (inside?.type !== 'VariableDeclaration' || inside.declare === true) return [];
  return children(inside, 'declarations').flatMap((declarator) =>
    namesOf(child(declarator, 'id')).map((name) => ({ name, from: inside.end })),
  );
}

/** The names that a pattern declares. */
export function namesOf(pattern: SyntaxNode | undefined): string[] {
  if (!pattern) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name as string];
    case 'ObjectPattern':
      return children(pattern, 'properties').flatMap((property) =>
        namesOf(property.type === 'RestElement' ? property : child(property, 'value')),
      );
    case 'ArrayPattern':
      return (pattern.elements as unknown[]).filter(isNode).flatMap(namesOf);
    case 'AssignmentPattern':
      return namesOf(child(pattern, 'left'));
    case 'RestElement':
      return namesOf(child(pattern, 'argument'));
    default:
      return [];
  }
}
