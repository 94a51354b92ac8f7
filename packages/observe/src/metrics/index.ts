export { MetricsEvidenceReader, metricsEvidence, scrapeMark } from './evidence.js';
