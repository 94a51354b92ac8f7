import type { Json, Micros, NodeState, Seq } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import { diffStates } from '../inspect/index.js';
import type { Comparison, PodOutcome } from '../protocol/branches.js';
import type { Timeline } from '../run/timeline.js';
import { recordsOf } from './branch-records.js';
import type { TimeTravel } from './time-travel.js';

/** Compares two branches at the same time, the latest that is known of both; with `ends`, each at its own end. */
export function* compareBranches(travel: TimeTravel, one: number, other: number, ends = false): Work<Comparison> {
  const a = yield* recordsOf(travel, one);
  const b = yield* recordsOf(travel, other);
  const same = yield* commonEnd(a, b, travel.branches.divergence(one, other).seq);
  const both = Math.min(a.store.state.time, b.store.state.time);
  const [x, y] = [a, b].map(({ store }) => (ends ? store.state : stateBy(store, both))) as [NodeState, NodeState];
  return {
    same,
    times: ends ? [x.time, y.time] : [both, both],
    first: [a.store.get(same + 1) ?? null, b.store.get(same + 1) ?? null],
    changes: diffStates(x, y),
    outcomes: [outcomes(x), outcomes(y)],
  };
}

/** The state after the last record that is not later than a time; after the oldest state in memory if all are later. */
function stateBy(store: RecordStore, time: Micros): NodeState {
  let [low, high] = [store.first - 1, store.last];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((store.get(middle)?.time ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return store.stateAt(low);
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
