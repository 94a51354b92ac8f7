import type { NodeState } from '@syncloop/core/trace';
import { useContext, useRef, useSyncExternalStore } from 'react';
import { Steady, subscribeSteadily } from './pace.js';
import { same } from './same.js';
import { type Cursor, type TraceStore, trace } from './trace-store.js';

export type View<T> = (state: NodeState, cursor: Cursor, store: TraceStore) => T;

/**
 * A component's own slice of the run. `view` copies what it shows into plain values; the component renders again only
 * when they differ. Evaluated at most once per publication, hence per frame; within `Steady` less often.
 */
export function useTrace<T>(view: View<T>): T {
  const held = useRef<{ version: number; view: View<T>; value: T } | null>(null);
  const steady = useContext(Steady);
  return useSyncExternalStore(steady ? subscribeSteadily : trace.subscribe, () => {
    const { version } = trace.cursor;
    const before = held.current;
    if (before && before.version === version && before.view === view) return before.value;
    const next = view(trace.state, trace.cursor, trace);
    const value = before && same(before.value, next) ? before.value : next;
    held.current = { version, view, value };
    return value;
  });
}
