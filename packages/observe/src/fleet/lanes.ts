/** A fleet's verdict as lanes: a node each, on one clock, with its incidents as bars. */
import { listIn } from '@syncloop/core/base';
import { type IncidentKind, kindRows } from '@syncloop/core/debug/incidents';
import type { VerdictText } from '../verdict/index.js';
import { aheadOf } from './aligned.js';
import type { FleetNode, FleetStory } from './types.js';

/** An incident in its node's lane, at times of the story's clock. */
export interface LaneBar {
  /** Position in the node's incidents. */
  readonly incident: number;
  readonly kind: IncidentKind;
  readonly text: VerdictText;
  readonly begin: number;
  readonly end: number;
  /** It was still so when the log ended. */
  readonly open: boolean;
  /** The node, or a pod, could not do its work. */
  readonly grave: boolean;
  /** Positions in the story's causes. */
  readonly causes: readonly number[];
  /** Bars that overlap are in different rows, from 0 on; below `MOST_ROWS`. */
  readonly row: number;
}

/** The moment at which a node takes part in a shared cause. */
export interface LaneMark {
  /** Position in the story's causes. */
  readonly cause: number;
  readonly at: number;
}

export interface Lane {
  readonly node: FleetNode;
  /** The span of its log; null if it has no times. */
  readonly from: number | null;
  readonly to: number | null;
  /** In the order of their beginnings. */
  readonly bars: readonly LaneBar[];
  readonly marks: readonly LaneMark[];
  readonly rows: number;
}

/** More bars at one time share the last row. */
export const MOST_ROWS = 3;

/** Returns a lane for each node, in the order of the story. */
export function lanesOf(story: FleetStory): readonly Lane[] {
  const marks = new Map<string, LaneMark[]>();
  const causes = new Map<string, number[]>();
  story.causes.forEach(({ members }, cause) => {
    for (const { node, incident, begin } of members) {
      listIn(marks, node).push({ cause, at: begin });
      const of = listIn(causes, `${node} ${incident}`);
      if (!of.includes(cause)) of.push(cause);
    }
  });
  return story.nodes.map((node) => {
    const ahead = aheadOf(node);
    const at = (millis: number | null) => (millis === null ? null : millis - ahead);
    const to = at(node.to);
    const ends: number[] = [];
    const bars = node.incidents
      .map((one, incident) => {
        const begin = one.begin - ahead;
        return {
          ...{ incident, kind: one.kind, text: one.text, begin, open: one.end === null },
          end: Math.max(begin, at(one.end) ?? Math.max(to ?? begin, one.last - ahead)),
          grave: kindRows[one.kind].weight > 1,
          causes: causes.get(`${node.name} ${incident}`) ?? [],
        };
      })
      .sort((a, b) => a.begin - b.begin || a.incident - b.incident)
      .map((bar): LaneBar => {
        const free = ends.findIndex((end) => end <= bar.begin);
        const row = free >= 0 ? free : Math.min(ends.length, MOST_ROWS - 1);
        ends[row] = Math.max(ends[row] ?? bar.end, bar.end);
        return { ...bar, row };
      });
    return { node, from: at(node.from), to, bars, marks: marks.get(node.name) ?? [], rows: Math.max(1, ends.length) };
  });
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Distances of ticks that people read at once. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];

/** Returns full times within a span, at most `most` of them. */
export function ticksOf(from: number, to: number, most: number): readonly number[] {
  const step = STEPS.find((one) => (to - from) / one < most) ?? 365 * DAY * Math.ceil((to - from) / (365 * DAY * most));
  const out: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) out.push(at);
  return out;
}

/** `11:30`, `11:30:05`, or with the date where another day begins. */
export function tickText(at: number, previous: number | undefined): string {
  const [day, time] = [new Date(at).toISOString().slice(5, 10), new Date(at).toISOString().slice(11, 19)];
  const short = time.endsWith(':00') ? time.slice(0, 5) : time;
  const isNewDay = previous !== undefined && Math.floor(previous / DAY) !== Math.floor(at / DAY);
  return isNewDay ? `${day} ${short}` : short;
}
