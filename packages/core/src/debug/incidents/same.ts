/** Items of the same trouble that lines name in different ways are one. */
import type { Micros } from '../../trace/index.js';
import { repeats } from '../findings/innermost.js';
import type { Item } from './causes.js';
import { type KindRow, kindRows } from './kinds.js';
import { AGAIN, MOST_MOMENTS } from './problems.js';
import type { IncidentFacts } from './types.js';

/** How near to each other a line that names its pod and one that does not are. */
const NEAR: Micros = 15e6;

/** Lines that do not name their pod, or the resource, say the same as those near to them that do. */
export function named(items: readonly Item[]): Item[] {
  const nameless = (i: Item) => i.pod === '' && i.uid === '';
  // Some lines name the pod, and not its container: those of the kernel, and some of the runtime's.
  const vague = (i: Item) =>
    kindRows[i.kind].scope === 'node'
      ? i.kind === 'pressure' && i.part === ''
      : nameless(i) || (kindRows[i.kind].scope === 'container' && i.container === '');
  const out = items.filter((i) => !vague(i));
  for (const item of items.filter(vague).sort((a, b) => Number(nameless(a)) - Number(nameless(b)))) {
    const near = (o: Item) => item.begin.time >= o.begin.time - NEAR && item.begin.time <= o.last.time + NEAR;
    const at = out.findIndex(
      (o) =>
        o.kind === item.kind &&
        (near(o) || isSameImage(o, item)) &&
        (nameless(item) || item.kind === 'pressure' || o.pod === item.pod),
    );
    const other = out[at];
    if (!other) {
      // A line before it names the pod and says why: this one says less of the same.
      const { pod = [], scope } = kindRows[item.kind] as KindRow;
      const why =
        scope !== 'node' && nameless(item) && out.some((o) => o.pod !== '' && near(o) && pod.includes(o.kind));
      if (!why) out.push(item);
      continue;
    }
    const moments = momentsOf(other, item);
    const facts = { ...only(item.facts), ...other.facts };
    out[at] = { ...other, facts, moments, begin: item.begin.time < other.begin.time ? item.begin : other.begin };
  }
  return out;
}

/** Facts that may be in no other line than one that does not name its pod, or the resource. */
const only = ({ image, pods }: IncidentFacts): IncidentFacts => ({
  ...(image !== undefined && { image }),
  ...(pods !== undefined && { pods }),
});

/** The runtime's own line about an image names no pod. */
function isSameImage(a: Item, b: Item): boolean {
  const image = ({ facts }: Item) => String(facts.image ?? '').replace(/^docker\.io\/(library\/)?|:latest$/g, '');
  return a.kind === 'image' && image(b) !== '' && image(a) === image(b);
}

/** Lines with a pod's UID alone, or its name alone, and lines with both are about one pod. */
export function sameObjects(items: readonly Item[]): Item[] {
  const out: Item[] = [];
  const at = new Map<string, number>();
  for (const item of [...items].sort((a, b) => a.begin.time - b.begin.time || a.begin.seq - b.begin.seq)) {
    const { kind, pod, container, part } = item;
    const key = pod === '' || kindRows[kind].scope === 'node' ? '' : [kind, pod, container, part].join('|');
    const known = key === '' ? undefined : at.get(key);
    const other = known === undefined ? undefined : out[known];
    if (known !== undefined && other && item.begin.time - (other.end?.time ?? other.last.time) <= AGAIN) {
      out[known] = {
        ...spellsOf(other, item),
        what: item.what === '' || repeats(item.what) ? other.what || item.what : item.what,
        facts: { ...other.facts, ...item.facts },
      };
      continue;
    }
    if (key !== '') at.set(key, out.length);
    out.push(item);
  }
  return out;
}

/** The moments of two items in their order; the latest stay. */
export const momentsOf = (a: Item, b: Item): Item['moments'] =>
  [...a.moments, ...b.moments].sort((x, y) => x.seq - y.seq).slice(-MOST_MOMENTS);

/**
 * Joins troubles of the node that are of no start: one that is over for a moment may have been of a start, and is apart
 * from the next until that is known.
 */
export function rejoined(items: readonly Item[]): Item[] {
  const out: Item[] = [];
  const inOrder = [...items].sort((a, b) => a.begin.time - b.begin.time || a.begin.seq - b.begin.seq);
  for (const item of inOrder) {
    const { scope, atStart } = kindRows[item.kind];
    const at =
      item.expected || scope !== 'node' || atStart !== true
        ? -1
        : out.findIndex(
            (o) =>
              o.kind === item.kind &&
              o.part === item.part &&
              !o.expected &&
              item.begin.time - (o.end?.time ?? o.last.time) <= AGAIN,
          );
    const other = out[at];
    if (other) out[at] = spellsOf(other, item);
    else out.push(item);
  }
  return out;
}
function spellsOf(first: Item, next: Item): Item {
  const pods = new Map([...first.pods, ...next.pods].map((pod) => [pod.pod || pod.uid, pod]));
  return {
    ...first,
    count: first.count + next.count,
    last: next.last,
    end: next.end,
    spells: [...first.spells, ...next.spells],
    pods: [...pods.values()],
    moments: momentsOf(first, next),
  };
}
