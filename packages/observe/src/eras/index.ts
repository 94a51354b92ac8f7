export { compareEras } from './compare.js';
export { comparingEras } from './session-tool.js';
export { inTwoEras } from './two-eras.js';
export * from './types.js';
