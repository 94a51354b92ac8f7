/** An observed run as a debug session. */
export { All, type Kept } from './kept.js';
export { type ObservedOptions, ObservedSession } from './observed-session.js';
