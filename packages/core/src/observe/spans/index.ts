export { SpansEvidenceReader, spanEvidence } from './evidence.js';
export * from './otlp.js';
