/**
 * The parts of the debugger that a live node needs: no simulation, no mock runtime, no scenarios, which would be loaded
 * for nothing.
 */

export * from './base/record-store.js';
export type { Work } from './base/work.js';
export * from './breakpoints/index.js';
export { type Density, DensityFold, type Found, type RunWindow } from './density/index.js';
export { Findings, KubeletSeen, OverviewFold } from './findings/index.js';
export { Incidents, type IncidentsAnswer } from './incidents/index.js';
export * from './protocol/backend.js';
export * from './protocol/capabilities.js';
export * from './protocol/commands.js';
export { ProtocolError, parseClientMessage, parseCommand } from './protocol/messages.js';
export * from './protocol/protocol.js';
export * from './protocol/server.js';
export { GrowingFile } from './run/growing-file.js';
export { depthOf, goroutineOf, type StepOptions, type StepTest, stepTest } from './run/stepping.js';
export { answerQuery } from './session/queries.js';
export { eraField, type RecordingOptions, RecordingSession } from './session/recording-session.js';
