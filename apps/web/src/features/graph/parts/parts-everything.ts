/** The contents of the Everything level's boxes, as plain values copied out of the state. */
import type { ChannelState, GoroutineView, Micros, NodeState, PodView } from '@syncloop/core/trace';
import { shortPod } from '../../../units/text.js';

/** A channel by name, open and the newest of that name. */
function channelNamed(state: NodeState, name: string): ChannelState | null {
  let found: ChannelState | null = null;
  for (const id of Object.keys(state.channels)) {
    const c = state.channels[id] as ChannelState;
    if (c.name === name && !c.closed && (!found || c.id > found.id)) found = c;
  }
  return found;
}

/** A goroutine of the kubelet by the beginning of its name, alive. */
function goroutineNamed(state: NodeState, name: string): GoroutineView | null {
  for (const id of Object.keys(state.goroutines)) {
    const g = state.goroutines[id] as GoroutineView;
    if (g.name === name && g.state !== 'dead') return g;
  }
  return null;
}

/** Something that comes round: a goroutine that sleeps until, or waits for a ticker. */
export interface Round {
  readonly alive: boolean;
  readonly goroutine: number;
  /** True if it is at work, false if it waits for its time. */
  readonly now: boolean;
  /** When it wakes, null if that is not known. */
  readonly next: Micros | null;
  /** Length of a round, when known, and how far it is (0..1). */
  readonly fill: number | null;
}

/** The round of a goroutine that sleeps between its rounds. */
export function sleeper(state: NodeState, name: string, period: Micros, now: Micros): Round {
  const g = goroutineNamed(state, name);
  if (!g) return { alive: false, goroutine: 0, now: false, next: null, fill: null };
  const until = g.wait?.op === 'sleep' ? (g.wait.until ?? null) : null;
  return {
    alive: true,
    goroutine: g.id,
    now: until === null,
    next: until,
    fill: until === null ? null : part((period - (until - now)) / period),
  };
}

/** The round of a goroutine that waits for a ticker's channel; the ticker began when its channel was made. */
export function ticking(state: NodeState, name: string, ticker: string, period: Micros, now: Micros): Round {
  const g = goroutineNamed(state, name);
  const c = channelNamed(state, ticker);
  if (!g) return { alive: false, goroutine: 0, now: false, next: null, fill: null };
  const waits = g.state === 'waiting' && c !== null && (g.wait?.chans?.includes(c.id) ?? false);
  return {
    alive: true,
    goroutine: g.id,
    now: !waits,
    next: c && waits ? c.lastTime + period : null,
    fill: c && waits ? part((now - c.lastTime) / period) : null,
  };
}
// A clock face needs no finer steps than these.
const part = (f: number): number => Math.round(Math.min(1, Math.max(0, f)) * 24) / 24;

export interface Due {
  readonly uid: string;
  readonly pod: string;
  readonly due: Micros;
}
/** The work queue: pods by when they are due, the first first. */
export function workQueue(state: NodeState): Due[] {
  const rows: Due[] = [];
  for (const uid of Object.keys(state.pods)) {
    const p = state.pods[uid] as PodView;
    const due = p.worker?.due;
    if (due !== null && due !== undefined) rows.push({ uid, pod: shortPod(p.pod), due });
  }
  return rows.sort((a, b) => a.due - b.due);
}

export interface BackoffRow {
  readonly key: string;
  readonly uid: string;
  readonly what: string;
  readonly of: string;
  readonly delay: Micros;
  readonly until: Micros;
}
/** Returns the back-offs that delay something now, and those that would next time (`until` in the past). */
export function backoffRows(state: NodeState): BackoffRow[] {
  return Object.values(state.pods)
    .flatMap((p) =>
      Object.values(p.backoffs).map((b) => ({
        key: `${p.uid}/${b.of}/${b.container}`,
        uid: p.uid,
        what: `${shortPod(p.pod)}/${b.container}`,
        of: b.of,
        delay: b.delay,
        until: b.until,
      })),
    )
    .filter((b) => b.until > state.time)
    .sort((a, b) => a.until - b.until);
}

export interface CacheRow {
  readonly uid: string;
  readonly pod: string;
  readonly time: Micros;
  readonly containers: number;
  readonly error: string;
  /** A worker waits for something newer. */
  readonly wanted: Micros | null;
}
export function cacheRows(state: NodeState): CacheRow[] {
  return Object.values(state.pods).flatMap((p) =>
    p.cache || (p.worker?.waitsForNewerThan ?? null) !== null
      ? [
          {
            uid: p.uid,
            pod: shortPod(p.pod),
            time: p.cache?.time ?? 0,
            containers: p.cache?.containers.length ?? 0,
            error: p.cache?.error ?? '',
            wanted: p.worker?.waitsForNewerThan ?? null,
          },
        ]
      : [],
  );
}

export interface GoroutineRow {
  readonly id: number;
  readonly name: string;
  readonly state: 'runnable' | 'waiting';
  readonly op: string;
  /** The channels, the lock or the call that it waits for, by name. */
  readonly on: string;
  readonly until: Micros | null;
  readonly since: Micros;
  /** Innermost named call. */
  readonly fn: string;
}
/** The kubelet's goroutines that are alive, as they came. */
export function goroutineRows(state: NodeState): GoroutineRow[] {
  const rows: GoroutineRow[] = [];
  for (const id of Object.keys(state.goroutines)) {
    const g = state.goroutines[id] as GoroutineView;
    if (g.state === 'dead' || g.process !== 'kubelet') continue;
    const chans = (g.wait?.chans ?? []).map((c) => state.channels[c]?.name ?? '').filter(Boolean);
    rows.push({
      id: g.id,
      name: g.name,
      state: g.state,
      op: g.wait?.op ?? '',
      on: chans.length > 0 ? [...new Set(chans)].join(', ') : (g.wait?.name ?? ''),
      until: g.wait?.until ?? null,
      since: g.since,
      fn: g.stack[g.stack.length - 1]?.fn ?? '',
    });
  }
  return rows;
}

export interface QueueOf {
  readonly exists: boolean;
  readonly count: number;
  readonly cap: number;
  readonly sent: number;
}
export function queueOf(state: NodeState, channel: string): QueueOf {
  const c = channelNamed(state, channel);
  return { exists: c !== null, count: c?.items.length ?? 0, cap: c?.cap ?? 0, sent: c?.sent ?? 0 };
}

export interface EventRow {
  readonly seq: number;
  readonly time: Micros;
  readonly reason: string;
  readonly who: string;
  readonly warning: boolean;
  readonly message: string;
}
/** A pod's short name; '' for the node, whose name says nothing here and takes the reason's room. */
function whoOf({ kind, namespace, name }: NodeState['events'][number]['object']): string {
  if (kind === 'Node') return '';
  return kind === 'Pod' ? shortPod(`${namespace}/${name}`) : name;
}
/** Newest first. */
export function eventRows(state: NodeState, most: number): EventRow[] {
  return state.events
    .slice(-most)
    .reverse()
    .map((e) => ({
      seq: e.seq,
      time: e.time,
      reason: e.reason,
      who: whoOf(e.object),
      warning: e.type === 'Warning',
      message: e.message,
    }));
}
