import type { Json, Seq } from '../trace/index.js';
import { parseBreakpoint, search } from './breakpoints/index.js';
import { diffStates, historyOf, lastWriter } from './inspect/index.js';
import type { Query } from './protocol.js';
import type { RecordStore } from './record-store.js';
import { parseQuestion, why, whyNot } from './why/index.js';

const asJson = (value: unknown): Json => value as Json;

/**
 * Answers from the records held. `at`: where the session stands, when the store reaches further. Throws an Error that says what is
 * wrong with the question.
 */
export function answerQuery(store: RecordStore, query: Query, at: Seq = store.last): Json {
  const question = (json: Json) => {
    const q = parseQuestion(json);
    return q.at === undefined ? { ...q, at } : q;
  };
  switch (query.do) {
    case 'why':
      return asJson(why(store, question(query.question)));
    case 'whyNot':
      return asJson(whyNot(store, question(query.question)));
    case 'search':
      return asJson(search(store, parseBreakpoint(query.breakpoint), query));
    case 'history':
      return asJson(historyOf(store, query.path, query));
    case 'lastWriter':
      return lastWriter(store, query.path, query.seq ?? at);
    case 'diff':
      return asJson(diffStates(store.stateAt(query.from), store.stateAt(query.to)));
  }
}
