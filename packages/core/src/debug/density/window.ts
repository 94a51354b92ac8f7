import type { Micros, NodeState, Seq, TraceRecord } from '../../trace/index.js';
import { recordWeight } from '../../trace/index.js';
import type { Work } from '../base/work.js';

/** Records, and bytes of them, that one answer has at most. */
const MOST_RECORDS = 4096;
const MOST_BYTES = 8 * 1024 * 1024;
const SLICE = 64;

/** The answer to the query `window`: records of a part of a run. */
export interface RunWindow {
  /** The state before the first of them, if it was asked for. */
  readonly state?: NodeState;
  readonly records: readonly TraceRecord[];
  /** The last record of the part. */
  readonly to: Seq;
  /** The part has more: the next question goes on with this record. Null at its end. */
  readonly next: Seq | null;
}

/** A run whose records can be read. */
export interface Readable {
  readonly first: Seq;
  readonly last: Seq;
  iterate(seq?: Seq): Iterable<TraceRecord>;
  stateAt(seq: Seq): NodeState;
  /** The last record not later than a time. */
  seqAtTime(time: Micros): Seq;
}

interface CommandFields {
  readonly from: number;
  readonly to: number;
  readonly by?: 'seq' | 'time';
  readonly state?: boolean;
}

/** Returns the records from one to another, as many as one answer may have. */
export function* windowOf(source: Readable, { from, to, by = 'seq', state }: CommandFields): Work<RunWindow> {
  const [begin, end] = by === 'time' ? [source.seqAtTime(Math.max(0, from - 1)) + 1, source.seqAtTime(to)] : [from, to];
  const first = Math.max(begin, source.first, 1);
  const last = Math.min(end, source.last);
  const records: TraceRecord[] = [];
  let bytes = 0;
  let next: Seq | null = null;
  for (const record of source.iterate(first)) {
    if (record.seq > last) break;
    if (records.length >= MOST_RECORDS || bytes > MOST_BYTES) {
      next = record.seq;
      break;
    }
    records.push(record);
    bytes += recordWeight(record);
    if (records.length % SLICE === 0) yield;
  }
  return { ...(state && { state: source.stateAt(first - 1) }), records, to: last, next };
}
