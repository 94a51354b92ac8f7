/** Why a learner's code did not load, or stopped. */
export type ProblemKind = 'syntax' | 'exception' | 'steps' | 'memory' | 'stack' | 'missing' | 'shape';

/** A mistake in a learner's code, at a place of the code as it was written. */
export interface Problem {
  kind: ProblemKind;
  /** A plain sentence, without the place. */
  message: string;
  file: string;
  /** From 1; 1 if no line is known. */
  line: number;
  /** From 1; 1 if no column is known. */
  column: number;
}
