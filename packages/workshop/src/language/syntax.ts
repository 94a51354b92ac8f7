import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type Comment, Parser } from 'acorn';
import { message, parsedMessage } from '../messages/index.js';
import { makeProblem, type Problem } from './problem.js';

/** A node of the syntax tree (ESTree, with the nodes of TypeScript that begin with `TS`). */
export interface SyntaxNode {
  type: string;
  /** Offset of its first character. */
  start: number;
  /** Offset behind its last character. */
  end: number;
  [key: string]: unknown;
}

/** A file that is read: its text, its tree and its comments. */
export interface Syntax {
  file: string;
  text: string;
  program: SyntaxNode;
  comments: readonly Comment[];
}

const TypeScript = Parser.extend(tsPlugin());

/** The longest file that is read, in characters. */
export const LONGEST_FILE = 100_000;

/** Reads a file of TypeScript. Returns the first mistake if it cannot be read. */
export function parse(file: string, text: string): Syntax | Problem {
  if (text.length > LONGEST_FILE) {
    return makeProblem('syntax', message('tooLong', { length: text.length, most: LONGEST_FILE }), file);
  }
  const comments: Comment[] = [];
  try {
    const options = { ecmaVersion: 2023, sourceType: 'module', locations: true, onComment: comments } as const;
    return { file, text, program: TypeScript.parse(text, options) as unknown as SyntaxNode, comments };
  } catch (error) {
    if (!(error instanceof SyntaxError) || /stack space/.test(error.message)) {
      // Brackets nested too deep overflow the parser's own stack.
      return makeProblem('syntax', message('nested'), file);
    }
    const { loc } = error as SyntaxError & { loc?: { line: number; column: number } };
    const says = parsedMessage(`${error.message.replace(/\s*\(\d+:\d+\)$/, '')}.`);
    return makeProblem('syntax', says, file, { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 });
  }
}

/** Line and column, both from 1, of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** The nodes directly below a node, in the order of the text. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc') continue;
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter(isNode));
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The child of that name, if it has one. */
export function child(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

/** The children of a list; holes are left out. */
export function children(node: SyntaxNode, key: string): SyntaxNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}
