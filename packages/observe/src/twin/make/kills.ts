/** Concludes hooks and sidecars from the times at which containers were killed, if no list shows their pod. */
import type { Micros } from '@syncloop/core/trace';
import { byPod } from './by-pod.js';
import type { Seen, SeenStep } from './seen.js';

/** The containers of a pod that are killed together are killed within this time, if nothing holds a kill back. */
const AT_ONCE: Micros = 50_000;
/** From the end of a container to the relist that sees it, at most. */
const SEEN_ENDED: Micros = 1_150_000;
/** From a sync's decision to kill a container to the kill. */
const DECIDED: Micros = 20_000;
/** A kill comes this long after the end of the grace period at the latest. */
const LATE: Micros = 3_000_000;

/** A kill that was held back: by a hook before it, or by the containers that end before a sidecar does. */
export interface HeldBack {
  readonly step: SeenStep;
  readonly by: 'hook' | 'sidecar';
  readonly for: Micros;
}

const known = new WeakMap<Seen, Map<string, readonly HeldBack[]>>();

/** The kills of a pod's containers that came later than those of the others, if only a log below -v=3 shows the pod. */
export function heldBack(uid: string, seen: Seen): readonly HeldBack[] {
  const of = known.get(seen) ?? new Map<string, readonly HeldBack[]>();
  known.set(seen, of);
  let found = of.get(uid);
  if (!found) {
    found = conclude(uid, seen);
    of.set(uid, found);
  }
  return found;
}

function conclude(uid: string, seen: Seen): HeldBack[] {
  const index = byPod(seen);
  // Lists, events and the steps of hooks say it themselves.
  if (seen.events.length > 0 || seen.pods.get(uid)?.objects.length !== 0) return [];
  const steps = index.steps.of(uid);
  if (steps.some(({ fn }) => fn !== 'killContainer')) return [];
  const found: HeldBack[] = [];
  let group: SeenStep[] = [];
  for (const step of steps) {
    const decided = index.kills
      .of(uid)
      .filter(({ container, time }) => container === step.container && time <= step.time + DECIDED)
      .at(-1);
    if (decided && step.time - decided.time < most(step)) {
      const wait = step.time - decided.time;
      const before = index.steps.of(uid).some((o) => o.containerID === step.containerID && o.time < step.time);
      if (wait > AT_ONCE && !before) found.push({ step, by: 'hook', for: wait });
      continue;
    }
    const [first] = group;
    if (!first || step.time - first.time > most(first) || group.some(({ container }) => container === step.container))
      group = [];
    group.push(step);
    const wait = step.time - (group[0] as SeenStep).time;
    if (wait > AT_ONCE) found.push({ step, by: isLast(step, group, seen) ? 'sidecar' : 'hook', for: wait });
  }
  return found;
}
const most = ({ grace }: SeenStep): Micros => (grace ?? 30) * 1e6 + LATE;

/** True if the kill came just when the containers before it had ended, and its container had started before them. */
function isLast(step: SeenStep, group: readonly SeenStep[], seen: Seen): boolean {
  const first = group
    .filter(({ time }) => step.time - time > AT_ONCE)
    .map((one) => seen.containers.get(one.containerID));
  const end = Math.max(...first.map((one) => one?.ended ?? Number.POSITIVE_INFINITY));
  const self = seen.containers.get(step.containerID)?.ran ?? Number.POSITIVE_INFINITY;
  const isEarlier = first.every((one) => one?.ran !== undefined && self < one.ran - AT_ONCE);
  return seen.hasSidecars && isEarlier && end >= step.time && end - step.time <= SEEN_ENDED;
}
