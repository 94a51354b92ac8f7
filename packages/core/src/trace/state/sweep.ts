/**
 * Keeps the state small over a simulated day: it drops what has ended some time ago. It runs every SWEEP_EVERY records,
 * less often for a large state. The count is in the state itself, so that the state stays a function of the records.
 */
import type { NodeState } from './state.js';

export const SWEEP_EVERY = 1024;

const SECOND = 1_000_000;
/** A sweep looks at everything in memory, so between two sweeps there is one record for each this many entries. */
const ENTRIES_PER_RECORD = 4;
/** The time for which something that has ended can still be inspected. */
const KEEP = {
  goroutine: 30 * SECOND,
  channel: 30 * SECOND,
  container: 60 * SECOND,
  pod: 300 * SECOND,
  image: 300 * SECOND,
} as const;
/**
 * The most ended entries that are kept, whatever their age; and the most idle open channels (timers nobody stopped).
 */
const MOST = { goroutines: 500, channels: 500, idleChannels: 64, containers: 1000 } as const;

/**
 * Drops goroutines that ended; closed channels, and, when there are many, the open ones that are unused for longest and
 * have no waiters; removed sandboxes, containers and images, and of an observed kubelet the ended ones of pods that are
 * gone; pods that are not desired and have neither worker nor containers.
 */
export function sweep(state: NodeState): void {
  const now = state.time;
  drop(state.goroutines, (g) => (g.state === 'dead' ? g.since : null), now - KEEP.goroutine, MOST.goroutines);
  const idle = (c: NodeState['channels'][string]) => c.receivers.length === 0 && c.senders.length === 0;
  drop(state.channels, (c) => (c.closed && idle(c) ? c.lastTime : null), now - KEEP.channel, MOST.channels);
  // An open channel may be used again: the newest one of each name is dropped last, the loop's own ones never.
  const newest = new Map<string, number>();
  for (const id of Object.keys(state.channels)) {
    const c = state.channels[id];
    if (c && c.id > (newest.get(c.name) ?? 0)) newest.set(c.name, c.id);
  }
  drop(
    state.channels,
    (c) => (idle(c) && c.id !== newest.get(c.name) ? c.lastTime : null),
    Number.NEGATIVE_INFINITY,
    MOST.idleChannels,
  );
  // Not every source of an observed kubelet reports that a container was removed: those of a pod that is gone are.
  const left = ({ uid, state: is }: { readonly uid: string; readonly state: string }) =>
    !state.actual && (is === 'exited' || is === 'notready') && state.pods[uid]?.desired !== true;
  const { cases } = state.loop;
  drop(
    state.channels,
    (c) => (idle(c) && !cases.includes(c.name) ? c.lastTime : null),
    Number.NEGATIVE_INFINITY,
    MOST.channels,
  );
  const units =
    drop(
      state.containers,
      (c) => (c.state === 'removed' || left(c) ? c.since : null),
      now - KEEP.container,
      MOST.containers,
    ) +
    drop(
      state.sandboxes,
      (s) => (s.state === 'removed' || left(s) ? s.since : null),
      now - KEEP.container,
      MOST.containers,
    );
  drop(state.images, (i) => (i.state === 'removed' ? 0 : null), now - KEEP.image, MOST.containers);
  const held = new Set<string>();
  for (const id of Object.keys(state.sandboxes)) held.add(state.sandboxes[id]?.uid ?? '');
  for (const id of Object.keys(state.containers)) held.add(state.containers[id]?.uid ?? '');
  const over = (p: NodeState['pods'][string]) =>
    !p.desired &&
    (p.worker === null || p.worker.state === 'removed' || p.worker.state === 'finished') &&
    !held.has(p.uid);
  const pods = drop(state.pods, (p) => (over(p) ? p.lastTime : null), now - KEEP.pod, MOST.containers);
  const entries = pods + units;
  if (entries > SWEEP_EVERY * ENTRIES_PER_RECORD)
    state.counts.nextSweep = state.counts.records + Math.floor(entries / ENTRIES_PER_RECORD);
}

/**
 * Drops entries that have ended. `ended`: when an entry ended, null if it has not. Returns how many entries
 * were looked at.
 */
function drop<T>(map: Record<string, T>, ended: (value: T) => number | null, before: number, most: number): number {
  const over: { key: string; at: number }[] = [];
  const keys = Object.keys(map);
  for (const key of keys) {
    const at = ended(map[key] as T);
    if (at === null) continue;
    if (at < before) delete map[key];
    else over.push({ key, at });
  }
  if (over.length > most) {
    over.sort((a, b) => a.at - b.at);
    for (const { key } of over.slice(0, over.length - most)) delete map[key];
  }
  return keys.length;
}
