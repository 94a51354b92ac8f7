import type { Json, Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { atOnce, type Work } from '../base/work.js';
import { parseBreakpoint } from '../breakpoints/index.js';
import { searching } from '../breakpoints/search.js';
import { DensityFold, finding, windowOf } from '../density/index.js';
import { Findings, OverviewFold } from '../findings/index.js';
import { Incidents } from '../incidents/index.js';
import { findingHistory, findingWriter } from '../inspect/history.js';
import { diffStates } from '../inspect/index.js';
import type { CommandOf, Query } from '../protocol/commands.js';
import type { ResultNamed, ResultOf } from '../protocol/results.js';
import { parseQuestion, why, whyNot } from '../why/index.js';
import { indexing } from '../why/record-index.js';

/** The answer to each query. `at`: where the session stands, if the store reaches further. */
const answers: {
  readonly [K in Query['do']]: (store: RecordStore, query: CommandOf<K>, at: Seq) => Work<ResultNamed<K>>;
} = {
  *why(store, { question }, at) {
    // Looking through all records once takes long.
    yield* indexing(store);
    return why(store, questionAt(question, at));
  },
  *whyNot(store, { question }, at) {
    yield* indexing(store);
    return whyNot(store, questionAt(question, at));
  },
  search: (store, query) => searching(store, parseBreakpoint(query.breakpoint), query),
  history: (store, query) => findingHistory(store, query.path, query),
  lastWriter: (store, { path, seq }, at) => findingWriter(store, path, seq ?? at),
  *findings(store) {
    return (yield* folded(store, FINDINGS, () => new Findings())).list();
  },
  *overview(store) {
    return (yield* folded(store, OVERVIEWS, () => new OverviewFold())).overview({ oldest: store.oldest });
  },
  *density(store, { most }) {
    const fold = yield* folded(store, DENSITIES, () => new DensityFold());
    return fold.density({ most, oldest: store.first, oldestTime: store.get(store.first)?.time ?? 0 });
  },
  find: (store, query) => finding(searchable(store), query),
  window: (store, query) => windowOf(searchable(store), query),
  *incidents(store) {
    const seen = yield* folded(store, OVERVIEWS, () => new OverviewFold());
    const fold = yield* folded(store, INCIDENTS, () => new Incidents());
    fold.know(seen.overview({ oldest: store.oldest }));
    return fold.list();
  },
  *diff(store, { from, to }) {
    return diffStates(store.stateAt(from), store.stateAt(to));
  },
};

/** A store's records as they are read one after the other. */
const searchable = (store: RecordStore) => ({
  first: store.first,
  last: store.last,
  iterate: (seq: Seq = 0) => store.from(seq),
  stateAt: (seq: Seq) => store.stateAt(seq),
  seqAtTime: (time: Micros) => store.seqAt(time),
});

function questionAt(json: Json, at: Seq) {
  const question = parseQuestion(json);
  return question.at === undefined ? { ...question, at } : question;
}

/**
 * Answers from the records in memory. `at`: the session's position, if the store reaches further. Throws an Error that
 * says what is wrong with the question.
 */
export const answerQuery = <Q extends Query>(store: RecordStore, query: Q, at: Seq = store.last): ResultOf<Q> =>
  atOnce(answering(store, query, at));

/** The same, in slices. */
export const answering = <Q extends Query>(store: RecordStore, query: Q, at: Seq = store.last): Work<ResultOf<Q>> =>
  (answers[query.do] as (store: RecordStore, query: Q, at: Seq) => Work<ResultOf<Q>>)(store, query, at);

interface Fold {
  take(record: TraceRecord): void;
}
/** Folds over the records of a store, with the last one that each has had. */
type Folds<F> = WeakMap<RecordStore, { readonly fold: F; to: Seq }>;
const FINDINGS: Folds<Findings> = new WeakMap();
const DENSITIES: Folds<DensityFold> = new WeakMap();
const INCIDENTS: Folds<Incidents> = new WeakMap();
const OVERVIEWS: Folds<OverviewFold> = new WeakMap();
/** Records between two yields. */
const SLICE = 256;

/** The fold over all records in memory; it goes on where it was left. */
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
