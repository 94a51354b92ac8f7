export type { Beginning, LeftOut } from './beginning.js';
export { LiveTwin } from './live-twin.js';
export { type BegunRun, begunRun, comparable } from './mid-life.js';
export type * from './types.js';
