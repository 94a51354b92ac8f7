/** A run of our own kubelet, captured as that of a real one, and the twin that is made of the capture. */
import type { Kubelet } from '@syncloop/core/kubelet';
import { findScenario } from '@syncloop/core/scenario';
import type { Decision, Difference, Verdict } from '../../base/types.js';
import { observeCapture, startCapture } from '../../capture/index.js';
import { rerun, twinScenario } from '../../make/index.js';
import { compare } from '../compare.js';
import { coverageOf } from '../coverage.js';
import { decisionsOf } from '../decisions.js';

export interface Planted {
  readonly scenario: string;
  readonly seed: number;
  /** Default: nothing is altered. */
  readonly alter?: (kubelet: Kubelet) => void;
}

/** Holds a captured run against its twin, which has another seed and knows nothing but the capture. */
export function comparePlanted({ scenario, seed, alter }: Planted): Verdict {
  const { run, capture } = startCapture(findScenario(scenario), { seed });
  alter?.(run.kubelet as Kubelet);
  run.run();
  const { observation, records } = observeCapture(capture());
  const { epochMicros } = observation;
  const made = twinScenario(records, { epochMicros });
  const twin = rerun(made, seed + 1000);
  const { seenFrom, kubelet, era } = made;
  return compare(decisionsOf(records), decisionsOf(twin.records), {
    coverage: coverageOf(records),
    seenFrom,
    until: seenFrom + made.until,
    kubelet,
    era,
    epochMicros,
  });
}

/**
 * Returns the differences that a verdict blames on the kubelet: those that jitter alone explains are not among them.
 */
export const accusations = (verdict: Verdict): readonly Difference[] =>
  verdict.differences.filter(({ chance }) => chance === undefined);
export const about = ({ seen, twin }: Difference): Decision => (seen ?? twin) as Decision;
