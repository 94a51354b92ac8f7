import { countBefore } from '../../base/index.js';
import type { Decisions, Micros, Seq, TraceRecord } from '../../trace/index.js';
import { PackedPast } from '../base/packed-past.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import { atOnce, type Work } from '../base/work.js';

/** Positions of the records of one run: with which decision each came, and where the loop's iterations begin. */
export class Timeline {
  readonly store: RecordStore;
  /** The last record that was there after decision n, at n: 4 bytes a decision, for all of the run. */
  private lastOf = new Uint32Array(1024);
  /** The last decision that it has. */
  private step: Decisions = 0;
  /** The record that began iteration n, at n - 1. */
  private iterations: Seq[] = [];

  constructor(options: RecordStoreOptions = {}, store?: RecordStore) {
    this.store = store ?? new RecordStore(options, undefined, options.past === 0 ? null : new PackedPast(options.past));
  }

  /** The same up to `seq`, on its own. */
  until(seq: Seq): Timeline {
    return atOnce(this.copying(seq));
  }
  /** The same, in slices. */
  *copying(seq: Seq): Work<Timeline> {
    const t = new Timeline({}, yield* this.store.restoring(seq, this.store.pastUntil(seq)));
    t.step = this.stepOf(seq);
    t.lastOf = this.lastOf.slice(0, t.step + 1024);
    t.lastOf[t.step] = seq;
    t.iterations = this.iterations.slice(0, this.iterationsAt(seq));
    return t;
  }

  push(record: TraceRecord, step: Decisions): void {
    const { store } = this;
    const { iterations } = store.state.counts;
    store.push(record);
    // An intervention after timers that woke nobody comes before the decision that those belong to, yet after their
    // records.
    this.reach(Math.max(step, this.step));
    this.lastOf[this.step] = record.seq;
    if (store.state.counts.iterations > iterations) this.iterations.push(record.seq);
  }
  private reach(step: Decisions): void {
    if (step >= this.lastOf.length) {
      const grown = new Uint32Array(Math.max(2 * this.lastOf.length, step + 1));
      grown.set(this.lastOf);
      this.lastOf = grown;
    }
    const last = this.lastOf[this.step] as Seq;
    while (this.step < step) this.lastOf[++this.step] = last;
  }

  get last(): Seq {
    return this.store.last;
  }
  /** Returns the decision with which a record came; that of the last one for those that are still to come. */
  stepOf(seq: Seq): Decisions {
    if (seq < 1) return 0;
    return countBefore(this.step, (n) => (this.lastOf[n] as Seq) < seq);
  }
  /**
   * The last record that was there when `step` decisions were taken, what was done from outside right then included.
   */
  seqAfter(step: Decisions): Seq {
    return this.lastOf[Math.min(step, this.step)] as Seq;
  }
  /** The last record not later than `time`. */
  seqAt(time: Micros): Seq {
    return this.store.seqAt(time);
  }
  /** The record with which iteration `n` began, undefined if there was none yet. */
  seqOfIteration(n: number): Seq | undefined {
    return this.iterations[n - 1];
  }
  iterationsAt(seq: Seq): number {
    return countBefore(this.iterations.length, (i) => (this.iterations[i] as Seq) <= seq);
  }
}
