/** Keeps a timeline's model in step with a trace store that grows, loses its beginning, goes back and comes again. */
import type { RecordStore } from '@syncloop/core/debug';
import type { Seq, TraceRecord } from '@syncloop/core/trace';
import { same } from '../../../run/same.js';
import { TimelineModel } from './timeline-model.js';

/** Most records that are taken at one time, so that a long run does not hold up a frame. */
const SLICE = 1_000;

export class TimelineFeed {
  readonly model = new TimelineModel();
  /** The session's position. The model may have later records, from before the session went back. */
  present: Seq = 0;
  private store: RecordStore | null = null;
  /** The records after `present`, as they were. */
  private ahead: RecordStore | null = null;

  /**
   * Takes the store's records that the model lacks; true when there are more to take. `end`: the furthest that the
   * session knows of this branch: records are kept up to there when it goes back.
   */
  sync(store: RecordStore, end: Seq, most = SLICE): boolean {
    const { model } = this;
    if (store !== this.store) this.exchange(store);
    if (store.first > this.present + 1 && store.first > model.first) {
      if (store.first > model.last + 1) this.begin(store);
      else this.present = Math.max(this.present, store.first - 1);
    }
    let taken = 0;
    for (const record of store.slice(this.present + 1, most)) {
      this.next(record);
      taken++;
    }
    model.forget(store.first);
    const known = Math.max(end, this.present);
    if (this.present === store.last && model.last > known) model.cut(known);
    if (model.last <= this.present) this.ahead = null;
    return taken > 0 && this.present < store.last;
  }

  /** Returns a record that is shown, also one after the session's position. */
  record(seq: Seq): TraceRecord | undefined {
    return seq <= this.present ? this.store?.get(seq) : seq <= this.model.last ? this.ahead?.get(seq) : undefined;
  }

  clear(): void {
    this.store = null;
    this.ahead = null;
    this.present = 0;
    this.model.reset({ goroutines: {}, seq: 0 });
  }

  private next(record: TraceRecord): void {
    const { model } = this;
    if (record.seq <= model.last) {
      const seen = this.ahead?.get(record.seq);
      // The record is the same as before, so those after it may come again.
      if (seen && same(seen, record)) {
        this.present = record.seq;
        return;
      }
      model.cut(record.seq - 1);
      this.ahead = null;
    }
    model.take(record);
    this.present = record.seq;
  }

  private exchange(store: RecordStore): void {
    const before = this.store;
    this.store = store;
    const shared = before === null ? null : commonEnd(before, store, Math.min(this.present, store.last));
    if (before === null || shared === null || shared < this.model.first - 1) {
      this.begin(store);
      return;
    }
    if (shared < this.present && !(this.ahead && this.ahead.last > before.last)) this.ahead = before;
    this.present = shared;
  }

  private begin(store: RecordStore): void {
    this.ahead = null;
    const base = store.blocks[0]?.state;
    this.model.reset(base ?? { goroutines: {}, seq: store.first - 1 });
    this.present = store.first - 1;
  }
}

/**
 * The last record up to `last` that both stores have as the very same; null if the one did not come of the other.
 */
function commonEnd(a: RecordStore, b: RecordStore, last: Seq): Seq | null {
  const first = Math.max(a.first, b.first);
  let low = first - 1;
  let high = last;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    const record = a.get(mid);
    if (record !== undefined && record === b.get(mid)) low = mid;
    else high = mid - 1;
  }
  if (low >= first) return low;
  return a.blocks[0]?.state === b.blocks[0]?.state ? low : null;
}
