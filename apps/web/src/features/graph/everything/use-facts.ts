import type { NodeState } from '@syncloop/core/trace';
import { trace } from '../../../run/trace-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { type Facts, FactsFold } from '../parts/parts-facts.js';

const fold = new FactsFold();

/**
 * A slice of the facts; `view` copies out what it shows. The fold is one for all boxes and goes on from where it was.
 */
export function useFacts<T>(view: (facts: Facts, state: NodeState) => T): T {
  return useTrace((state, cursor) => view(fold.at(trace.records, cursor.epoch), state));
}
