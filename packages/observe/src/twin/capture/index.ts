export * from './capture.js';
export * from './observe.js';
export * from './re-enacted.js';
