/** Conclusions from several problems: crash loops, a control plane that is down, a pod that does not end. */
import type { Micros } from '../../trace/index.js';
import type { Item } from './causes.js';
import { type IncidentKind, kindRows } from './kinds.js';
import { MOST_MOMENTS } from './problems.js';
import { momentsOf, named, sameObjects } from './same.js';
import type { IncidentState } from './state.js';

/** This many ends of a container are a loop, if no back-off is reported. */
const LOOP = 3;
/** A pod that is deleted has its grace period, and then some. */
const TERMINATING: Micros = 180e6;

const CONTROL_PLANE = /^kube-system\/(kube-apiserver|etcd)-/;
const NETWORK_PLUGIN =
  /\/(calico|canal|kube-flannel|flannel|cilium|weave-net|kube-router|antrea|aws-node|azure-cni|kindnet|ovn|ovnkube|multus|kube-ovn|romana|contiv|sdn)[-\w]*$|install-cni/;
const DNS = /\/(coredns|kube-dns)-/;

/** Returns the items with what follows from several of them. */
export function conclude(state: IncidentState, items: readonly Item[], to: Micros): Item[] {
  const out = named(loops(sameObjects(items)));
  unreadable(out);
  promote(out, 'control-plane', CONTROL_PLANE, ['api-unreachable', 'node-not-registered', 'node-not-ready', 'lease']);
  promote(out, 'network-plugin', NETWORK_PLUGIN, ['network-not-ready', 'network-setup']);
  out.push(...serviceNetwork(out), ...terminating(state, out, to));
  return out;
}

/** A container that ends again and again, with or without a reported back-off, is one crash loop. */
function loops(items: readonly Item[]): Item[] {
  const out: Item[] = [];
  const all = items.filter((i) => i.kind === 'crash-loop');
  // One line names the pod alone, another one its container, too.
  const backoffs = all.filter((b) => b.container !== '' || !all.some((o) => o.container !== '' && isSame(o, b)));
  const taken = new Map<Item, Item>();
  for (const item of items) {
    if (item.kind === 'crash-loop') continue;
    if (item.kind !== 'container-exit') {
      out.push(item);
      continue;
    }
    const loop = backoffs.find(
      (b) =>
        isSame(b, item) &&
        item.begin.time <= (b.end?.time ?? Number.POSITIVE_INFINITY) &&
        item.last.time >= b.begin.time - 10 * 60e6,
    );
    if (loop) taken.set(loop, item);
    else
      out.push(
        item.count >= LOOP ? { ...item, kind: 'crash-loop', facts: { ...item.facts, exits: item.count } } : item,
      );
  }
  for (const loop of backoffs) {
    const exits = taken.get(loop);
    if (!exits) {
      out.push(loop);
      continue;
    }
    const moments = momentsOf(exits, loop);
    const begin = exits.begin.time < loop.begin.time ? exits.begin : loop.begin;
    out.push({ ...loop, moments, begin, facts: { ...loop.facts, ...exits.facts, exits: exits.count } });
  }
  return out;
}
/** At low verbosity a line names the container by its id alone: then it is whichever of the pod's loops. */
const isSame = (a: Item, b: Item): boolean =>
  (a.container === b.container || b.container === '') &&
  ((a.uid !== '' && a.uid === b.uid) || (a.pod !== '' && a.pod === b.pod));

/** A manifest of the control plane that cannot be read is why the API server is away. */
function unreadable(items: Item[]): void {
  if (!items.some((i) => i.kind === 'api-unreachable')) return;
  items.forEach((item, at) => {
    const name =
      item.kind === 'sources' ? /(kube-apiserver|etcd)[-\w]*\.(?:ya?ml|json)/.exec(item.what)?.[1] : undefined;
    if (name !== undefined)
      items[at] = {
        ...item,
        kind: 'control-plane',
        pod: `kube-system/${name}`,
        facts: { ...item.facts, of: 'sources' },
      };
  });
}

/** A pod on which others depend makes their trouble: its own is of another kind then. */
function promote(items: Item[], kind: IncidentKind, pods: RegExp, troubles: readonly IncidentKind[]): void {
  if (!items.some((i) => troubles.includes(i.kind))) return;
  items.forEach((item, at) => {
    if (!pods.test(item.pod) && !(kind === 'network-plugin' && pods.test(item.container))) return;
    if (
      item.kind === 'crash-loop' ||
      item.kind === 'container-start' ||
      item.kind === 'image' ||
      (item.kind === 'volume-mount' && kind === 'control-plane')
    )
      items[at] = { ...item, kind, facts: { ...item.facts, of: item.kind } };
  });
}

/** The cluster's DNS is not ready and other pods crash: they cannot reach the API server's service address. */
function serviceNetwork(items: readonly Item[]): Item[] {
  const dns = items.find(
    (i) => i.kind === 'probe-readiness' && DNS.test(i.pod) && i.count >= LOOP && /503/.test(i.what),
  );
  const others = items.filter((i) => i.kind === 'crash-loop' && !DNS.test(i.pod));
  if (!dns || others.length === 0) return [];
  return [
    {
      ...dns,
      id: `service-network|${dns.id}`,
      kind: 'service-network',
      pod: '',
      uid: '',
      container: '',
      pods: [],
      confidence: 'likely',
      facts: { dns: dns.pod },
    },
  ];
}

const WAITS: ReadonlySet<string> = new Set(kindRows['stuck-terminating'].pod);

/** Pods that were deleted long ago and are still there. */
function terminating(state: IncidentState, items: readonly Item[], to: Micros): Item[] {
  const out: Item[] = [];
  for (const past of state.past.pods()) {
    const { leaving, gone, name, uid } = past;
    if (!leaving || gone || leaving.why !== 'deleted' || to - leaving.time < TERMINATING) continue;
    if (items.some((i) => i.kind === 'stuck-terminating' && i.uid === uid)) continue;
    const begin = { seq: leaving.seq, time: leaving.time };
    // It waits for something that came after its deletion: there lies the moment that has a cause.
    const waits = items.find(
      (i) =>
        WAITS.has(i.kind) &&
        i.last.time >= leaving.time &&
        ((uid !== '' && i.uid === uid) || (name !== '' && i.pod === name)),
    );
    const moment = waits?.moments.find((m) => m.time >= leaving.time) ?? begin;
    out.push({
      ...{ id: `stuck-terminating|${uid || name}`, kind: 'stuck-terminating', pod: name, uid, container: '', part: '' },
      ...{
        what: '',
        alike: '',
        facts: {},
        count: 1,
        begin,
        last: begin,
        goodAt: null,
        end: null,
        spells: [{ from: begin.time, to: null }],
        pause: 0,
        moments: [moment],
      },
      ...{ pods: [{ pod: name, uid }], concluded: true, confidence: 'concluded', expected: false },
    });
    if (out.length >= MOST_MOMENTS) break;
  }
  return out;
}
