import type { NodeState } from '@syncloop/core/trace';

interface CallIds {
  readonly uid?: string | undefined;
  readonly container?: string | undefined;
  readonly sandbox?: string | undefined;
}

/** Returns the pod that a call is about, '' if none: by its own field, or by the container or sandbox that it names. */
export function uidOfCall(state: NodeState, call: CallIds): string {
  return call.uid || state.containers[call.container ?? '']?.uid || state.sandboxes[call.sandbox ?? '']?.uid || '';
}
