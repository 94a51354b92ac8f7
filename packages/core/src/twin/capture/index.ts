export * from './capture.js';
export * from './observe.js';
