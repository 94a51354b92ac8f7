import { inWords, type Message } from '../messages/index.js';

/** Why a learner's code did not load, or stopped. */
export type ProblemKind = 'syntax' | 'exception' | 'steps' | 'memory' | 'stack' | 'missing' | 'shape';

/** A mistake in a learner's code, at a place of the code as it was written. */
export interface Problem {
  kind: ProblemKind;
  /** A plain sentence in English, without the place. */
  message: string;
  /** The same, to be said in any language. */
  says: Message;
  file: string;
  /** From 1; 1 if no line is known. */
  line: number;
  /** From 1; 1 if no column is known. */
  column: number;
}

/** A place in a file; both from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

export const makeProblem = (
  kind: ProblemKind,
  says: Message,
  file: string,
  at: Place = { line: 1, column: 1 },
): Problem => ({
  kind,
  message: inWords(says, 'en'),
  says,
  file,
  line: at.line,
  column: at.column,
});
