/** The pod, the container and the goroutine that a selection belongs to. */
import { uidOf } from '@syncloop/core/expression';
import type { NodeState, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../page/ui-store.js';

/** Returns the pod that the selection belongs to; '' if there is none. */
export function podOf(state: NodeState, selection: Selection, record: TraceRecord | undefined): string {
  switch (selection.kind) {
    case 'pod':
      return selection.uid;
    case 'goroutine':
      return state.goroutines[selection.id]?.uid ?? '';
    case 'container':
      return containerNamed(state, selection.id)?.uid ?? '';
    case 'sandbox':
      return state.sandboxes[selection.id]?.uid ?? '';
    case 'record':
      return record ? uidOf(record, state) : '';
    default:
      return '';
  }
}

/** Returns a container by id, or by `uid/name` if its id was not known. */
export function containerNamed(state: NodeState, id: string): NodeState['containers'][string] | undefined {
  if (Object.hasOwn(state.containers, id)) return state.containers[id];
  return Object.values(state.containers).find((c) => `${c.uid}/${c.name}` === id && c.state !== 'removed');
}
