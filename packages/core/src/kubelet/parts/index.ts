export type { RuntimeContainer, RuntimePod } from '../container/types.js';
export * from './sources.js';
export * from './types.js';
