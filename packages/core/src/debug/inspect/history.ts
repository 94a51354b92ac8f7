import { type Path, parsePath, valueAt } from '../../expression/index.js';
import {
  cloneState,
  type Json,
  type Micros,
  type NodeState,
  reduce,
  type Seq,
  type TraceRecord,
} from '../../trace/index.js';
import { atOnce, type Work } from '../base/work.js';
import { copy, same } from './equal.js';
import { isSwept, touchesOf } from './touches.js';

/** The part of a RecordStore that is needed here. */
export interface Blocks {
  readonly last: Seq;
  readonly state: NodeState;
  readonly blocks: readonly {
    readonly first: Seq;
    readonly state: NodeState;
    readonly records: readonly TraceRecord[];
  }[];
}

/** From this record on the field had this value. */
export interface FieldValue {
  readonly seq: Seq;
  readonly time: Micros;
  readonly value: Json;
}

export interface HistoryOptions {
  /** First and last record to look at. Default: all that are held. */
  readonly from?: Seq;
  readonly to?: Seq;
  /** Most values, the oldest. Default 1000; to go on, ask from the last one's `seq` + 1. */
  readonly limit?: number;
}

/**
 * Returns all values of a field, oldest first: the one that it has before `from` (null is left out), and one for each
 * record that changed it. `path` as in `parsePath`; throws its ExpressionError. Parts of a run in which nothing touches
 * the field are passed over.
 */
export const historyOf = (store: Blocks, path: string | Path, options: HistoryOptions = {}): FieldValue[] =>
  atOnce(findingHistory(store, path, options));

/** The same, in slices. */
export function* findingHistory(store: Blocks, path: string | Path, options: HistoryOptions = {}): Work<FieldValue[]> {
  const at = typeof path === 'string' ? parsePath(path) : path;
  const from = options.from ?? 0;
  const to = options.to ?? store.last;
  const limit = options.limit ?? 1000;
  const out: FieldValue[] = [];
  /** The value so far; undefined before `from`. */
  let current: Json | undefined;
  for (const block of blocksOf(store, to)) {
    if (block.last < from) continue;
    yield;
    const watch = new Watch(block.state, at, current);
    const put = (seq: Seq, time: Micros) => {
      if (out.length < limit) out.push({ seq, time, value: watch.value });
    };
    const begin = (state: NodeState) => {
      current = watch.value;
      if (current !== null) put(state.seq, state.time);
    };
    if (current === undefined && from <= block.first) begin(block.state);
    if (current !== undefined && watch.passes(block)) continue;
    const state = cloneState(block.state);
    for (const record of block.records) {
      if (record.seq > to || out.length >= limit) break;
      if (current === undefined && record.seq >= from) begin(state);
      reduce(state, record);
      if (watch.see(record, state) && current !== undefined) put(record.seq, record.time);
    }
    if (out.length >= limit) break;
    current = watch.value;
  }
  return out;
}

/**
 * The last record up to `seq` (default: the last one held) that changed the value at `path`; null if none of those
 * held did, or `seq` is before them. Throws an ExpressionError for what is not a path.
 */
export const lastWriter = (store: Blocks, path: string | Path, seq: Seq = store.last): Seq | null =>
  atOnce(findingWriter(store, path, seq));

/** The same, in slices. */
export function* findingWriter(store: Blocks, path: string | Path, seq: Seq = store.last): Work<Seq | null> {
  const at = typeof path === 'string' ? parsePath(path) : path;
  for (const block of blocksOf(store, seq).reverse()) {
    yield;
    const watch = new Watch(block.state, at);
    if (watch.passes(block)) continue;
    const state = cloneState(block.state);
    let writer: Seq | null = null;
    for (const record of block.records) {
      if (record.seq > seq) break;
      reduce(state, record);
      if (watch.see(record, state)) writer = record.seq;
    }
    if (writer !== null) return writer;
  }
  return null;
}

interface Block {
  readonly first: Seq;
  /** Seq of the last record of the block. */
  readonly last: Seq;
  /** The state before the block, and the one after it if it is available. */
  readonly state: NodeState;
  readonly next: NodeState | null;
  readonly records: readonly TraceRecord[];
}

/** The blocks with records up to `to`; of the last one `next` is known only if it is needed whole. */
function blocksOf(store: Blocks, to: Seq): Block[] {
  const { blocks } = store;
  const out: Block[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const { first, state, records } = blocks[i] as Blocks['blocks'][number];
    if (first > to) break;
    const last = records[records.length - 1]?.seq ?? first - 1;
    const after = blocks[i + 1]?.state ?? store.state;
    out.push({ first, last, state, next: last <= to ? after : null, records });
  }
  return out;
}

/** The value of a field while records go by. */
class Watch {
  /** A copy. */
  value: Json;
  private readonly touches: (record: TraceRecord) => boolean;

  constructor(
    state: NodeState,
    private readonly path: Path,
    known?: Json,
  ) {
    this.touches = touchesOf(path);
    this.value = known === undefined ? copy(valueAt(state, path)) : known;
  }

  /**
   * Returns true if the value stays the same in the whole block: nothing touches it, and what was forgotten in it would
   * be missing after it.
   */
  passes(block: Block): boolean {
    if (block.next === null || !same(valueAt(block.next, this.path), this.value)) return false;
    return !block.records.some(this.touches);
  }

  /** Takes a record that was folded into `state`; returns true if it changed the value. */
  see(record: TraceRecord, state: NodeState): boolean {
    if (!this.touches(record) && !isSwept(state)) return false;
    const now = valueAt(state, this.path);
    if (same(now, this.value)) return false;
    this.value = copy(now);
    return true;
  }
}
