export * from './base/types.js';
