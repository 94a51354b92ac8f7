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
}

export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly logs: readonly CodeLog[] }
  | { readonly ok: false; readonly problem: CodeProblem; readonly logs: readonly CodeLog[] };

/** Code that is loaded, with a memory of its own. The interpreter's `LearnerCode` is one. */
export interface LoadedCode {
  call(name: string, args: readonly Json[]): CodeResult;
  dispose(): void;
}

/** Loads code, each time anew. The interpreter is one. */
export interface CodeLoader {
  load(code: { file: string; text: string }): LoadedCode | CodeProblem;
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
