import { countBefore } from '../../base/index.js';
import {
  cloneState,
  initialState,
  type Micros,
  type NodeState,
  recordWeight,
  reduce,
  type Seq,
  searchWords,
  type TraceRecord,
} from '../../trace/index.js';
import { atOnce, type Work } from './work.js';

export interface RecordStoreOptions {
  /** Most records in memory; older ones go in whole chunks. At least two chunks. Default 200,000. */
  readonly capacity?: number;
  /** Records between two checkpoints of the state. Default 4096. */
  readonly chunk?: number;
  /** Most bytes of records in memory, by `recordWeight`; older ones go as beyond `capacity`. Default: any. */
  readonly bytes?: number;
  /**
   * The most bytes of packed records that are no longer in memory, but can still be read. Default: PAST_BYTES; 0: none.
   */
  readonly past?: number;
  /** Keeps packed records beyond that limit elsewhere; without it the oldest are dropped. */
  readonly spill?: Spill;
}

/** A place outside of memory, as a file. Returns how the bytes are read again. */
export type Spill = (bytes: Uint8Array) => () => Uint8Array;

/** `state` is what the records up to `first - 1` made; it is never changed. */
export interface Chunk {
  readonly first: Seq;
  readonly state: NodeState;
  readonly records: TraceRecord[];
}

/** Records that have all words of a search; `to`: the last record that was looked at. */
export interface FoundWords {
  readonly hits: readonly { readonly seq: Seq; readonly time: Micros }[];
  readonly to: Seq;
}

/** Keeps the records that a store drops. Several stores of the same run may share one. */
export interface Past {
  /** Seq of the oldest record that can be read again; infinite if empty. `last`: of the newest one; 0 if empty. */
  readonly first: Seq;
  readonly last: Seq;
  /** Takes a chunk that a store drops. Records that it already has are not taken again. */
  add(chunk: Chunk): void;
  get(seq: Seq): TraceRecord | undefined;
  /** The last state kept that is not later than record `seq`, and the one right after it: copies. */
  stateBefore(seq: Seq): NodeState | null;
  stateAt(seq: Seq): NodeState;
  /** The last record not later than `time`; 0 if all are. */
  seqAt(time: Micros): Seq;
  /** Looks for words in the block with a record, from that one on. `to`: the last record of the block. */
  findWords(words: readonly string[], from: Seq): FoundWords;
  /** The same up to `seq` at most, on its own. */
  until(seq: Seq): Past;
}

/**
 * A store of a moment in the past begins at least this many records before it, and is restored in slices of so many.
 */
const CONTEXT = 16_384;
const RESTORED = 256;

/** If bytes are limited, a chunk has at most this fraction of them. */
const CHUNKS = 8;

/** Records that are searched in one slice. */
const SEARCHED = 256;

/** Records between two states that are kept of the chunk that was looked at last. */
const FINE = 128;

export interface Snapshot {
  readonly seq: Seq;
  readonly state: NodeState;
}

/**
 * The newest records of a run in dense order, the state at their end, and checkpoints to get at the state anywhere
 * between.
 */
export class RecordStore {
  /** The state after all records so far. It changes with `push`: clone it to keep it. */
  readonly state: NodeState;
  private readonly capacity: number;
  private readonly chunkSize: number;
  private chunks: Chunk[];
  /** Records from this one on are held, however many there are, and so is the state right before it. */
  pinned: Seq = Number.POSITIVE_INFINITY;
  private held = 0;
  private readonly bytes: number;
  /** The weight of the last chunk, and of all chunks before it by their first records; counted only under a limit. */
  private weight = 0;
  private readonly weights = new Map<Seq, number>();
  private empty: boolean;
  private fine: { readonly chunk: Chunk; readonly states: NodeState[] } | null = null;

  /** Starts after `base`: from nothing, or from a snapshot, which is copied. `past` takes what it no longer holds. */
  constructor(
    options: RecordStoreOptions = {},
    base?: NodeState,
    private readonly past: Past | null = null,
  ) {
    this.chunkSize = Math.max(1, options.chunk ?? 4096);
    this.capacity = Math.max(2 * this.chunkSize, options.capacity ?? 200_000);
    this.bytes = options.bytes ?? Number.POSITIVE_INFINITY;
    this.state = base ? cloneState(base) : initialState();
    this.empty = base === undefined;
    this.chunks = [{ first: this.state.seq + 1, state: cloneState(this.state), records: [] }];
  }

  /** Seq of the oldest record in the store; `last` + 1 if the store is empty. */
  get first(): Seq {
    return (this.chunks[0] as Chunk).first;
  }
  get last(): Seq {
    return this.state.seq;
  }
  /** Seq of the oldest record that can be read, packed ones included: `get`, `stateAt` and `until` reach back to it. */
  get oldest(): Seq {
    return Math.min(this.first, this.past?.first ?? this.first);
  }
  get size(): number {
    return this.held;
  }

  /**
   * Takes the record that comes after the last, or one that says which are missing. Else a RangeError: holes must not
   * go unseen.
   */
  push(record: TraceRecord): void {
    let hole = false;
    if (record.seq !== this.state.seq + 1) {
      hole = !this.empty && record.kind === 'gap' && record.from === this.state.seq + 1 && record.seq >= record.from;
      if (!this.empty && !hole) throw new RangeError(`record ${record.seq} cannot come after record ${this.state.seq}`);
      // Else a run that was watched from its middle on.
      if (!hole) {
        this.state.seq = record.seq - 1;
        this.chunks = [{ first: record.seq, state: cloneState(this.state), records: [] }];
      }
    }
    this.empty = false;
    let chunk = this.chunks[this.chunks.length - 1] as Chunk;
    const counted = this.bytes < Number.POSITIVE_INFINITY;
    if (hole || chunk.records.length >= this.chunkSize || this.weight > this.bytes / CHUNKS) {
      if (counted) this.weights.set(chunk.first, this.weight);
      this.weight = 0;
      chunk = { first: record.seq, state: cloneState(this.state), records: [] };
      this.chunks.push(chunk);
      while (
        this.chunks.length > 1 &&
        (this.held + this.chunkSize > this.capacity || (counted && this.heldBytes() > this.bytes)) &&
        (this.chunks[1] as Chunk).first <= this.pinned
      ) {
        this.held -= (this.chunks[0] as Chunk).records.length;
        const dropped = this.chunks.shift() as Chunk;
        this.weights.delete(dropped.first);
        this.past?.add(dropped);
      }
    }
    chunk.records.push(record);
    if (counted) this.weight += recordWeight(record);
    this.held++;
    reduce(this.state, record);
  }

  /** Bytes of all chunks but the last one. */
  private heldBytes(): number {
    let sum = 0;
    for (const bytes of this.weights.values()) sum += bytes;
    return sum;
  }

  /** The record, or undefined if it is not in memory. */
  get(seq: Seq): TraceRecord | undefined {
    if (seq < this.first) return this.past?.get(seq);
    const chunk = this.chunkOf(seq);
    return chunk?.records[seq - chunk.first];
  }

  /** The last record not later than `time`; one less than the oldest if all are. */
  seqAt(time: Micros): Seq {
    const { first } = this;
    if (this.oldest < first && (this.get(first)?.time ?? 0) > time) return this.past?.seqAt(time) ?? 0;
    return first - 1 + countBefore(this.last - first + 1, (i) => (this.get(first + i)?.time ?? 0) <= time);
  }
  /** A past for a store of the same run that ends at `seq`, on its own. */
  pastUntil(seq: Seq): Past | null {
    return this.past?.until(seq) ?? null;
  }

  /** Looks for records with all words, from one on, as far as they are kept together with it: packed, or in a chunk. */
  findWords(words: readonly string[], from: Seq): FoundWords {
    if (from < this.first && this.past && from <= this.past.last) {
      const found = this.past.findWords(words, Math.max(from, this.past.first));
      // A block may reach into what the store still has.
      return found.to < this.first
        ? found
        : { hits: found.hits.filter(({ seq }) => seq < this.first), to: this.first - 1 };
    }
    const at = Math.max(from, this.first);
    const chunk = this.chunks[this.indexOf(at)] as Chunk;
    const records = chunk.records.slice(at - chunk.first, at - chunk.first + SEARCHED);
    const hits = records.filter((record) => searchWords(record, words)).map(({ seq, time }) => ({ seq, time }));
    return { hits, to: Math.max(from, at + records.length - 1) };
  }

  /** Returns at most `max` records from `seq` on, as far as they are in memory. */
  slice(seq: Seq, max: number): TraceRecord[] {
    const out: TraceRecord[] = [];
    for (let c = this.indexOf(seq); c < this.chunks.length && out.length < max; c++) {
      const { first, records } = this.chunks[c] as Chunk;
      for (let i = Math.max(0, seq - first); i < records.length && out.length < max; i++)
        out.push(records[i] as TraceRecord);
    }
    return out;
  }

  /** Yields all records in memory from `seq` on, oldest first. */
  *from(seq: Seq): IterableIterator<TraceRecord> {
    for (const chunk of this.chunks) {
      if (chunk.first + chunk.records.length <= seq) continue;
      for (let i = Math.max(0, seq - chunk.first); i < chunk.records.length; i++) yield chunk.records[i] as TraceRecord;
    }
  }

  /** The state right after record `seq`: a copy. A RangeError if it is not in memory. */
  stateAt(seq: Seq): NodeState {
    if (seq === this.last) return cloneState(this.state);
    if (seq < this.first - 1 && this.past && seq >= this.past.first - 1) return this.past.stateAt(seq);
    const next = this.chunks[this.indexOf(seq + 1)] as Chunk;
    const chunk = next.first === seq + 1 ? next : this.chunkOf(seq);
    if (!chunk) throw new RangeError(`record ${seq} is not in memory, which has ${this.first} to ${this.last}`);
    const n = seq - chunk.first + 1;
    const near = this.nearby(chunk, n);
    const state = cloneState(near.state);
    for (let i = near.records; i < n; i++) reduce(state, chunk.records[i] as TraceRecord);
    return state;
  }

  /**
   * The state after some of the first `n` records of a chunk, not many fewer. Whoever looks here will look right before
   * it next.
   */
  private nearby(chunk: Chunk, n: number): { records: number; state: NodeState } {
    if (n <= FINE) return { records: 0, state: chunk.state };
    if (this.fine?.chunk !== chunk) this.fine = { chunk, states: [] };
    const { states } = this.fine;
    const wanted = Math.floor(n / FINE);
    const from = Math.min(states.length, wanted);
    let state = from === 0 ? chunk.state : (states[from - 1] as NodeState);
    if (from < wanted) state = cloneState(state);
    for (let k = from; k < wanted; k++) {
      for (let i = k * FINE; i < (k + 1) * FINE; i++) reduce(state, chunk.records[i] as TraceRecord);
      states.push(cloneState(state));
    }
    return { records: wanted * FINE, state };
  }

  /** The same up to `seq`, as a store of its own. A RangeError if the state there is not in memory. */
  until(seq: Seq): RecordStore {
    return atOnce(this.restoring(seq));
  }
  /** The same in slices, with a past of its own if one is given; else the two have the same. */
  *restoring(seq: Seq, past: Past | null = this.past): Work<RecordStore> {
    const options = { capacity: this.capacity, chunk: this.chunkSize };
    const from = Math.max(seq - CONTEXT, (this.past?.first ?? 1) - 1);
    const base = seq < this.first - 1 ? this.past?.stateBefore(from) : null;
    if (base) {
      const store = new RecordStore(options, base, past);
      while (store.last < seq) {
        store.push(this.get(store.last + 1) as TraceRecord);
        if (store.last % RESTORED === 0) yield;
      }
      return store;
    }
    const store = new RecordStore(options, this.stateAt(seq), past);
    store.chunks = this.chunks
      .filter((c) => c.first <= seq || c.first === this.first)
      // Only the last one grows.
      .map((c, i, all) =>
        i < all.length - 1 ? c : { ...c, records: c.records.slice(0, Math.max(0, seq - c.first + 1)) },
      );
    store.held = store.chunks.reduce((sum, c) => sum + c.records.length, 0);
    return store;
  }

  /**
   * The oldest checkpoint with at most `records` records after it (the newest checkpoint when there is none). It must
   * not be changed.
   */
  checkpoint(records: number): Snapshot {
    for (const chunk of this.chunks)
      if (this.last - chunk.first + 1 <= records) return { seq: chunk.first - 1, state: chunk.state };
    const newest = this.chunks[this.chunks.length - 1] as Chunk;
    return { seq: newest.first - 1, state: newest.state };
  }

  /**
   * The records in memory, oldest first: states, and the records between each and the next. Neither must be changed.
   */
  get blocks(): readonly {
    readonly first: Seq;
    readonly state: NodeState;
    readonly records: readonly TraceRecord[];
  }[] {
    return this.chunks;
  }

  /** The index of the last chunk that begins at or before `seq`; 0 if no chunk does. */
  private indexOf(seq: Seq): number {
    const { chunks } = this;
    return Math.max(0, countBefore(chunks.length, (i) => (chunks[i] as Chunk).first <= seq) - 1);
  }

  private chunkOf(seq: Seq): Chunk | undefined {
    const chunk = this.chunks[this.indexOf(seq)] as Chunk;
    return seq >= chunk.first && seq < chunk.first + chunk.records.length ? chunk : undefined;
  }
}
