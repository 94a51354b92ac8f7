import type { NodeState } from '@syncloop/core/trace';
import { trace } from '../../../run/trace-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { type Facts, FactsFold } from '../parts/parts-facts.js';

const fold = new FactsFold();

/**
 * Returns a slice of the facts; `view` copies what it shows. There is one fold for all boxes, which goes on from its
 * last record.
 */
export function useFacts<T>(view: (facts: Facts, state: NodeState) => T): T {
  return useTrace((state, cursor) => view(fold.at(trace.records, cursor.epoch), state));
}
