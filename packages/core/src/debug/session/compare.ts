import type { Json, NodeState, Seq, TraceRecord } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import { type Change, diffStates } from '../inspect/index.js';
import type { Timeline } from '../run/timeline.js';
import type { TimeTravel } from './time-travel.js';

/** What became of a pod, in few words. */
export interface PodOutcome {
  readonly pod: string;
  readonly phase: string;
  readonly reason: string;
  readonly containers: readonly { readonly name: string; readonly state: string; readonly restarts: number }[];
}

/**
 * Two branches side by side. Records up to `same` are the same in both; the first that differs in each, null where one
 * ends.
 */
export interface Comparison {
  readonly same: Seq;
  readonly first: readonly [TraceRecord | null, TraceRecord | null];
  /** From the end of the one to the end of the other. */
  readonly changes: readonly Change[];
  readonly outcomes: readonly [readonly PodOutcome[], readonly PodOutcome[]];
}

/** Compares two branches at their ends. */
export function* compareBranches(travel: TimeTravel, one: number, other: number): Work<Comparison> {
  const a = yield* travel.recordsOf(one);
  const b = yield* travel.recordsOf(other);
  const same = yield* commonEnd(a, b, travel.parting(one, other).seq);
  return {
    same,
    first: [a.store.get(same + 1) ?? null, b.store.get(same + 1) ?? null],
    changes: diffStates(a.store.state, b.store.state),
    outcomes: [outcomes(a.store.state), outcomes(b.store.state)],
  };
}

/** Records compared between two yields. */
const SLICE = 16;

function* commonEnd(a: Timeline, b: Timeline, from: Seq): Work<Seq> {
  const end = Math.min(a.last, b.last);
  let seq = Math.max(Math.min(from, end), a.store.oldest - 1, b.store.oldest - 1);
  while (seq < end && JSON.stringify(a.store.get(seq + 1)) === JSON.stringify(b.store.get(seq + 1)))
    if (++seq % SLICE === 0) yield { steps: a.stepOf(seq), time: a.store.get(seq)?.time ?? 0 };
  return seq;
}

/** The pods that the node knows, as their statuses have them. */
export function outcomes(state: NodeState): PodOutcome[] {
  return Object.values(state.pods)
    .filter((p) => p.phase !== '' || p.desired)
    .map(({ pod, phase, reason, status }) => ({ pod, phase, reason, containers: containersOf(status) }))
    .sort((x, y) => (x.pod < y.pod ? -1 : 1));
}

interface ContainerStatus {
  readonly name?: string;
  readonly restartCount?: number;
  readonly state?: { readonly [key: string]: { readonly reason?: string } | undefined };
}
function containersOf(status: Json): PodOutcome['containers'] {
  const { containerStatuses, initContainerStatuses } = (status ?? {}) as {
    containerStatuses?: readonly ContainerStatus[];
    initContainerStatuses?: readonly ContainerStatus[];
  };
  return [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])].map(
    ({ name = '', restartCount = 0, state = {} }) => {
      const [kind, detail] = Object.entries(state)[0] ?? ['', undefined];
      return { name, state: detail?.reason ? `${kind}: ${detail.reason}` : kind, restarts: restartCount };
    },
  );
}
