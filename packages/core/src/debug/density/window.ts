import type { NodeState, Seq, TraceRecord } from '../../trace/index.js';
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
  /** The part has more: the next question goes on with this record. Null at its end. */
  readonly next: Seq | null;
}

/** A run whose records can be read. */
export interface Readable {
  readonly first: Seq;
  readonly last: Seq;
  iterate(seq?: Seq): Iterable<TraceRecord>;
  stateAt(seq: Seq): NodeState;
}

/** Returns the records from one to another, as many as one answer may have. */
export function* windowOf(
  source: Readable,
  { from, to, state }: { readonly from: Seq; readonly to: Seq; readonly state?: boolean },
): Work<RunWindow> {
  const first = Math.max(from, source.first, 1);
  const last = Math.min(to, source.last);
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
  return { ...(state && { state: source.stateAt(first - 1) }), records, next };
}
