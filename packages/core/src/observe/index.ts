export type * from './evidence/index.js';
export { type ClockStep, LogClock, type LogClockOptions } from './log/clock.js';
export { LogEvidenceReader } from './log/evidence.js';
export type { FramingName } from './log/framing.js';
export { goList, goStruct } from './log/go-values.js';
export { LogReader, type LogReaderOptions } from './log/reader.js';
export { foreseeIdentities, LogWitness } from './log-witness.js';
export { type KubeletFacts, Observer, type ObserverOptions } from './observer.js';
export type { Scribe, Witness, Written } from './scribe.js';
