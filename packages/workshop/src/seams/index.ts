export * from './code.js';
export { makePartsWith } from './make-parts.js';
export { type Answer, callSeam, type Seam } from './seam.js';
export { type PartOutput, seamOf, seams } from './seams.js';
