/** The decisions of both runs on lanes, one pair of lanes for each kind, in the picture's CSS px. */

import type { Micros, Seq } from '@syncloop/core/trace';
import { type DecisionKind, decisionKinds } from '@syncloop/observe/twin';
import type { Tick, TwinAnswer } from '@syncloop/observe/twin/session';

export type Side = 'seen' | 'twin';
/** The part of the time that is in sight, on the observed run's clock. */
export interface Span {
  readonly from: Micros;
  readonly to: Micros;
}
export interface LaneTick {
  readonly side: Side;
  readonly seq: Seq;
  readonly x: number;
}
export interface PairedLane {
  readonly kind: DecisionKind;
  readonly ticks: readonly LaneTick[];
  /** Between the two of a pair. */
  readonly lines: readonly { readonly seen: number; readonly twin: number }[];
}

/** All that both runs have, on the observed run's clock. */
export function wholeSpan({ scenario, ticks }: Pick<TwinAnswer, 'scenario' | 'ticks'>): Span {
  const times = [...ticks.seen.map(([, , time]) => time), ...ticks.twin.map(([, , time]) => time + scenario.seenFrom)];
  const from = Math.min(...times, scenario.seenFrom);
  return { from, to: Math.max(from + 1, ...times) };
}

/** Returns a part of the whole, `by` times as long, that keeps `around` in its place. */
export function zoomed({ from, to }: Span, whole: Span, by: number, around: Micros): Span {
  const length = Math.min(whole.to - whole.from, Math.max(LEAST, (to - from) * by));
  const share = (Math.min(to, Math.max(from, around)) - from) / (to - from);
  const start = Math.max(whole.from, Math.min(whole.to - length, around - share * length));
  return { from: start, to: start + length };
}
/** Shortest part that can be looked at, Micros. */
const LEAST = 100_000;

export function pairedLanes(
  { scenario, ticks, verdict }: Pick<TwinAnswer, 'scenario' | 'ticks' | 'verdict'>,
  span: Span,
  width: number,
): readonly PairedLane[] {
  const x = (time: Micros) => ((time - span.from) / (span.to - span.from)) * width;
  const inSight = (at: number) => at >= -2 && at <= width + 2;
  const xOf = { seen: new Map<Seq, number>(), twin: new Map<Seq, number>() };
  const kindOf = new Map<Seq, number>();
  const bySide = (side: Side, list: readonly Tick[], shift: Micros) =>
    list.map(([kind, seq, time]) => {
      const at = x(time + shift);
      xOf[side].set(seq, at);
      if (side === 'seen') kindOf.set(seq, kind);
      return { kind, tick: { side, seq, x: at } };
    });
  const all = [...bySide('seen', ticks.seen, 0), ...bySide('twin', ticks.twin, scenario.seenFrom)];
  return decisionKinds.flatMap((kind, k) => {
    const own = all.filter((one) => one.kind === k);
    if (own.length === 0) return [];
    const lines = verdict.pairs.flatMap((pair) => {
      const [seen, twin] = [xOf.seen.get(pair.seen), xOf.twin.get(pair.twin)];
      if (kindOf.get(pair.seen) !== k || seen === undefined || twin === undefined) return [];
      return inSight(seen) || inSight(twin) ? [{ seen, twin }] : [];
    });
    return [{ kind, ticks: own.map(({ tick }) => tick).filter((tick) => inSight(tick.x)), lines }];
  });
}

/** The tick that is nearest to a place, within this many px. */
export function nearest(lane: PairedLane, side: Side, x: number, within = 8): LaneTick | null {
  let found: LaneTick | null = null;
  for (const tick of lane.ticks) {
    const far = Math.abs(tick.x - x);
    if (tick.side === side && far <= within && (!found || far < Math.abs(found.x - x))) found = tick;
  }
  return found;
}
