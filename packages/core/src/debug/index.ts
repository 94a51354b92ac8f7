export * from './backend.js';
export * from './client.js';
export { MAX_TEXT, ProtocolError, parseClientMessage, parseCommand } from './messages.js';
export * from './protocol.js';
export * from './record-store.js';
export { simulationSource } from './scenario-source.js';
export * from './server.js';
export * from './session.js';
export * from './simulation.js';
