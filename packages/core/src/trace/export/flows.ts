/** Arrows between goroutines: a record that was caused by one of another goroutine. */
import type { Seq, TraceRecord } from '../records.js';

export interface Flows {
  /** By the record that is a cause: those it made happen elsewhere. */
  readonly begins: ReadonlyMap<Seq, readonly Seq[]>;
  /** Records that were made to happen from elsewhere. */
  readonly ends: ReadonlySet<Seq>;
  /** Returns true if an arrow begins or ends at the record. */
  touches(seq: Seq): boolean;
}

/** Finds all arrows of a run. Only the first record of a goroutine for one cause gets one. */
export function findFlows(records: Iterable<TraceRecord>): Flows {
  const begins = new Map<Seq, Seq[]>();
  const ends = new Set<Seq>();
  const goroutines = new GoroutineOf();
  const lastCause = new Map<number, Seq>();
  for (const { seq, g, cause, kind } of records) {
    // A hole is nobody's doing.
    if (kind === 'gap') continue;
    goroutines.add(seq, g);
    if (cause === 0) continue;
    const from = goroutines.get(cause);
    if (from !== undefined && from !== g && lastCause.get(g) !== cause) {
      const to = begins.get(cause);
      if (to) to.push(seq);
      else begins.set(cause, [seq]);
      ends.add(seq);
    }
    lastCause.set(g, cause);
  }
  return { begins, ends, touches: (seq) => ends.has(seq) || begins.has(seq) };
}

/** The goroutine of each record: two numbers a record, because there may be millions. */
class GoroutineOf {
  private seqs = new Float64Array(1024);
  private gs = new Float64Array(1024);
  private length = 0;
  add(seq: Seq, g: number): void {
    if (this.length === this.seqs.length) {
      this.seqs = grown(this.seqs);
      this.gs = grown(this.gs);
    }
    this.seqs[this.length] = seq;
    this.gs[this.length++] = g;
  }
  get(seq: Seq): number | undefined {
    let low = 0;
    let high = this.length - 1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      const at = this.seqs[mid] as number;
      if (at === seq) return this.gs[mid];
      if (at < seq) low = mid + 1;
      else high = mid - 1;
    }
    return undefined;
  }
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * array.length);
  larger.set(array);
  return larger;
}
