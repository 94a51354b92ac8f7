export { type IncidentClock, incidentSentence, type Span, timeWithDates, utcClock } from './clock.js';
export { Incidents, isQuoted } from './incidents.js';
export { type IncidentKind, incidentKinds, kindRows } from './kinds.js';
export { type NextCommand, nextCommands, shellWord } from './next.js';
export type * from './types.js';
export { percent, type Verdict, type VerdictLevel, verdictOf, wrongOf } from './verdict.js';
export { workloadOf } from './workload.js';
