/** Finding records in the timeline: under a pointer, next to another, in a range, by a text. */
import type { Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Axis } from './timeline-axis.js';
import { isFailure, Role } from './timeline-kinds.js';
import { MOST_ROWS, ROW, type Row } from './timeline-layout.js';
import type { Lane, TimelineModel } from './timeline-model.js';
import { lower } from './timeline-order.js';

/** The largest distance of a record from the pointer, px. */
const REACH = 6;

/** Index of the first record of a lane at or after a position. */
export function lowerPx(axis: Axis, lane: Lane, px: number): number {
  let low = 0;
  let high = lane.seqs.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (axis.ofSeq(lane.seqs[mid] as Seq) < px) low = mid + 1;
    else high = mid;
  }
  return low;
}

/**
 * The record under a point of a row (px from the beginning of the axis and from the row's top), 0 if there is none.
 */
export function hitAt(model: TimelineModel, axis: Axis, row: Row, px: number, y: number): Seq {
  const plain = row.folded || row.kind === 'group';
  if (plain || y < ROW.marks) return bestMark(model, axis, row.lanes, px, row.folded || row.kind === 'lane');
  const lane = row.lanes[0] as Lane;
  return spanAt(model, axis, lane, px, Math.floor((y - ROW.marks) / ROW.span));
}

function bestMark(model: TimelineModel, axis: Axis, lanes: readonly Lane[], px: number, shown: boolean): Seq {
  if (!shown) return 0;
  const { columns: c } = model;
  let best = 0;
  let score = -1;
  for (const lane of lanes) {
    for (let i = lowerPx(axis, lane, px - REACH); i < lane.seqs.length; i++) {
      const seq = lane.seqs[i] as Seq;
      const off = axis.ofSeq(seq) - px;
      if (off > REACH) break;
      // The record that began a span or message stands for its end as well.
      if (c.role[seq - c.base] === Role.exit || c.role[seq - c.base] === Role.reply) continue;
      const s = (c.weight[seq - c.base] as number) * 4 - Math.abs(off);
      if (s > score) {
        best = seq;
        score = s;
      }
    }
  }
  return best;
}

/** The span of a lane that is open at a position at that depth, or a short one near it; else the wait there. */
function spanAt(model: TimelineModel, axis: Axis, lane: Lane, px: number, depth: number): Seq {
  const { columns: c } = model;
  const i = lowerPx(axis, lane, px);
  const shownDepth = (seq: Seq) => Math.min(c.depth[seq - c.base] as number, MOST_ROWS - 1);
  const before = i > 0 ? (lane.seqs[i - 1] as Seq) : 0;
  for (let at = model.openAfter(lane, before); at !== 0 && c.has(at); at = c.parent[at - c.base] as Seq)
    if (shownDepth(at) === depth) return at;
  let best = 0;
  let distance = REACH;
  for (let k = lowerPx(axis, lane, px - REACH); k < lane.seqs.length; k++) {
    const seq = lane.seqs[k] as Seq;
    const left = axis.ofSeq(seq);
    if (left - px > REACH) break;
    const role = c.role[seq - c.base];
    if ((role !== Role.enter && role !== Role.call) || shownDepth(seq) !== depth) continue;
    if (Math.abs(left - px) < distance) {
      best = seq;
      distance = Math.abs(left - px);
    }
  }
  if (best === 0 && before !== 0 && c.role[before - c.base] === Role.wait) return before;
  return best;
}

/** The record of a lane after or before one; the nearest when that is not of this lane. 0 when there is none. */
export function neighbour(lane: Lane, seq: Seq, by: 1 | -1): Seq {
  const { seqs } = lane;
  const i = lower(seqs, seq);
  if (by === 1) return seqs[seqs[i] === seq ? i + 1 : i] ?? 0;
  return seqs[i - 1] ?? 0;
}
/** The record of a lane that comes next to one of another lane, before rather than after. */
export function nearest(lane: Lane, seq: Seq): Seq {
  const i = lower(lane.seqs, seq + 1);
  return lane.seqs[i - 1] ?? lane.seqs[0] ?? 0;
}

export interface RangeCounts {
  readonly duration: Micros;
  readonly records: number;
  readonly spans: number;
  readonly calls: number;
  readonly messages: number;
  readonly failures: number;
}
/** Counts the records from one to another, both included. */
export function countRange(model: TimelineModel, from: Seq, to: Seq): RangeCounts {
  const { columns: c } = model;
  const first = Math.max(from, model.first);
  const last = Math.min(to, model.last);
  const n = { spans: 0, calls: 0, messages: 0, failures: 0 };
  for (let i = first - c.base; i <= last - c.base; i++) {
    const role = c.role[i];
    if (role === Role.enter) n.spans++;
    else if (role === Role.call) n.calls++;
    else if (role === Role.send) n.messages++;
    if (isFailure(c.look[i] as number)) n.failures++;
  }
  const records = Math.max(0, last - first + 1);
  return { ...n, records, duration: records === 0 ? 0 : model.timeAt(last) - model.timeAt(first) };
}

/** Returns a record and its causes, going back as far as they are in memory; itself first. */
export function chainOf(record: (seq: Seq) => TraceRecord | undefined, seq: Seq, most = 40): Seq[] {
  const out: Seq[] = [];
  for (let at = seq; at > 0 && out.length < most; ) {
    const r = record(at);
    if (!r) break;
    out.push(at);
    if (r.cause >= at) break;
    at = r.cause;
  }
  return out;
}

/** Searches records for a text, a slice at a time, newest last. It continues at its last place when records come in. */
export class HitSearch {
  readonly hits: Seq[] = [];
  private next: Seq = 1;
  constructor(
    readonly text: string,
    private readonly says: (record: TraceRecord) => string,
  ) {}

  /** True when there is more to look at. */
  look(record: (seq: Seq) => TraceRecord | undefined, first: Seq, last: Seq, most: number): boolean {
    // Records that were cut off may come again otherwise.
    while (this.hits.length > 0 && (this.hits[this.hits.length - 1] as Seq) > last) this.hits.pop();
    const gone = lower(this.hits, first);
    if (gone > 0) this.hits.splice(0, gone);
    this.next = Math.min(Math.max(this.next, first), last + 1);
    const end = Math.min(last, this.next + most - 1);
    for (; this.next <= end; this.next++) {
      const r = record(this.next);
      if (r && (r.kind.includes(this.text) || this.says(r).toLowerCase().includes(this.text))) this.hits.push(r.seq);
    }
    return this.next <= last;
  }
  get progress(): Seq {
    return this.next - 1;
  }
}
