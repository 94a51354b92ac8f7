export { coverageOf } from './coverage.js';
export { decisionsOf } from './decisions.js';
export { type HoldOptions, hold } from './hold.js';
