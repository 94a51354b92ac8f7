export type * from './records.js';
export * from './state.js';
