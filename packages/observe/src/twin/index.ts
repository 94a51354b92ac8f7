export * from './base/types.js';
export * from './compare/index.js';
export * from './make/index.js';
