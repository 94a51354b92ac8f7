import type { Json, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { atOnce, type Work } from '../base/work.js';
import { parseBreakpoint } from '../breakpoints/index.js';
import { searching } from '../breakpoints/search.js';
import { Findings, OverviewFold } from '../findings/index.js';
import { findingHistory, findingWriter } from '../inspect/history.js';
import { diffStates } from '../inspect/index.js';
import type { Query } from '../protocol/commands.js';
import { parseQuestion, why, whyNot } from '../why/index.js';
import { indexing } from '../why/record-index.js';

const asJson = (value: unknown): Json => value as Json;

/**
 * Answers from the records in memory. `at`: the session's position, if the store reaches further. Throws an Error that
 * says what is wrong with the question.
 */
export const answerQuery = (store: RecordStore, query: Query, at: Seq = store.last): Json =>
  atOnce(answering(store, query, at));

/** The same, in slices. */
export function* answering(store: RecordStore, query: Query, at: Seq = store.last): Work<Json> {
  const question = (json: Json) => {
    const q = parseQuestion(json);
    return q.at === undefined ? { ...q, at } : q;
  };
  switch (query.do) {
    case 'why': {
      // What takes long is to look through all records once.
      yield* indexing(store);
      return asJson(why(store, question(query.question)));
    }
    case 'whyNot': {
      yield* indexing(store);
      return asJson(whyNot(store, question(query.question)));
    }
    case 'search':
      return asJson(yield* searching(store, parseBreakpoint(query.breakpoint), query));
    case 'history':
      return asJson(yield* findingHistory(store, query.path, query));
    case 'lastWriter':
      return yield* findingWriter(store, query.path, query.seq ?? at);
    case 'findings':
      return asJson((yield* folded(store, FINDINGS, () => new Findings())).list());
    case 'overview':
      return asJson((yield* folded(store, OVERVIEWS, () => new OverviewFold())).overview({ oldest: store.oldest }));
    case 'diff':
      return asJson(diffStates(store.stateAt(query.from), store.stateAt(query.to)));
  }
}

interface Fold {
  take(record: TraceRecord): void;
}
/** Folds over the records of a store, with the last one that each has had. */
type Folds<F> = WeakMap<RecordStore, { readonly fold: F; to: Seq }>;
const FINDINGS: Folds<Findings> = new WeakMap();
const OVERVIEWS: Folds<OverviewFold> = new WeakMap();
/** Records between two yields. */
const SLICE = 256;

/** The fold over all records that are held, gone on with where it was left. */
function* folded<F extends Fold>(store: RecordStore, folds: Folds<F>, make: () => F): Work<F> {
  const known = folds.get(store) ?? { fold: make(), to: 0 };
  folds.set(store, known);
  for (const record of store.from(known.to + 1)) {
    if (record.seq <= known.to) continue;
    known.fold.take(record);
    known.to = record.seq;
    if (record.seq % SLICE === 0) yield;
  }
  return known.fold;
}
