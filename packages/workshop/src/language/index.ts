export { LINE, SPREAD, type Stop, TICK } from './instrument.js';
export { type Prepared, type PrepareOptions, prepare } from './prepare.js';
export { makeProblem, type Problem, type ProblemKind } from './problem.js';
