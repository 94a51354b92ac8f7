import { CallExtractor } from './call-extractor.js';
import type { Evidence } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import { foreseeIdentities, LogExtractor } from './log-extractor.js';
import { MetricsExtractor } from './metrics-extractor.js';
import { foreseePods, PodsExtractor } from './pods-extractor.js';
import type { Extractor } from './record-writer.js';
import { RuntimeExtractor } from './runtime-extractor.js';
import { SpanExtractor } from './span-extractor.js';
import { StatusCheck } from './status-check.js';

/** The extractors of an observation, in the order in which they hear evidence. */
const EXTRACTORS: readonly (() => Extractor)[] = [
  () => new LogExtractor(),
  () => new SpanExtractor(),
  () => new CallExtractor(),
  () => new RuntimeExtractor(),
  () => new PodsExtractor(),
  () => new StatusCheck(),
  () => new MetricsExtractor(),
];
/** Learns from evidence as soon as it is read, before its turn. */
export const foresee = (evidence: Evidence, pods: PodIdentities): void => {
  foreseeIdentities(evidence, pods);
  foreseePods(evidence, pods);
};

export const allExtractors = (): Extractor[] => EXTRACTORS.map((make) => make());
