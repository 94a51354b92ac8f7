export { SpansEvidenceReader, spanEvidence } from './evidence.js';
export * from './messages.js';
export * from './otlp.js';
