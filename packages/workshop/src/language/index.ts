export { LINE, SPREAD, type Stop, TICK } from './instrument.js';
export { type Prepared, type PrepareOptions, prepare } from './prepare.js';
export type { Problem, ProblemKind } from './problem.js';
