/** What serving a live node needs of the debugger: no simulation, no mock runtime, no scenarios, which would be loaded for nothing. */
export * from './backend.js';
export * from './breakpoints/index.js';
export { isLooking, isQuery } from './is-query.js';
export { MAX_TEXT, ProtocolError, parseClientMessage, parseCommand } from './messages.js';
export * from './protocol.js';
export { answerQuery } from './queries.js';
export * from './record-store.js';
export * from './server.js';
export { depthOf, goroutineOf, type StepOptions, type StepTest, stepTest } from './stepping.js';
