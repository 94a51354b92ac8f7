/**
 * What serving a live node needs of the debugger: no simulation, no mock runtime, no scenarios, which would be loaded
 * for nothing.
 */

export * from './base/record-store.js';
export * from './breakpoints/index.js';
export * from './protocol/backend.js';
export * from './protocol/capabilities.js';
export * from './protocol/commands.js';
export { ProtocolError, parseClientMessage, parseCommand } from './protocol/messages.js';
export * from './protocol/protocol.js';
export * from './protocol/server.js';
export { depthOf, goroutineOf, type StepOptions, type StepTest, stepTest } from './run/stepping.js';
export { ObservedSession } from './session/observed-session.js';
export { answerQuery } from './session/queries.js';
