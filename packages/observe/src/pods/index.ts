export { PodsEvidenceReader, type PodsReaderOptions, podsEvidence } from './evidence.js';
export { podIdentity, podStatus } from './facts.js';
