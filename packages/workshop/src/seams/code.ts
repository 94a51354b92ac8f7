import type { Json } from '@syncloop/core/trace';

/** A mistake in a learner's code. `line` and `column` are from 1, or 0 if there is no such place. */
export interface CodeProblem {
  readonly kind: 'syntax' | 'exception' | 'steps' | 'memory' | 'stack' | 'missing' | 'shape';
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A line that the code printed. */
export interface CodeLog {
  readonly line: number;
  readonly text: string;
  /** The number of recorded lines before it; absent: none. */
  readonly after?: number;
}

/** A statement of the code that was next, with the variables that it saw. */
export interface CodeLine {
  readonly line: number;
  readonly column: number;
  /** '' at the top of the file. */
  readonly function: string;
  readonly variables: { readonly [name: string]: Json };
}

/** The output of a call, and the lines that it went through, if they were recorded. */
export interface CodeTrail {
  readonly logs: readonly CodeLog[];
  readonly lines: readonly CodeLine[];
  /** Lines that ran and are not recorded; absent: none. */
  readonly linesLeftOut?: number;
}

export type CodeResult = CodeTrail &
  ({ readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: CodeProblem });

/** Code that is loaded, with a memory of its own. The interpreter's `LearnerCode` is one. */
export interface LoadedCode {
  call(name: string, args: readonly Json[]): CodeResult;
  dispose(): void;
}

export interface CodeOptions {
  /** Records each statement that runs. */
  readonly trace?: boolean;
  /** The characters that these records may take in one call. */
  readonly traceBytes?: number;
}

/** Loads code, each time anew. The interpreter is one. */
export interface CodeLoader {
  load(code: { file: string; text: string }, options?: CodeOptions): LoadedCode | CodeProblem;
}

export const isProblem = (loaded: LoadedCode | CodeProblem): loaded is CodeProblem => 'kind' in loaded;

/** `file:line:column: message`, as compilers write it. */
export const problemText = ({ file, line, column, message }: CodeProblem): string =>
  line > 0 ? `${file}:${line}:${column}: ${message}` : `${file}: ${message}`;

/** A learner's code failed. */
export class PartError extends Error {
  override readonly name = 'PartError';
  constructor(readonly problem: CodeProblem) {
    super(problemText(problem));
  }
}

/** The line at which a function is declared; 1 if it is not found. */
export function lineOfFunction(text: string, name: string): number {
  const at = text.search(new RegExp(`\\b(function|const|let)\\s+${name}\\b`));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}
