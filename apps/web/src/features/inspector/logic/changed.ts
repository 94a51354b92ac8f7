/**
 * Compares the state before and after the last step: between which records, and which differences are about a
 * selection. Pure.
 */
import type { Path, Segment } from '@syncloop/core/debug/inspect';
import type { NodeState, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { channelFor, keyOfChannel } from '../../../run/loop.js';
import { isOfPodKiller, podKillingChannel } from '../../../run/pod-killer.js';
import { containerIn } from './asks.js';

/** A position at which the session stood still. */
export interface Stop {
  readonly seq: Seq;
  readonly steps: number;
}
const MOST_STOPS = 5_000;

/** Remembers where the session stood still, and so what the last step was. */
export class Stops {
  /** Seq by the count of decisions there. */
  private readonly known = new Map<number, Seq>();
  private at: Stop = { seq: 0, steps: 0 };
  private before: Stop | null = null;

  /** Notes a stop. After another run, or one started over, `clear` comes first. */
  stand(stop: Stop): void {
    if (stop.seq === this.at.seq && stop.steps === this.at.steps) return;
    this.before = this.at;
    this.at = stop;
    if (this.known.size >= MOST_STOPS) this.known.clear();
    this.known.set(stop.steps, stop.seq);
  }
  /** Forgets the stops after `seq`: it is another run, or another branch of it. */
  clear(seq = 0): void {
    for (const [steps, at] of this.known) if (at > seq) this.known.delete(steps);
    this.before = null;
    this.at = { seq: Math.min(this.at.seq, seq), steps: seq === 0 ? 0 : this.at.steps };
  }

  /**
   * Returns the record after which the last step began: the session's position before, or, after going back, one
   * decision earlier.
   */
  since(now: Seq, get: (seq: Seq) => TraceRecord | undefined): Seq {
    const { before, at } = this;
    if (at.seq === now && before && before.seq < now) return before.seq;
    const one = at.seq === now ? this.known.get(at.steps - 1) : undefined;
    return one !== undefined && one < now ? one : turnBefore(now, get);
  }
}

/** The record before the turn of the goroutine that made the last one. */
export function turnBefore(now: Seq, get: (seq: Seq) => TraceRecord | undefined): Seq {
  const last = get(now);
  let seq = now;
  while (seq > 0 && last && get(seq)?.g === last.g) seq--;
  return seq;
}

/**
 * Returns the loop's last select before `now`, after which this iteration began; at a select itself, the one before. 0
 * if none is in memory.
 */
export function iterationBefore(now: Seq, state: NodeState, get: (seq: Seq) => TraceRecord | undefined): Seq {
  const { g } = state.loop;
  if (g === 0) return 0;
  for (let seq = now - 1; seq > 0; seq--) {
    const record = get(seq);
    if (!record) return seq;
    // The loop's own select has the eight channels; others in the same goroutine are small.
    if (record.kind === 'select' && record.g === g && record.cases.length >= 6) return seq;
  }
  return 0;
}

/** Fields that follow from others, or that every record changes. */
const BOOKKEEPING = new Set(['seq', 'time', 'lastSeq', 'lastTime', 'lastRelist', 'chosenSeq', 'since']);

/**
 * Returns true if a difference only says that something happened, not what. `whole`: seen among those of the whole
 * node.
 */
export function isBookkeeping(path: Path, whole = false): boolean {
  const [top, , third] = path;
  if (top === 'counts') return true;
  // The goroutines' waits show this already; a select waits in eight channels at once.
  if (whole && top === 'channels' && /^(receivers|sent|received)$/.test(String(third))) return true;
  const last = path.at(-1);
  // A status is written by the kubelet as a whole: all of it matters.
  return typeof last === 'string' && BOOKKEEPING.has(last) && !path.includes('status');
}

/** A test for the parts of the state that a selection is about; null for the whole node. */
export function partsOf(state: NodeState, selection: Selection | null): ((path: Path) => boolean) | null {
  if (!selection) return null;
  switch (selection.kind) {
    case 'record':
      return null;
    case 'pod': {
      const { uid } = selection;
      const own = (map: Readonly<Record<string, { readonly uid: string }>>, key: Segment | undefined) =>
        typeof key === 'string' && map[key]?.uid === uid;
      return ([top, key]) =>
        (top === 'pods' && key === uid) ||
        (top === 'containers' && own(state.containers, key)) ||
        (top === 'sandboxes' && own(state.sandboxes, key)) ||
        (top === 'goroutines' && own(state.goroutines, key));
    }
    case 'container': {
      const c = containerIn(state, selection.id);
      const id = c?.id ?? selection.id;
      return ([top, key, ...rest]) =>
        (top === 'containers' && key === id) ||
        (top === 'pods' && key === c?.uid && rest.some((s) => names(s, id) || (c !== undefined && names(s, c.name))));
    }
    case 'sandbox':
      return ([top, key]) =>
        (top === 'sandboxes' && key === selection.id) ||
        (top === 'containers' && typeof key === 'string' && state.containers[key]?.sandbox === selection.id);
    case 'goroutine':
      return ([top, key]) => top === 'goroutines' && key === String(selection.id);
    case 'channel': {
      const id = channelId(state, selection.name);
      return ([top, key]) => top === 'channels' && key === id;
    }
    case 'part':
      return partTest(state, selection.part);
  }
}

/** A segment that names a container: by key, or by the end of `crash-loop/app`. */
const names = (segment: Segment, name: string): boolean =>
  typeof segment === 'object'
    ? segment.value === name
    : typeof segment === 'string' && (segment === name || segment.split('/').includes(name));

/** The key in the state of the channel that a name means, '' if there is none. */
export function channelId(state: NodeState, name: string): string {
  const exact = Object.values(state.channels).filter((c) => c.name === name);
  const key = keyOfChannel(name);
  const found = exact.sort((a, b) => b.id - a.id)[0] ?? (key ? channelFor(state, key) : undefined);
  return found ? String(found.id) : Object.hasOwn(state.channels, name) ? name : '';
}

function partTest(state: NodeState, part: Extract<Selection, { kind: 'part' }>['part']): (path: Path) => boolean {
  switch (part) {
    case 'loop':
      return ([top, key]) => top === 'loop' || (top === 'goroutines' && key === String(state.loop.g));
    case 'pleg':
      return ([top]) => top === 'pleg';
    case 'cri':
      return ([top]) => top === 'cri' || top === 'runtime';
    case 'status':
      return ([top, , field]) => top === 'pods' && /^(status|phase|reason)/.test(String(field));
    case 'probes':
      return ([top, , field]) => top === 'pods' && field === 'probes';
    case 'podKiller': {
      const channel = String(podKillingChannel(state)?.id);
      return ([top, key]) =>
        (top === 'channels' && key === channel) ||
        (top === 'goroutines' && isOfPodKiller(state.goroutines[Number(key)]?.name ?? ''));
    }
    case 'podConfig':
      return ([top]) => top === 'sources';
    case 'images':
      return ([top]) => top === 'images';
    default: {
      const source = part.slice('source-'.length);
      return ([top, key]) => top === 'sources' && key === source;
    }
  }
}
