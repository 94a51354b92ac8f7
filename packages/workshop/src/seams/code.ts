import type { LearnerCode, LearnerResult, LoadOptions, Problem } from '../interpreter/types.js';
import { inWords } from '../messages/index.js';

/** Code that is loaded, with a memory of its own. */
export type LoadedCode = Pick<LearnerCode, 'call' | 'dispose'>;

/** The output of a call, and the lines that it went through, if they were recorded. */
export type CodeTrail = Pick<LearnerResult, 'logs' | 'lines' | 'linesLeftOut'>;

/** How lines are recorded. */
export type CodeOptions = Pick<LoadOptions, 'trace' | 'traceBytes'>;

/** Loads code; each call loads it again. The interpreter is one. */
export interface CodeLoader {
  load(code: { file: string; text: string }, options?: CodeOptions): LoadedCode | Problem;
}

/** `file:line:column: message`, as compilers write it. */
export const problemText = ({ file, line, column, message }: Problem): string =>
  `${file}:${line}:${column}: ${message}`;

/** The same in the languages of the page, without the full stop, for a sentence around it. */
export const localProblem = (problem: Problem): { readonly en: string; readonly zh: string } => {
  const { file, line, column, says } = problem;
  const zh = `${file}:${line}:${column}：${inWords(says, 'zh')}`;
  return { en: problemText(problem).replace(/\.$/, ''), zh: zh.replace(/[.。]$/, '') };
};

/** A learner's code failed. */
export class PartError extends Error {
  override readonly name = 'PartError';
  constructor(readonly problem: Problem) {
    super(problemText(problem));
  }
}

/** The line at which a function is declared; 1 if it is not found. */
export function lineOfFunction(text: string, name: string): number {
  const at = text.search(new RegExp(`\\b(function|const|let)\\s+${name}\\b`));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}
