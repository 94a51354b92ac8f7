import { BesideWitness } from './beside-witness.js';
import { CallWitness } from './call-witness.js';
import type { Evidence } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import { foreseeIdentities, LogWitness } from './log-witness.js';
import { MetricsWitness } from './metrics-witness.js';
import { foreseePods, PodsWitness } from './pods-witness.js';
import type { Witness } from './scribe.js';
import { SpanWitness } from './span-witness.js';

/** The witnesses of an observation, in the order in which they hear evidence. */
const WITNESSES: readonly (() => Witness)[] = [
  () => new LogWitness(),
  () => new SpanWitness(),
  () => new CallWitness(),
  () => new BesideWitness(),
  () => new PodsWitness(),
  () => new MetricsWitness(),
];
/** What is learned of evidence as soon as it comes. */
export const foresee = (evidence: Evidence, pods: PodIdentities): void => {
  foreseeIdentities(evidence, pods);
  foreseePods(evidence, pods);
};

export const allWitnesses = (): Witness[] => WITNESSES.map((make) => make());
