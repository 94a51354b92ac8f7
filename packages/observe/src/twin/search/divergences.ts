import type { Micros } from '@syncloop/core/trace';
import type { Decision, Difference } from '../base/types.js';
import type { Place } from './candidates.js';

/** A place at which a run of the twin diverges from the observed run. */
export interface Divergence extends Place {
  /** The same in all runs of the twin. */
  readonly key: string;
  /** The end of the differing decision: a sync is known by its end. */
  readonly end: Micros;
}

const endOf = ({ kind, time, took = 0 }: Decision): Micros => (kind === 'sync' || kind === 'call' ? time + took : time);

/**
 * Differences of a run of the twin as places on its clock, in order. `until`: only those that were over by then, as
 * decisions that are missing later may still come.
 */
export function divergencesOf(
  differences: readonly Difference[],
  seenFrom: Micros,
  until: Micros = Number.POSITIVE_INFINITY,
): Divergence[] {
  const times = new Map<string, number>();
  return differences
    .map((d) => {
      const of = d.seen ?? d.twin;
      // A decision of the twin alone has no place in the observed run: its key is what it is, and a count.
      const name = d.seen
        ? `${d.how} ${d.seen.seq} ${d.path ?? ''}`
        : `extra ${of?.kind} ${of?.what} ${of?.pod} ${of?.incarnation} ${of?.container ?? ''} ${of?.attempt ?? ''}`;
      const nth = times.get(name) ?? 0;
      times.set(name, nth + 1);
      const time = d.seen ? d.seen.time - seenFrom : (d.twin?.time ?? 0);
      const end = Math.max(d.seen ? endOf(d.seen) - seenFrom : 0, d.twin ? endOf(d.twin) : 0);
      return { key: `${name} ${nth}`, time, end, pod: of?.pod ?? '' };
    })
    .filter((p) => p.end <= until)
    .sort((a, b) => a.time - b.time);
}
