import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';

/** Positions of the records of one run: with which decision each came, and where the loop's iterations begin. */
export class Timeline {
  readonly store: RecordStore;
  /** Decision (count so far) of each record from `base` on. */
  private steps: number[] = [];
  private base: Seq = 1;
  /** The record that began iteration n, at n - 1. */
  private iterations: Seq[] = [];

  constructor(options: RecordStoreOptions = {}, store?: RecordStore) {
    this.store = store ?? new RecordStore(options);
  }

  /** The same up to `seq`, on its own. */
  until(seq: Seq): Timeline {
    const t = new Timeline({}, this.store.until(seq));
    t.base = this.base;
    t.steps = this.steps.slice(0, Math.max(0, seq - this.base + 1));
    t.iterations = this.iterations.slice(0, this.iterationsAt(seq));
    return t;
  }

  push(record: TraceRecord, step: number): void {
    const { store } = this;
    const { iterations } = store.state.counts;
    if (this.steps.length === 0) this.base = record.seq;
    store.push(record);
    // What is done from outside after timers that woke nobody comes before the decision that those belong to, yet after
    // their records.
    this.steps.push(Math.max(step, this.steps.at(-1) ?? 0));
    if (store.state.counts.iterations > iterations) this.iterations.push(record.seq);
    if (store.first - this.base > 65_536) {
      // Also that of the last one not held, where one can stand.
      this.steps.splice(0, store.first - 1 - this.base);
      this.base = store.first - 1;
    }
  }

  get last(): Seq {
    return this.store.last;
  }
  /** Decision with which a record came; that of the nearest one known where it is not held. */
  stepOf(seq: Seq): number {
    if (seq < 1) return 0;
    return this.steps[Math.min(Math.max(seq - this.base, 0), this.steps.length - 1)] ?? 0;
  }
  /**
   * The last record that was there when `step` decisions were taken, what was done from outside right then included.
   */
  seqAfter(step: number): Seq {
    return this.base - 1 + upTo(this.steps, step);
  }
  /** The last record not later than `time`. */
  seqAt(time: Micros): Seq {
    const { store } = this;
    let low = store.first;
    let high = store.last;
    while (low <= high) {
      const mid = (low + high) >> 1;
      if ((store.get(mid)?.time ?? 0) <= time) low = mid + 1;
      else high = mid - 1;
    }
    return low - 1;
  }
  /** The record with which iteration `n` began, undefined where there was none yet. */
  seqOfIteration(n: number): Seq | undefined {
    return this.iterations[n - 1];
  }
  iterationsAt(seq: Seq): number {
    return upTo(this.iterations, seq);
  }
}

/** How many of the ascending `values` are at most `limit`. */
function upTo(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((values[mid] as number) <= limit) low = mid + 1;
    else high = mid;
  }
  return low;
}
