export type { Problem, ProblemKind } from '../language/index.js';
export { createInterpreter } from './interpreter.js';
export { LIMITS } from './limits.js';
export {
  type Interpreter,
  isProblem,
  type Json,
  type LearnerCode,
  type LearnerLog,
  type LearnerResult,
  type Limits,
  type LineStep,
  type LoadOptions,
} from './types.js';
