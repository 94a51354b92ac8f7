/** Which problem caused another one: by kind, by node, pod or container, and by time. */
import type { Micros } from '../../trace/index.js';
import type { Moment } from '../findings/types.js';
import { DEFAULT_LEAD, DEFAULT_TAIL, kindRows } from './kinds.js';
import { NO_CIDR } from './phrases.js';
import type { Problem } from './problems.js';
import type { AffectedPod, Confidence } from './types.js';

/** A problem on its way to be an incident. */
export interface Item extends Omit<Problem, 'pods' | 'moments'> {
  readonly pods: readonly AffectedPod[];
  readonly moments: readonly Moment[];
  readonly confidence: Confidence;
  expected: boolean;
}

/** Items by kind, and by kind and pod. */
export class ItemIndex {
  private readonly lists = new Map<string, Item[]>();

  constructor(items: readonly Item[]) {
    for (const item of items)
      for (const key of new Set([item.kind, `${item.kind} ${item.pod}`, `${item.kind} ${item.uid}`])) {
        const list = this.lists.get(key);
        if (list) list.push(item);
        else this.lists.set(key, [item]);
      }
  }
  /** Items of a kind that may be near to this one: all of the node's; of others those of the same pod. */
  near(item: Item, kind: string, near: 'node' | 'pod' | 'container'): readonly Item[] {
    const nameless = item.pod === '' && item.uid === '';
    if (near === 'node' || nameless) return this.lists.get(kind) ?? [];
    const byName = item.pod === '' ? undefined : this.lists.get(`${kind} ${item.pod}`);
    return byName ?? (item.uid === '' ? undefined : this.lists.get(`${kind} ${item.uid}`)) ?? [];
  }
}

/** Returns the item that explains this moment of another one; null if there is none. */
export function causeOf(item: Item, moment: Moment, index: ItemIndex): Item | null {
  const row = kindRows[item.kind];
  for (const [near, kinds] of [
    ['container', row.container],
    ['pod', row.pod],
    ['node', row.node],
  ] as const)
    for (const kind of kinds ?? [])
      for (const other of index.near(item, kind, near))
        if (other !== item && mayCause(other, item) && isNear(item, other, near) && covers(other, moment.time))
          return other;
  return null;
}

const OF_API: ReadonlySet<string> = new Set(kindRows.lease.node);
/** The troubles that those of a start bring with them; other ones would be there without them. */
const OF_START: ReadonlySet<string> = new Set(['sync-failed', 'volume-mount', 'network-setup', 'sandbox']);
function mayCause(cause: Item, item: Item): boolean {
  // The API server gives a node its pod CIDR; a plug-in's configuration comes without it.
  if (item.kind === 'network-not-ready' && OF_API.has(cause.kind) && !NO_CIDR.test(item.what)) return false;
  // The kernel kills what needs most memory, which may be the runtime.
  if (item.kind === 'runtime-down' && cause.kind === 'system-oom') return / exited$/.test(item.what);
  // A node that is short of something else than memory has enough of it.
  if (item.kind === 'system-oom') return cause.part === 'memory';
  if (!cause.expected || kindRows[cause.kind].weight === 0) return true;
  // A trouble that goes on is never hidden below a start that went well.
  const goesOn = !item.expected && item.end === null;
  return !goesOn && (kindRows[item.kind].atStart === true || OF_START.has(item.kind));
}

function isNear(item: Item, other: Item, near: 'node' | 'pod' | 'container'): boolean {
  if (near === 'node') return true;
  // A line that names no pod is about whichever suffers at that moment.
  if (item.pod === '' && item.uid === '' && kindRows[item.kind].scope !== 'node') return true;
  const samePod = (item.uid !== '' && item.uid === other.uid) || (item.pod !== '' && item.pod === other.pod);
  return (
    samePod && (near === 'pod' || item.container === other.container || item.container === '' || other.container === '')
  );
}

/** True if what happens at this time may follow from the item. */
function covers(item: Item, time: Micros): boolean {
  const { lead = DEFAULT_LEAD, tail = DEFAULT_TAIL } = kindRows[item.kind];
  const during = item.spells.some(({ from, to }) => {
    const end = to ?? item.end?.time ?? Number.POSITIVE_INFINITY;
    return time >= from - lead && time <= Math.max(end, from) + tail;
  });
  if (!during) return false;
  if (kindRows[item.kind].scope === 'node') return true;
  // An incident of a pod comes and goes: only what is near to one of its moments follows from it.
  return (
    item.moments.some((m) => time >= m.time - lead && time <= m.time + Math.max(tail, 2 * lead)) || item.end === null
  );
}
