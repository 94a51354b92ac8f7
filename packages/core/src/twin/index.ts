export * from './base/types.js';
export * from './hold/index.js';
