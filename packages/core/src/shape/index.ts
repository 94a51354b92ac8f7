export * from './json.js';
export * from './problem.js';
export * from './reader.js';
export * from './shape.js';
export * from './time.js';
