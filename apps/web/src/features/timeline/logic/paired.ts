/** The places of the decisions of an observed run and its twin on the timeline's axis. */
import type { TwinSide } from '@syncloop/core/debug';
import type { Micros, Seq } from '@syncloop/core/trace';
import type { PairedRuns, PairedTick } from '../../../run/counterpart.js';
import type { Axis } from './timeline-axis.js';
import type { TimelineModel } from './timeline-model.js';

export interface PlacedTick {
  readonly seq: Seq;
  readonly x: number;
}
export interface PlacedPairs {
  readonly seen: readonly PlacedTick[];
  readonly twin: readonly PlacedTick[];
  /** Between the two of a pair. */
  readonly lines: readonly { readonly seen: number; readonly twin: number }[];
  readonly differences: readonly { readonly side: TwinSide; readonly x: number; readonly here: boolean }[];
}

/** Beyond the edges, px: a tick that is half in sight is drawn. */
const MARGIN = 6;

/**
 * Places what is in sight, in px from the left edge. The run that is shown has its records on the axis; the other one's
 * decisions stand at their times. `origin`: position of the left edge.
 */
export function placePairs(
  { seen, twin, pairs, differences }: PairedRuns,
  side: TwinSide,
  model: TimelineModel,
  axis: Axis,
  origin: number,
  width: number,
): PlacedPairs {
  const ofTime = (time: Micros): number => axis.of(axis.mode === 'time' ? time : model.seqAtTime(time)) - origin;
  const inSight = (x: number): boolean => x >= -MARGIN && x <= width + MARGIN;
  const xOf = { seen: new Map<Seq, number>(), twin: new Map<Seq, number>() };
  const place = (of: TwinSide, ticks: readonly PairedTick[]): PlacedTick[] =>
    ticks.flatMap(({ seq, time }) => {
      const x = of === side && model.columns.has(seq) ? axis.ofSeq(seq) - origin : ofTime(time);
      xOf[of].set(seq, x);
      return inSight(x) ? [{ seq, x }] : [];
    });
  const placed = { seen: place('seen', seen), twin: place('twin', twin) };
  return {
    ...placed,
    lines: pairs.flatMap((pair) => {
      const [a, b] = [xOf.seen.get(pair.seen), xOf.twin.get(pair.twin)];
      return a !== undefined && b !== undefined && (inSight(a) || inSight(b)) ? [{ seen: a, twin: b }] : [];
    }),
    differences: differences.flatMap((d) => {
      const x = ofTime(d.time);
      return inSight(x) ? [{ side: d.side, x, here: d.here }] : [];
    }),
  };
}

/** Returns the tick nearest to a place, within this many px; null if there is none. */
export function tickAt(ticks: readonly PlacedTick[], x: number, within = 8): PlacedTick | null {
  let found: PlacedTick | null = null;
  for (const tick of ticks) {
    const far = Math.abs(tick.x - x);
    if (far <= within && (!found || far < Math.abs(found.x - x))) found = tick;
  }
  return found;
}
