export type { LeftOut } from '../base/types.js';
export type { Beginning } from './beginning.js';
export { LiveTwin } from './live-twin.js';
export { comparable, type MidLifeRun, runFromMidLife } from './mid-life.js';
export type * from './types.js';
