/**
 * The parts of the debugger that run in the kubelet's own process: pause, step and breakpoints. What answers questions
 * about records runs in the debugger's process; see live.ts.
 */

export * from './breakpoints/index.js';
export { answered, type CommandResult } from './protocol/backend.js';
export * from './protocol/commands.js';
export { parseCommand } from './protocol/messages.js';
export type { RunState, SessionInfo } from './protocol/protocol.js';
export { depthOf, goroutineOf, stepTest } from './run/stepping.js';
