import type { Micros, NodeState, RecordingHeader, Seq, TraceRecord } from '../../trace/index.js';
import { PackedPast } from '../base/packed-past.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import type { Playable } from './playback.js';

/** Records that are held as they are; all before them are packed. */
const HELD = 32_768;
const CHUNK = 4096;
/** Bytes of records that are held as they are: a line of a log may have a MiB. */
const HELD_BYTES = 128 * 1024 * 1024;

/**
 * The records of a source that is still read, as a recording that grows. The newest are held, the older ones packed
 * within a budget (docs/developers/decisions/0019). Beyond it the oldest go to `spill`; without one they are dropped,
 * and `first` says where it begins.
 */
export class GrowingFile implements Playable {
  growing = true;
  private readonly store: RecordStore;

  constructor(
    public header: RecordingHeader,
    options: RecordStoreOptions = {},
    /** The state before the first record, if that is not the start of all. */
    state?: NodeState,
  ) {
    this.store = new RecordStore(
      { capacity: HELD, chunk: CHUNK, bytes: HELD_BYTES, ...options },
      state,
      options.past === 0 ? null : new PackedPast(options.past, undefined, options.spill),
    );
  }

  push(records: readonly TraceRecord[]): void {
    for (const record of records) this.store.push(record);
  }

  get first(): Seq {
    return this.store.last === 0 ? 0 : this.store.oldest;
  }
  get last(): Seq {
    return this.store.last;
  }
  get lastTime(): Micros {
    return this.store.state.time;
  }
  get(seq: Seq): TraceRecord | undefined {
    return this.store.get(seq);
  }
  records(seq: Seq, max: number): TraceRecord[] {
    const out: TraceRecord[] = [];
    for (const record of this.iterate(seq)) {
      if (out.length >= max) break;
      out.push(record);
    }
    return out;
  }
  *iterate(seq: Seq = 0): IterableIterator<TraceRecord> {
    for (let at = Math.max(seq, this.first, 1); at <= this.last; at++) {
      const record = this.store.get(at);
      if (record) yield record;
    }
  }
  findWords(words: readonly string[], from: Seq) {
    return this.store.findWords(words, from);
  }
  stateAt(seq: Seq): NodeState {
    return this.store.stateAt(seq);
  }
  seqAtTime(time: Micros): Seq {
    return this.store.seqAt(time);
  }
}
