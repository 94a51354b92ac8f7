import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { TwinScenario } from '../base/types.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import type { Judge } from './types.js';

/**
 * Makes a judge that compares runs of a twin with the observed run that the twin was made of. `epochMicros`:
 * microseconds since 1970 at time 0 of the observed run, for sentences with the wall clock.
 */
export function judgeOf(
  seen: readonly TraceRecord[],
  { seenFrom, until: end, kubelet, era, left }: Pick<TwinScenario, 'seenFrom' | 'until' | 'kubelet' | 'era' | 'left'>,
  epochMicros: number | null = null,
): Judge {
  const decisions = decisionsOf(seen);
  const coverage = coverageOf(seen);
  return (records, until: Micros) => {
    // If a run was cut short, the observed run is compared only up to the same time.
    const to = seenFrom + Math.min(until, end);
    const theirs = until >= end ? decisions : decisions.filter((d) => d.time <= to);
    const verdict = compare(theirs, decisionsOf(records), {
      coverage,
      seenFrom,
      until: to,
      kubelet,
      era,
      left,
      epochMicros,
    });
    return { agreed: verdict.same, differences: verdict.differences, verdict };
  };
}
