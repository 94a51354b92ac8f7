import { message } from '../messages/index.js';
import { eraseTypes } from './erase.js';
import { type Insert, instrument, type Stop } from './instrument.js';
import { makeProblem, type Problem } from './problem.js';
import { checkRules, ProblemAt } from './rules.js';
import { namesOf } from './scopes.js';
import { child, children, parse, placeOf, type Syntax, type SyntaxNode } from './syntax.js';

/** A learner's code as JavaScript that can be run and counted. */
export interface Prepared {
  /** JavaScript. Each line has the number that it had; columns are found with `columnOf`. */
  code: string;
  /** The functions, classes and variables at the top of the file, by the name under which they can be called. */
  names: ReadonlyMap<string, string>;
  /** The places of records of lines, by their number. */
  stops: readonly Stop[];
  /** The column in the file as it was written, of one in `code`; all from 1. */
  columnOf(line: number, column: number): number;
}

export interface PrepareOptions {
  /** Records each statement that runs. */
  trace?: boolean;
  /** The text before the code, on its first line, and behind it, on lines of its own. */
  around?: (names: ReadonlyMap<string, string>) => { before: string; behind: string };
}

/** Makes JavaScript of TypeScript: types erased with all positions kept, and counts inserted. */
export function prepare(file: string, text: string, options: PrepareOptions = {}): Prepared | Problem {
  const syntax = parse(file, text);
  if ('kind' in syntax) return syntax;
  try {
    checkRules(syntax.program);
    // Inserts first: erasing moves brackets of arrows in the tree.
    const { inserts, stops } = instrument(syntax, options.trace === true);
    const erased = eraseTypes(syntax).split('');
    const names = exported(syntax, erased);
    const around = options.around?.(names) ?? { before: '', behind: '' };
    const all = [{ at: -1, text: around.before, closes: true }, ...inserts];
    const sorted = all
      .map((insert, index) => ({ ...insert, index }))
      .sort((a, b) => a.at - b.at || Number(b.closes) - Number(a.closes) || a.index - b.index);
    const pieces: string[] = [];
    let last = 0;
    for (const { at, text: inserted } of sorted) {
      pieces.push(erased.slice(last, Math.max(at, 0)).join(''), inserted);
      last = Math.max(at, 0);
    }
    pieces.push(erased.slice(last).join(''), around.behind);
    return { code: pieces.join(''), names, stops, columnOf: columnsOf(text, sorted) };
  } catch (error) {
    if (error instanceof ProblemAt) {
      return makeProblem('syntax', error.says, file, placeOf(text, error.offset));
    }
    if (!(error instanceof RangeError)) throw error;
    return makeProblem('syntax', message('nested'), file);
  }
}

/** Erases the words of exports, and returns what can be called: exported and top-level names. */
function exported({ program }: Syntax, out: string[]): Map<string, string> {
  const names = new Map<string, string>();
  const blank = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (out[at] !== '\n') out[at] = ' ';
  };
  for (const statement of children(program, 'body')) {
    const declaration = /^Export/.test(statement.type) ? child(statement, 'declaration') : statement;
    for (const name of declaration ? declared(declaration) : []) names.set(name, name);
    if (declaration && declaration !== statement) blank(statement.start, declaration.start);
    if (declaration || statement.type !== 'ExportNamedDeclaration') continue;
    for (const specifier of children(statement, 'specifiers')) {
      const [local, as] = [child(specifier, 'local')?.name, child(specifier, 'exported')?.name];
      if (typeof local === 'string' && typeof as === 'string' && specifier.exportKind !== 'type') names.set(as, local);
    }
    blank(statement.start, statement.end);
  }
  return names;
}

function declared(statement: SyntaxNode): string[] {
  if (statement.declare === true) return [];
  if (statement.type === 'VariableDeclaration') {
    return children(statement, 'declarations').flatMap((one) => namesOf(child(one, 'id')));
  }
  const isNamed = statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration';
  return isNamed ? namesOf(child(statement, 'id')) : [];
}

/** Finds columns again, past what was inserted on their line. */
function columnsOf(text: string, sorted: readonly Insert[]): Prepared['columnOf'] {
  const byLine = new Map<number, { column: number; length: number }[]>();
  for (const insert of sorted) {
    const { line, column } = placeOf(text, Math.max(insert.at, 0));
    const list = byLine.get(line) ?? [];
    list.push({ column, length: insert.text.length });
    byLine.set(line, list);
  }
  return (line, column) => {
    let inserted = 0;
    for (const insert of byLine.get(line) ?? []) {
      // `column` within what was inserted is the place at which it was.
      if (insert.column + inserted > column) break;
      inserted += Math.min(insert.length, column - insert.column - inserted);
    }
    return Math.max(1, column - inserted);
  };
}
