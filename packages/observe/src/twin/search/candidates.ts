import type { Deviation } from '@syncloop/core/kernel';
import type { Decisions, Micros } from '@syncloop/core/trace';
import { isOf, type Point } from './attempt.js';

/** The place of a divergence: its time on the twin's clock, and the pod that it is about. */
export interface Place {
  readonly time: Micros;
  /** `namespace/name`; '' if it is about the node. */
  readonly pod: string;
}

/**
 * Choices this long after the difference can still be its cause: the twin was late, or the clocks differ by this much.
 */
const LATER: Micros = 1_000_000;

/** Goroutines that nearly every decision goes through. */
const central = /^(syncLoop|genericPLEG|eventedPLEG|statusManager)/;

/** Returns the factor by which a choice's distance counts: 1 for those most likely to be the cause. */
function weight(point: Point, option: number, pod: string): number {
  const names = [point.names[option] ?? '', point.names[point.taken] ?? ''];
  if (pod !== '' && names.some((name) => name.includes(pod))) return 1;
  if (point.kind === 'select') return point.names.some((name) => name === 'plegCh' || name === 'syncCh') ? 1 : 2;
  return names.some((name) => central.test(name)) ? 2 : 4;
}

/** A choice that could be made in another way, and when it is made, on the run's clock. */
export interface Way {
  readonly deviation: Deviation;
  /** True if the goroutine whose turn it was waits as long as others can go, for some decisions. */
  readonly waits: boolean;
  readonly time: Micros;
}

/** The most candidates that are tried. */
const MOST = 2000;

/**
 * Returns choices that may keep the run from diverging there if they are made in another way, one at a time. Those most
 * likely to help come first: near the place, in the pod's own worker and probes, in the selects of the loop. Choices
 * that were made in another way already are left as they are, and so are those up to decision `after`.
 */
export function candidates(
  points: readonly Point[],
  place: Place,
  made: readonly Deviation[] = [],
  after: Decisions = 0,
): Way[] {
  const found: (Way & { cost: number })[] = [];
  // The first choice that comes after the place.
  let next = points.findIndex((p) => p.time > place.time);
  if (next < 0) next = points.length;
  for (const [i, point] of points.entries()) {
    if (point.decision <= after || point.time > place.time + LATER) continue;
    if (made.some((d) => isOf(d, point))) continue;
    const distance = i < next ? next - i : 3 * (i - next + 1);
    let others: (typeof found)[number] | null = null;
    for (const [option, id] of point.options.entries()) {
      if (option === point.taken) continue;
      const { decision, time } = point;
      const deviation = point.kind === 'select' ? { decision, case: id } : { decision, goroutine: id };
      const cost = distance * weight(point, option, place.pod);
      found.push({ deviation, waits: false, time, cost });
      if (point.kind === 'goroutine') others ??= { deviation, waits: true, time, cost: 2 * cost };
    }
    if (others) found.push(others);
  }
  return found
    .sort((a, b) => a.cost - b.cost)
    .slice(0, MOST)
    .map(({ cost: _, ...way }) => way);
}

/** Returns the deviations of a schedule with `added`, instead of one of the same kind at that decision. */
export function withDeviation(deviations: readonly Deviation[], added: Deviation): Deviation[] {
  const isSelect = added.case !== undefined;
  return [
    ...deviations.filter((d) => d.decision !== added.decision || (d.case !== undefined) !== isSelect),
    added,
  ].sort((a, b) => a.decision - b.decision);
}
