export * from './parse.js';
export * from './types.js';
