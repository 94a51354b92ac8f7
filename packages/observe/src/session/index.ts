/** An observed run as a debug session. */
export { type ObservedOptions, ObservedSession } from './observed-session.js';
