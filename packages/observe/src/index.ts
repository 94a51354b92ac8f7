/** A real kubelet, observed: bytes in, records and findings out. The README says how. */
export { Findings, type RunFinding } from '@syncloop/core/debug/findings';
export { byLogName, isLogName, logName } from './bundle/log-name.js';
export { CallExtractor } from './call-extractor.js';
export { CATALOGUE, type Found, find as findInCatalogue, type Gate, type Row, type Says } from './catalogue/index.js';
export { type CaptureLine, type CaptureOptions, CRICaptureReader } from './cri/capture.js';
export { Conversation, type ConversationOptions, UNKNOWN_METHOD } from './cri/conversation.js';
export { ContainerEventsReader } from './cri/events.js';
export { EvidenceLinesReader } from './cri/evidence-lines.js';
export type * from './evidence/index.js';
export { allExtractors, foresee } from './extractors.js';
export {
  type ReadContext,
  type Recognition,
  recognise,
  SOURCE_HEAD_BYTES,
  type SourceFormat,
} from './formats.js';
export { type ClockStep, LogClock, type LogClockOptions } from './log/clock.js';
export { LogEvidenceReader } from './log/evidence.js';
export type { FramingName } from './log/framings/index.js';
export { goList, goStruct } from './log/go-values.js';
export { LogReader, type LogReaderOptions } from './log/reader.js';
export type { LogShare, ProgramShare } from './log/share.js';
export type { LogNode } from './log/survey.js';
export { foreseeIdentities, LogExtractor, type Unread } from './log-extractor.js';
export { MetricsEvidenceReader, metricsEvidence, scrapeMark } from './metrics/evidence.js';
export { MetricsExtractor } from './metrics-extractor.js';
export { type KubeletFacts, Observer, type ObserverOptions } from './observer.js';
export {
  type Observation,
  type ObservationOptions,
  type OpenSource,
  openObservation,
  type ReadShare,
  type SourceProgress,
  sourceIds,
} from './open.js';
export { PodsEvidenceReader, podsEvidence } from './pods/evidence.js';
export { foreseePods, PodsExtractor } from './pods-extractor.js';
export type { Extractor, RecordWriter, Written } from './record-writer.js';
export { RuntimeExtractor } from './runtime-extractor.js';
export { SpanExtractor } from './span-extractor.js';
export { SpansEvidenceReader } from './spans/evidence.js';
