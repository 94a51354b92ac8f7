export * from './bytes.js';
export * from './duration.js';
export * from './hash.js';
export { oldestKey } from './oldest.js';
export * from './own.js';
export * from './path.js';
export * from './quantity.js';
export { countBefore } from './search.js';
