export * from './base/types.js';
export * from './hold/index.js';
export * from './make/index.js';
