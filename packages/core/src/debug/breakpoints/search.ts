import { initialState, type NodeState, reduce, type Seq, type TraceRecord } from '../../trace/index.js';
import { atOnce, type Work } from '../base/work.js';
import { ArmedBreakpoint } from './armed.js';
import { Memory } from './memory.js';
import type { BreakpointSpec, Hit } from './spec.js';

/** The part of a RecordStore that a search needs. */
export interface Records {
  readonly first: Seq;
  readonly last: Seq;
  stateAt(seq: Seq): NodeState;
  from(seq: Seq): IterableIterator<TraceRecord>;
  /** Returns the oldest available state with at most this many records after it. */
  checkpoint?(records: number): { readonly seq: Seq };
}

export interface SearchOptions {
  /** First and last record to look at. Default: all that are held. */
  readonly from?: Seq;
  readonly to?: Seq;
  /** From the last to the first. */
  readonly backwards?: boolean;
  /** Most hits. Default 1000. */
  readonly limit?: number;
}

/** Records that a backward search looks at in one go: what it must keep is the hits of one of these. */
const BLOCK = 8192;
/** Records between two yields. */
const SLICE = 32;
/** For what needs no state. */
const NO_STATE = initialState();

/**
 * Finds the records at which a breakpoint would have paused: the same hits as a run with this breakpoint would have
 * had, in the order of the search. `hitCount` and `once` count from the record at which the search begins, in its
 * direction; `enabled` is ignored. If the breakpoint can be decided from the records alone, no state is computed, which
 * is much faster (1,000,000 records in well under a second).
 */
export const search = (store: Records, spec: BreakpointSpec, options: SearchOptions = {}): Hit[] =>
  atOnce(searching(store, spec, options));

/** The same, in slices. */
export function* searching(store: Records, spec: BreakpointSpec, options: SearchOptions = {}): Work<Hit[]> {
  const first = Math.max(options.from ?? store.first, store.first);
  const last = Math.min(options.to ?? store.last, store.last);
  const limit = options.limit ?? 1000;
  const armed = new ArmedBreakpoint(spec);
  const hits: Hit[] = [];
  /** Adds a hit; returns true to go on. */
  const take = (hit: Hit): boolean => {
    if (hits.length < limit && armed.count()) hits.push(hit);
    return hits.length < limit && !armed.done;
  };
  if (first > last || limit <= 0) return hits;
  if (!options.backwards) {
    yield* run(store, armed, first, last, take);
    return hits;
  }
  for (let to = last; to >= first; ) {
    const from = Math.max(first, blockStart(store, to));
    const found: Hit[] = [];
    yield* run(store, armed, from, to, (hit) => {
      found.push(hit);
      return true;
    });
    for (let i = found.length - 1; i >= 0; i--) if (!take(found[i] as Hit)) return hits;
    to = from - 1;
  }
  return hits;
}

/**
 * Returns the first record of the block that ends with `to`: where the store has a state, so that it need not be made.
 */
function blockStart(store: Records, to: Seq): Seq {
  const wanted = to - BLOCK + 1;
  const start = (store.checkpoint?.(store.last - wanted + 1).seq ?? to) + 1;
  return start >= wanted && start <= to ? start : wanted;
}

function* run(store: Records, armed: ArmedBreakpoint, first: Seq, last: Seq, visit: (hit: Hit) => boolean): Work {
  const { usesState, kinds } = armed;
  const memory = new Memory();
  let state = NO_STATE;
  if (usesState) {
    // In a hole there is no state; the next record in memory has one before it.
    const next = store.from(first).next();
    if (next.done) return;
    state = store.stateAt(next.value.seq - 1);
    memory.prime(state);
  }
  const found: Hit[] = [];
  for (const record of store.from(first)) {
    if (record.seq > last) return;
    if (record.seq % SLICE === 0) yield;
    if (usesState) {
      reduce(state, record);
      memory.follow(record, state);
    } else if (kinds !== null && !kinds.includes(record.kind)) continue;
    armed.find(record, state, memory, found);
    for (const hit of found) if (!visit(hit)) return;
    found.length = 0;
  }
}
