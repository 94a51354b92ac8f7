/** Records that are missing in a recording. */
import { own } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../records.js';

/**
 * Returns a record that stands in for a hole: it has the last missing number, so that it comes right before what
 * follows.
 */
export function gapRecord(from: Seq, to: Seq, time: Micros): TraceRecord {
  return { seq: to, time, g: 0, span: 0, cause: 0, kind: 'gap', from, to };
}

/** Returns true if records are missing between two, and the second does not say so itself. */
export function isHole(before: Seq, at: Seq, record: object): boolean {
  return at > before + 1 && !(own(record, 'kind') === 'gap' && own(record, 'from') === before + 1);
}
