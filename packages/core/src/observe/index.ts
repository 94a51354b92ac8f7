export { BesideWitness } from './beside-witness.js';
export { CallWitness } from './call-witness.js';
export { CATALOGUE, type Found, find as findInCatalogue, type Gate, type Row, type Says } from './catalogue/index.js';
export { type CaptureLine, type CaptureOptions, CRICaptureReader } from './cri/capture.js';
export { Conversation, type ConversationOptions, UNKNOWN_METHOD } from './cri/conversation.js';
export { ContainerEventsReader } from './cri/events.js';
export { EvidenceLinesReader } from './cri/evidence-lines.js';
export type * from './evidence/index.js';
export {
  type ReadContext,
  type Recognition,
  recognise,
  SOURCE_HEAD_BYTES,
  type SourceFormat,
} from './formats.js';
export { type ClockStep, LogClock, type LogClockOptions } from './log/clock.js';
export { LogEvidenceReader } from './log/evidence.js';
export type { FramingName } from './log/framing.js';
export { goList, goStruct } from './log/go-values.js';
export { LogReader, type LogReaderOptions } from './log/reader.js';
export { foreseeIdentities, LogWitness, type Unread } from './log-witness.js';
export { MetricsEvidenceReader, metricsEvidence, scrapeMark } from './metrics/evidence.js';
export { MetricsWitness } from './metrics-witness.js';
export { type KubeletFacts, Observer, type ObserverOptions } from './observer.js';
export {
  type Observation,
  type ObservationOptions,
  type OpenSource,
  openObservation,
  type SourceProgress,
  sourceIds,
} from './open.js';
export { PodsEvidenceReader, podsEvidence } from './pods/evidence.js';
export { foreseePods, PodsWitness } from './pods-witness.js';
export type { Scribe, Witness, Written } from './scribe.js';
export { SpanWitness } from './span-witness.js';
export { SpansEvidenceReader } from './spans/evidence.js';
export { allWitnesses, foresee } from './witnesses.js';
