export { type CompareOptions, compare } from './compare.js';
export { coverageOf } from './coverage.js';
export { decisionsOf } from './decisions.js';
