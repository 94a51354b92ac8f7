import { trace } from '../../../run/trace-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { type Facts, FactsFold } from '../parts/parts-facts.js';

const fold = new FactsFold();

/**
 * Returns a slice of the facts; `view` copies what it shows. There is one fold for all boxes, which goes on from its
 * last record.
 */
export function useFacts<T>(view: (facts: Facts) => T): T {
  return useTrace((_, cursor) => view(fold.at(trace.records, cursor.epoch)));
}
