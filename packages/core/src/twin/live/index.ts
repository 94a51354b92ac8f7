export type { LeftOut } from './beginning.js';
export { LiveTwin } from './live-twin.js';
export type * from './types.js';
