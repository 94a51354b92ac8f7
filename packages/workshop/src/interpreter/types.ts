import type { Json } from '@syncloop/core/trace';
import type { Problem } from '../language/problem.js';

export type { Json, Problem };

/** The most that one call of a learner's code may cost. */
export interface Limits {
  /** Turns of loops and calls of functions. */
  steps: number;
  /** All that the code keeps, with the interpreter's own 200 KB. */
  memoryBytes: number;
  stackBytes: number;
  /** The text of `console.log`; what is beyond is left out, and the last line says so. */
  logBytes: number;
  /** The result as JSON. */
  resultBytes: number;
  /** Time that a call may take, whatever its steps: single operations differ in what they cost. */
  millis: number;
}

/** A line that the code printed. */
export interface LearnerLog {
  /** From 1; 0 if not known. */
  line: number;
  text: string;
  /** The number of lines that were recorded before it; absent if there is none. */
  after?: number;
}

/** The moment before a statement runs. Only with `trace: true`. */
export interface LineStep {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** Name of the function that the statement belongs to; empty for the top of the file. */
  function: string;
  /** The variables that have a value there, innermost first; long values are shortened. */
  variables: Record<string, Json>;
}

export type LearnerResult = (
  | { ok: true; value: Json; logs: LearnerLog[]; lines: LineStep[] }
  | { ok: false; problem: Problem; logs: LearnerLog[]; lines: LineStep[] }
) & {
  /** Lines that ran but are not recorded, because there were too many before them; absent if there is none. */
  linesLeftOut?: number;
};

/** Code that is loaded, with an interpreter's memory of its own: top-level variables last from call to call. */
export interface LearnerCode {
  /** Names of what can be called: the functions at the top of the file, exported or not. */
  readonly functions: readonly string[];
  /**
   * Calls a function with copies of the arguments. After a problem of kind steps, memory or stack, each further call
   * answers with the same problem, because the code was stopped in the middle.
   */
  call(name: string, args: readonly Json[]): LearnerResult;
  dispose(): void;
}

export interface LoadOptions {
  limits?: Partial<Limits>;
  /** Records each statement that runs, with its variables: slower. */
  trace?: boolean;
  /** The characters that records of lines may take in one call; what is beyond is left out. */
  traceBytes?: number;
}

/** Loads code. Each code has a memory of its own. */
export interface Interpreter {
  load(code: { file: string; text: string }, options?: LoadOptions): LearnerCode | Problem;
}

/** Tells what `load` returned. */
export function isProblem<T extends object>(loaded: T | Problem): loaded is Problem {
  return 'kind' in loaded;
}
