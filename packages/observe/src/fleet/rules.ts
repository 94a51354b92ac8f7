/** The rules that find what incidents of several nodes have in common. */
import { type IncidentKind, kindRows } from '@syncloop/core/debug/incidents';
import { type Aligned, aheadOf, type Landed, type Sign } from './aligned.js';
import { chanceOfAtLeast, chanceOfWindow } from './chance.js';
import type { CauseRule } from './types.js';

/** Signs that may have one cause. */
export interface Group {
  readonly rule: CauseRule;
  readonly kind: IncidentKind;
  readonly key: string;
  /** One for each node: its first. */
  readonly signs: readonly Sign[];
  readonly chance: number;
  /** By the rule `landing`: what came to each node, in the order of `signs`, and how many nodes it came to. */
  readonly landed?: readonly Landed[];
  readonly landedOn?: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Beginnings on several nodes that are no farther apart may be one. */
const GAP = MINUTE;
/** The difference that two clocks may have that are said to agree. */
const CLOCKS = 2 * SECOND;
/** Spans before a trouble in which a landing may be its cause. */
const BEFORE = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];

/** The least share of the nodes to which a workload came that has the trouble. */
const LANDED_SHARE = 0.3;

/** The API server is one for all nodes, so that several lose it for one reason is not a surprise. */
const ONE_FOR_ALL: ReadonlySet<IncidentKind> = new Set<IncidentKind>([
  'api-unreachable',
  'api-refused',
  'node-not-registered',
  'lease',
]);
const BY_CHANCE = { oneForAll: 0.01, node: 0.001 } as const;
/** A node alone loses what is one for all less often than this; logs of a few seconds do not show how seldom it is. */
const RARE = 60 * MINUTE;

/** Troubles that a pod brings to its node. */
const BROUGHT: ReadonlySet<IncidentKind> = new Set<IncidentKind>([
  'pressure',
  'eviction',
  'system-oom',
  'disk-full',
  'kubelet-killed',
  'runtime-slow',
  'runtime-down',
  'pleg-unhealthy',
]);
/** Troubles that come from what was configured or issued: the same words on several nodes are the same trouble. */
const ISSUED: ReadonlySet<IncidentKind> = new Set<IncidentKind>([
  'certificate-invalid',
  'kubelet-not-starting',
  'network-plugin',
  'service-network',
]);
/** The words of a registry that fails, rather than of an image that is not there. */
const REGISTRY_FAILS =
  /toomanyrequests|too many requests|rate limit|x509:|tls: |no such host|name resolution|server misbehaving|i\/o timeout|connection refused|no route to host|network is unreachable|TLS handshake timeout|Client\.Timeout|deadline exceeded|connection reset|: EOF|50[0234] /i;

/** `registry:5000/team/app:v1` is of the registry before its first slash; `app` and `team/app` are of Docker's. */
export function registryOf(image: string): string {
  const first = image.split('/')[0] ?? '';
  return image.includes('/') && /[.:]|^localhost$/.test(first) ? first : 'docker.io';
}

/** An error without what differs from node to node. */
export const skeletonOf = (what: string, node: string): string =>
  (node === '' ? what : what.replaceAll(node, '#'))
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '#')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '#')
    .replace(/\b[0-9a-f]{8,}\b|\d+/g, '#')
    .slice(0, 200);

/** The first sign of each node. */
function perNode(signs: readonly Sign[]): Sign[] {
  const first = new Map<string, Sign>();
  for (const sign of signs) {
    const known = first.get(sign.node.name);
    if (!known || sign.begin < known.begin) first.set(sign.node.name, sign);
  }
  return [...first.values()].sort((a, b) => a.begin - b.begin);
}

function* byKey(signs: readonly Sign[], key: (sign: Sign) => string | null): Generator<[string, Sign[]]> {
  const groups = new Map<string, Sign[]>();
  for (const sign of signs) {
    const of = key(sign);
    if (of === null) continue;
    const known = groups.get(of);
    if (known) known.push(sign);
    else groups.set(of, [sign]);
  }
  for (const [of, found] of groups) if (new Set(found.map(({ node }) => node.name)).size >= 2) yield [of, found];
}

/** Signs whose beginnings are near in time, each near the next. */
function bursts(signs: readonly Sign[]): Sign[][] {
  const out: Sign[][] = [];
  for (const sign of [...signs].sort((a, b) => a.begin - b.begin)) {
    const last = out.at(-1);
    if (last && sign.begin - (last.at(-1) as Sign).begin <= GAP) last.push(sign);
    else out.push([sign]);
  }
  return out;
}

/** Returns the part of a burst that is least likely by chance: what joined it at its edges need not belong to it. */
function tightest(burst: readonly Sign[], all: number, span: number): { signs: Sign[]; chance: number } | null {
  const signs = perNode(burst);
  let best: { signs: Sign[]; chance: number } | null = null;
  // Edges are few: a burst of hundreds of nodes is not tried in all its parts.
  const edge = Math.min(signs.length - 2, 12);
  for (let from = 0; from <= edge; from++)
    for (let to = signs.length; to >= Math.max(from + 2, signs.length - edge); to--) {
      const part = signs.slice(from, to);
      const width = (part.at(-1) as Sign).begin - (part[0] as Sign).begin + CLOCKS;
      const chance = chanceOfWindow(Math.max(all, part.length), part.length, width, span);
      if (!best || chance < best.chance) best = { signs: part, chance };
    }
  return best;
}

/** The same trouble of nodes that began on several of them within a time in which it does not by chance. */
function* windows({ signs, from, to }: Aligned): Generator<Group> {
  const ofNode = signs.filter(({ kind }) => kindRows[kind].scope === 'node');
  const kindOf = ({ kind }: Sign) => (kind === 'lease' ? 'api-unreachable' : kind);
  for (const [kind, all] of byKey(ofNode, kindOf))
    for (const burst of bursts(all)) {
      const isOne = ONE_FOR_ALL.has(kind as IncidentKind);
      const found = tightest(burst, all.length, isOne ? Math.max(to - from, RARE) : to - from);
      const limit = isOne ? BY_CHANCE.oneForAll : BY_CHANCE.node;
      if (found && found.chance < limit)
        yield { rule: 'window', kind: kind as IncidentKind, key: '', signs: found.signs, chance: found.chance };
    }
}

/** Images that cannot be pulled: the same one, or several of a registry that fails. */
function* images({ signs, from, to }: Aligned): Generator<Group> {
  const ofImage = signs.filter(({ kind, one }) => kind === 'image' && one.image !== '');
  const failing = ofImage.filter(({ one }) => REGISTRY_FAILS.test(one.what));
  for (const [key, all] of byKey(failing, ({ one }) => registryOf(one.image)))
    for (const burst of bursts(all)) {
      const found = tightest(burst, all.length, Math.max(to - from, RARE));
      if (found && found.chance < BY_CHANCE.oneForAll)
        yield { rule: 'registry', kind: 'image', key, signs: found.signs, chance: found.chance };
    }
  for (const [key, all] of byKey(ofImage, ({ one }) => one.image))
    yield { rule: 'image', kind: 'image', key, signs: perNode(all), chance: 0 };
}

/** The same trouble of pods of one workload. */
function* workloads({ signs }: Aligned): Generator<Group> {
  const ofPods = signs.filter(({ kind, workload }) => workload !== '' && kind !== 'image' && kindRows[kind].weight > 0);
  const key = ({ kind, workload, one }: Sign) => `${kind} ${workload} ${one.container}`;
  for (const [, all] of byKey(ofPods, key)) {
    const { kind, workload } = all[0] as Sign;
    yield { rule: 'workload', kind, key: workload, signs: perNode(all), chance: 0 };
  }
}

/** The same error, in the same words, of what was issued or configured for all. */
function* errors({ signs }: Aligned): Generator<Group> {
  const issued = signs.filter(({ kind, one, root }) => root && ISSUED.has(kind) && one.what !== '');
  const key = ({ kind, one, node }: Sign) => `${kind} ${skeletonOf(one.what, node.name)}`;
  for (const [, all] of byKey(issued, key)) {
    const { kind, one } = all[0] as Sign;
    yield { rule: 'same-error', kind, key: one.what, signs: perNode(all), chance: 0 };
  }
}

/** A trouble that begins on nodes soon after a pod of one workload came to them. */
function* landings({ signs, landings: all, nodes, from, to }: Aligned): Generator<Group> {
  const byWorkload = new Map<string, Landed[]>();
  for (const landed of all) {
    const known = byWorkload.get(landed.workload);
    if (known) known.push(landed);
    else byWorkload.set(landed.workload, [landed]);
  }
  const several = [...byWorkload].filter(([, landed]) => new Set(landed.map(({ node }) => node)).size >= 2);
  const tries = several.length * BEFORE.length;
  const brought = signs.filter(({ kind }) => BROUGHT.has(kind));
  const spanOfAll = Math.max(1, (to - from) * nodes.length);
  for (const kind of new Set(brought.map((sign) => sign.kind))) {
    const ofKind = brought.filter((sign) => sign.kind === kind);
    for (const [key, landed] of several) {
      const landedOn = new Set(landed.map(({ node }) => node)).size;
      let best: Group | null = null;
      for (const before of BEFORE) {
        const by = new Map<Sign, Landed>();
        for (const sign of ofKind) {
          const near = ({ node, at }: Landed) =>
            node === sign.node && at <= sign.begin + CLOCKS && at >= sign.begin - before;
          const one = landed.findLast(near);
          if (one) by.set(sign, one);
        }
        const found = perNode([...by.keys()]);
        // A workload that comes to every node, and brings trouble to few, may have come by chance.
        if (found.length < 2 || found.length < LANDED_SHARE * landedOn) continue;
        const share = Math.min(1, (landed.length * before) / spanOfAll);
        const chance = Math.min(1, chanceOfAtLeast(ofKind.length, by.size, share) * tries);
        if (chance >= BY_CHANCE.node || (best && best.chance <= chance)) continue;
        const came = found.map((sign) => by.get(sign) as Landed);
        best = { rule: 'landing', kind, key, signs: found, chance, landed: came, landedOn };
      }
      if (best) yield best;
    }
  }
}

/** Rules in the order in which one explains more than another that finds the same nodes. */
const RULES: readonly ((aligned: Aligned) => Iterable<Group>)[] = [landings, images, errors, workloads, windows];

/**
 * Finds the groups of incidents that have one cause. An incident is in one group at most: in the largest, and of those
 * in the one whose rule explains more.
 */
export function groupsOf(aligned: Aligned): Group[] {
  const found = RULES.flatMap((rule, rank) => [...rule(aligned)].map((group) => ({ group, rank })));
  found.sort(
    (a, b) =>
      b.group.signs.length - a.group.signs.length ||
      a.rank - b.rank ||
      // Pods that were evicted say more than the shortage of which they were.
      Number(b.group.kind === 'eviction') - Number(a.group.kind === 'eviction') ||
      a.group.chance - b.group.chance ||
      (a.group.landed && b.group.landed ? delayOf(a.group) - delayOf(b.group) : 0) ||
      (a.group.key < b.group.key ? -1 : 1),
  );
  const taken = new Set<string>();
  // A consequence of an incident can have another cause than its root.
  const idOf = ({ node, incident, root, kind, begin }: Sign) =>
    root ? `${node.name} ${incident}` : `${node.name} ${incident} ${kind} ${begin}`;
  const out: Group[] = [];
  for (const { group } of found) {
    const free = group.signs.filter((sign) => !taken.has(idOf(sign)));
    // The rest, after others took theirs, may be too little to be more than chance.
    if (free.length < 2 || free.length < 0.7 * group.signs.length) continue;
    for (const sign of free) {
      taken.add(idOf(sign));
      // The shortage in which it evicts is the same trouble.
      const { kind, one, begin, node } = sign;
      if (kind === 'eviction' && begin - (one.begin - aheadOf(node)) <= MINUTE)
        taken.add(idOf({ ...sign, root: true }));
    }
    const landed = group.landed?.filter((_, i) => free.includes(group.signs[i] as Sign));
    out.push({ ...group, signs: free, ...(landed && { landed }) });
  }
  return out;
}

/** The mean time from a landing to what followed. */
const delayOf = ({ signs, landed = [] }: Group): number =>
  signs.reduce((sum, { begin }, i) => sum + begin - (landed[i]?.at ?? begin), 0) / signs.length;
