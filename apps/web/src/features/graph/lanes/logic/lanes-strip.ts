/** Many pods as a strip: one cell for each, and their possible orders. */
import type { NodeState, PodView, WorkerView } from '@syncloop/core/trace';
import { useSession } from '../../../../run/session-store.js';
import { shortPod } from '../../../../units/text.js';
import type { LaneSort } from '../lanes-store.js';
import { type Heat, heatOf } from './lanes.js';
import type { LaneIndex } from './lanes-index.js';
import { syncFnOf } from './lanes-steps.js';

/** The present activity of a pod's worker. */
export type Doing = 'none' | 'cache-wait' | 'working' | 'queued' | 'idle' | 'ended';

export interface StripCell {
  readonly uid: string;
  readonly pod: string;
  readonly phase: string;
  readonly heat: Heat;
  readonly doing: Doing;
  /** Function that the worker is in, '' for none. */
  readonly fn: string;
  /** When it goes on: the cache's time that it waits for, or its due time; Micros. */
  readonly at: number | null;
  /** An update waits for it. */
  readonly pending: boolean;
  readonly failed: boolean;
  /** The highest restart count of the pod's containers. */
  readonly restarts: number;
  /** The back-off that ends first. */
  readonly backoff: { readonly delay: number; readonly until: number } | null;
  /** No source wants it any more. */
  readonly gone: boolean;
}

export function stripCells(state: NodeState, order: readonly string[], index: LaneIndex): StripCell[] {
  const cells: StripCell[] = [];
  for (const uid of order) {
    const pod = state.pods[uid];
    if (pod) cells.push(cellOf(state, pod, index));
  }
  return cells;
}

function cellOf(state: NodeState, pod: PodView, index: LaneIndex): StripCell {
  const { uid, worker } = pod;
  const sandbox = index.sandboxes.get(uid);
  let restarts = 0;
  for (const c of index.containers.get(sandbox?.id ?? '') ?? []) restarts = Math.max(restarts, c.attempt);
  return {
    uid,
    pod: shortPod(pod.pod),
    phase: pod.phase,
    heat: heatOf(pod, sandbox?.state ?? null),
    ...doingOf(worker),
    pending: worker?.pending != null,
    failed: (worker?.lastError ?? '') !== '',
    restarts,
    backoff: backoffOf(state, pod),
    gone: !pod.desired,
  };
}

function doingOf(worker: WorkerView | null): Pick<StripCell, 'doing' | 'fn' | 'at'> {
  if (!worker) return { doing: 'none', fn: '', at: null };
  if (worker.waitsForNewerThan !== null) return { doing: 'cache-wait', fn: '', at: worker.waitsForNewerThan };
  if (worker.working)
    return { doing: 'working', fn: syncFnOf(worker.workType, useSession.getState().info?.era), at: null };
  if (worker.state === 'finished' || worker.state === 'removed') return { doing: 'ended', fn: '', at: null };
  return worker.due === null ? { doing: 'idle', fn: '', at: null } : { doing: 'queued', fn: '', at: worker.due };
}

function backoffOf(state: NodeState, pod: PodView): StripCell['backoff'] {
  let first: StripCell['backoff'] = null;
  for (const key in pod.backoffs) {
    const b = pod.backoffs[key];
    if (b?.active && b.until > state.time && (!first || b.until < first.until))
      first = { delay: b.delay, until: b.until };
  }
  return first;
}

/** The order of the cells: failing pods first, then those that change, then the quiet ones. */
const RANK: Readonly<Record<Heat, number>> = { failing: 0, working: 1, ending: 2, waiting: 3, running: 4, done: 5 };

/** Sorts all pods by their present activity: its kind first, then the newest change. */
export function byActivity(state: NodeState, order: readonly string[], index: LaneIndex): string[] {
  const key = new Map<string, readonly [number, number]>();
  for (const uid of order) {
    const pod = state.pods[uid];
    if (pod) key.set(uid, [RANK[heatOf(pod, index.sandboxes.get(uid)?.state ?? null)], -pod.lastSeq]);
  }
  return [...order].sort((a, b) => {
    const [rankA = 9, seqA = 0] = key.get(a) ?? [];
    const [rankB = 9, seqB = 0] = key.get(b) ?? [];
    return rankA - rankB || seqA - seqB;
  });
}

/**
 * The order to show: by name it follows from the pods; by activity it is `ranked`, with pods that came later after it.
 */
export function shownOrder(
  state: NodeState,
  order: readonly string[],
  sort: LaneSort,
  ranked: readonly string[],
): readonly string[] {
  if (sort === 'name') {
    const name = (uid: string) => state.pods[uid]?.pod ?? '';
    return [...order].sort((a, b) => collator.compare(name(a), name(b)) || (a < b ? -1 : 1));
  }
  if (sort === 'activity') {
    const there = new Set(order);
    const known = new Set(ranked);
    return [...ranked.filter((uid) => there.has(uid)), ...order.filter((uid) => !known.has(uid))];
  }
  return order;
}
/** web-2 before web-10. */
const collator = new Intl.Collator('en', { numeric: true });

/**
 * A pod's name for a cell. Static pods end in their node's name, all of them the same: there is no room to say that
 * each time.
 */
export function cellName(pod: string, node: string): string {
  return node !== '' && pod.endsWith(`-${node}`) ? pod.slice(0, -node.length - 1) || pod : pod;
}

/** Counts the pods of each kind. */
export function heatCounts(cells: readonly StripCell[]): Record<Heat, number> {
  const counts: Record<Heat, number> = { failing: 0, working: 0, ending: 0, waiting: 0, running: 0, done: 0 };
  for (const cell of cells) counts[cell.heat]++;
  return counts;
}
