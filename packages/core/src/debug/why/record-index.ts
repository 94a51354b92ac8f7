import { countBefore } from '../../base/index.js';
import {
  lookupOf,
  type NameLookup,
  type RecordKind,
  type RecordOf,
  type Seq,
  type TraceRecord,
} from '../../trace/index.js';
import { atOnce, type Work } from '../base/work.js';
import type { WhyStore } from './types.js';

/** Kinds that are looked up by pod. */
const podKinds: ReadonlySet<RecordKind> = new Set<RecordKind>([
  'decision',
  'pod-update',
  'worker',
  'cache-wait',
  'work-start',
  'work-done',
  'step',
  'pod-actions',
  'queue',
  'pleg-transition',
  'pleg-event',
  'cache',
  'probe',
  'probe-result',
  'kill',
  'eviction',
  'backoff',
  'status',
]);
/** Kinds that are looked up by themselves. */
const globalKinds: ReadonlySet<RecordKind> = new Set<RecordKind>([
  'input',
  'process',
  'runtime-state',
  'sources-ready',
  'source',
  'relist',
  'eviction',
]);

/** Records taken in between two yields. */
const SLICE = 32;
const none: readonly Seq[] = [];
const indexes = new WeakMap<WhyStore, RecordIndex>();

/** The index of a store: made at the first question, brought up to date at each. */
export const indexOf = (store: WhyStore): RecordIndex => atOnce(indexing(store));

/** The same, in slices. */
export function* indexing(store: WhyStore): Work<RecordIndex> {
  let index = indexes.get(store);
  if (!index) {
    index = new RecordIndex(store);
    indexes.set(store, index);
  }
  yield* index.update();
  return index;
}

export interface KnownContainer {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  /** First record that names it. */
  readonly seq: Seq;
}

/** Indexes the records of a store by pod, container and goroutine. All lists are in order. */
export class RecordIndex {
  private upTo: Seq = 0;
  private added = 0;
  private pods = new Map<string, Map<RecordKind, Seq[]>>();
  private kinds = new Map<RecordKind, Seq[]>();
  private waitsBy = new Map<number, Seq[]>();
  private worksBy = new Map<number, Seq[]>();
  private callsBy = new Map<number, Seq[]>();
  private failuresBy = new Map<number, Seq[]>();
  private factsOf = new Map<string, Seq[]>();
  private callsAbout = new Map<string, Seq[]>();
  private podCalls = new Map<string, Seq[]>();
  private actions = new Map<string, Seq[]>();
  private answers = new Map<Seq, Seq>();
  private faultsOf = new Map<Seq, Seq[]>();
  private known = new Map<string, KnownContainer>();
  private byName = new Map<string, KnownContainer[]>();
  private channels = new Map<number, { name: string; seq: Seq }>();
  private goroutines = new Map<number, string>();
  private podNames = new Map<string, string>();
  /** First record that names the pod. */
  private podSince = new Map<string, Seq>();
  private sandboxPods = new Map<string, string>();
  private configs: Seq[] = [];
  private events = new Map<string, Seq[]>();
  /** The trace tells the runtime's own facts. */
  facts = false;

  constructor(private readonly store: WhyStore) {}

  /** Takes in what came since; starts over when much of what it knows is held no longer. */
  *update(): Work {
    const { store } = this;
    if (store.last < this.upTo || this.added > 2 * store.size + 50_000) this.clear();
    if (store.last <= this.upTo) return;
    for (const record of store.from(this.upTo + 1)) {
      this.add(record);
      this.added++;
      this.upTo = record.seq;
      if (this.added % SLICE === 0) yield;
    }
    this.upTo = store.last;
  }

  private clear(): void {
    Object.assign(this, new RecordIndex(this.store));
  }

  // --- records -------------------------------------------------------------------------------------------------------

  get(seq: Seq): TraceRecord | undefined {
    return seq > 0 ? this.store.get(seq) : undefined;
  }
  /** The record if it is held and of that kind. */
  as<K extends RecordKind>(seq: Seq, kind: K): RecordOf<K> | undefined {
    const r = this.get(seq);
    return r?.kind === kind ? (r as RecordOf<K>) : undefined;
  }

  of(uid: string | undefined, kind: RecordKind): readonly Seq[] {
    return uid === undefined ? none : (this.pods.get(uid)?.get(kind) ?? none);
  }
  all(kind: RecordKind): readonly Seq[] {
    return this.kinds.get(kind) ?? none;
  }
  waits(g: number): readonly Seq[] {
    return this.waitsBy.get(g) ?? none;
  }
  works(g: number): readonly Seq[] {
    return this.worksBy.get(g) ?? none;
  }
  /** CRI calls that a goroutine made. */
  calls(g: number): readonly Seq[] {
    return this.callsBy.get(g) ?? none;
  }
  /** Answers with an error that a goroutine got. */
  failures(g: number): readonly Seq[] {
    return this.failuresBy.get(g) ?? none;
  }
  /** What the runtime says of a container or sandbox. */
  factsAbout(id: string): readonly Seq[] {
    return this.factsOf.get(id) ?? none;
  }
  /** CRI calls that name a container or sandbox. */
  callsOn(id: string): readonly Seq[] {
    return this.callsAbout.get(id) ?? none;
  }
  /** Seqs at which the kubelet began to start, or to kill, a container of that name. */
  actionsOn(uid: string, container: string, fn: 'startContainer' | 'killContainer'): readonly Seq[] {
    return this.actions.get(`${fn} ${uid} ${container}`) ?? none;
  }
  callsFor(uid: string): readonly Seq[] {
    return this.podCalls.get(uid) ?? none;
  }
  answerTo(call: Seq): Seq {
    return this.answers.get(call) ?? 0;
  }
  /** Faults that hit a call, and images that could not be had by it. */
  faultsIn(call: Seq): readonly Seq[] {
    return this.faultsOf.get(call) ?? none;
  }
  podConfigs(): readonly Seq[] {
    return this.configs;
  }
  eventsOf(uid: string): readonly Seq[] {
    return this.events.get(uid) ?? none;
  }
  /** Was this CRI call under way when record `seq` was made? */
  inFlight(call: Seq, seq: Seq): boolean {
    const answer = this.answerTo(call);
    return call < seq && (answer === 0 || answer > seq);
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  container(id: string): KnownContainer | undefined {
    return this.known.get(id);
  }
  /** Every container of that name in the pod, oldest first. */
  containers(uid: string, name: string): readonly KnownContainer[] {
    return this.byName.get(`${uid} ${name}`) ?? [];
  }
  containerNames(uid: string): string[] {
    return [...this.byName.values()].flatMap((list) => (list[0]?.uid === uid ? [list[0].name] : []));
  }
  channelMade(id: number): Seq {
    return this.channels.get(id)?.seq ?? 0;
  }
  goroutineNamed(name: string): number | undefined {
    let found: number | undefined;
    for (const [id, n] of this.goroutines) if (n === name) found = id;
    if (found !== undefined) return found;
    const views = this.store.state.goroutines;
    const key = Object.keys(views).find((k) => views[k]?.name === name);
    return key === undefined ? undefined : Number(key);
  }
  goroutineNames(): string[] {
    return [...new Set(this.goroutines.values())];
  }
  podName(uid: string): string {
    return this.podNames.get(uid) ?? this.store.state.pods[uid]?.pod ?? '';
  }
  podOfSandbox(id: string): string | undefined {
    return this.sandboxPods.get(id) ?? this.store.state.sandboxes[id]?.uid;
  }
  /**
   * Uid by uid, `namespace/name` or name, with or without the node's suffix; of several the newest that was there at
   * `at`.
   */
  findPod(text: string, at: Seq): string | undefined {
    const uids = [...new Set([...Object.keys(this.store.state.pods), ...this.podNames.keys()])];
    if (uids.includes(text)) return text;
    const nameOf = (uid: string) => {
      const full = this.podName(uid);
      return full.slice(full.indexOf('/') + 1);
    };
    const exact = uids.filter((uid) => text === this.podName(uid) || text === nameOf(uid));
    const suffixed = (uid: string) =>
      nameOf(uid).startsWith(`${text}-`) &&
      !nameOf(uid)
        .slice(text.length + 1)
        .includes('-');
    const found = exact.length > 0 ? exact : uids.filter(suffixed);
    const since = (uid: string) => this.podSince.get(uid) ?? 0;
    found.sort((a, b) => since(a) - since(b));
    return found.findLast((uid) => since(uid) <= at) ?? found[0];
  }
  knownPods(): string[] {
    return [...new Set([...this.podNames.values(), ...Object.values(this.store.state.pods).map((p) => p.pod)])].filter(
      Boolean,
    );
  }

  get lookup(): NameLookup {
    const state = lookupOf(this.store.state);
    return {
      channel: (id) => this.channels.get(id)?.name ?? state.channel(id),
      goroutine: (id) => this.goroutines.get(id) ?? state.goroutine(id),
      container: (id) => {
        const c = this.known.get(id);
        return c ? { name: c.name, pod: this.podName(c.uid), uid: c.uid } : state.container(id);
      },
      containerId: (uid, name) => this.containers(uid, name).at(-1)?.id ?? state.containerId(uid, name),
      pod: (uid) => this.podName(uid),
    };
  }

  // --- building ------------------------------------------------------------------------------------------------------

  private add(r: TraceRecord): void {
    switch (r.kind) {
      case 'send':
      case 'receive':
      case 'select':
      case 'exit':
      case 'log':
        return;
      case 'enter':
        // If the calls of a kubelet were not observed, these are all that is known of what it does to a container.
        if (r.fn === 'startContainer' || r.fn === 'killContainer') this.addAction(r);
        return;
      case 'wait':
        push(this.waitsBy, r.g, r.seq);
        return;
      case 'chan-make':
        this.channels.set(r.chan, { name: r.name, seq: r.seq });
        return;
      case 'goroutine-start':
        this.goroutines.set(r.id, r.name);
        return;
      case 'cri-call':
        this.addCall(r);
        return;
      case 'cri-return':
        this.addReturn(r);
        return;
      case 'actual-container':
        this.facts = true;
        push(this.factsOf, r.id, r.seq);
        this.meet(r.id, r.uid, r.name, r.seq);
        return;
      case 'actual-sandbox':
        this.facts = true;
        push(this.factsOf, r.id, r.seq);
        this.sandboxPods.set(r.id, r.uid);
        if (r.pod) this.namePod(r.uid, r.pod, r.seq);
        return;
      case 'fault':
        push(this.faultsOf, r.cause, r.seq);
        return;
      case 'actual-image':
        if (r.state === 'failed') push(this.faultsOf, r.cause, r.seq);
        return;
      case 'pod-config':
        this.configs.push(r.seq);
        for (const p of r.pods) this.namePod(p.uid, p.pod, r.seq);
        return;
      case 'kube-event':
        push(this.events, r.object.uid, r.seq);
        return;
      default:
        this.addOther(r);
    }
  }

  private addOther(r: TraceRecord): void {
    if (globalKinds.has(r.kind)) push(this.kinds, r.kind, r.seq);
    if (!podKinds.has(r.kind)) return;
    const { uid, pod } = r as { uid?: string; pod?: string };
    if (uid === undefined) return;
    let kinds = this.pods.get(uid);
    if (!kinds) {
      kinds = new Map();
      this.pods.set(uid, kinds);
    }
    push(kinds, r.kind, r.seq);
    if (pod && !this.podNames.has(uid)) this.namePod(uid, pod, r.seq);
    if (r.kind === 'work-start') push(this.worksBy, r.g, r.seq);
    else if (r.kind === 'pleg-transition' && !r.sandbox) this.meet(r.id, r.uid, r.name ?? '', r.seq);
    else if (r.kind === 'cache') for (const c of r.containers) this.meet(c.id, r.uid, c.name, r.seq);
  }

  private addAction(r: RecordOf<'enter'>): void {
    const { uid, container } = (r.args ?? {}) as { readonly uid?: unknown; readonly container?: unknown };
    if (typeof uid === 'string' && typeof container === 'string')
      push(this.actions, `${r.fn} ${uid} ${container}`, r.seq);
  }

  private addCall(r: RecordOf<'cri-call'>): void {
    push(this.callsBy, r.g, r.seq);
    const uid =
      r.uid ??
      (r.container ? this.known.get(r.container)?.uid : undefined) ??
      (r.sandbox && this.sandboxPods.get(r.sandbox));
    if (uid) push(this.podCalls, uid, r.seq);
    if (r.container) push(this.callsAbout, r.container, r.seq);
    else if (r.sandbox) push(this.callsAbout, r.sandbox, r.seq);
  }

  private addReturn(r: RecordOf<'cri-return'>): void {
    this.answers.set(r.call, r.seq);
    if (r.error) push(this.failuresBy, r.g, r.seq);
    if (r.method === 'RunPodSandbox' && r.sandbox && r.uid) this.sandboxPods.set(r.sandbox, r.uid);
    if (r.method !== 'CreateContainer' || !r.container || !r.uid) return;
    const call = this.as(r.call, 'cri-call');
    const name = nameIn(call?.request);
    if (name) this.meet(r.container, r.uid, name, r.call);
    push(this.callsAbout, r.container, r.call);
  }

  private namePod(uid: string, pod: string, seq: Seq): void {
    if (!this.podSince.has(uid)) this.podSince.set(uid, seq);
    this.podNames.set(uid, pod);
  }

  private meet(id: string, uid: string, name: string, seq: Seq): void {
    if (!name || this.known.has(id)) return;
    const container = { id, uid, name, seq };
    this.known.set(id, container);
    const key = `${uid} ${name}`;
    const list = this.byName.get(key);
    if (list) list.push(container);
    else this.byName.set(key, [container]);
  }
}

function push<K>(map: Map<K, Seq[]>, key: K, seq: Seq): void {
  const list = map.get(key);
  if (list) list.push(seq);
  else map.set(key, [seq]);
}

/** Name of the container in a CreateContainer request. */
function nameIn(request: unknown): string {
  const name = (request as { config?: { metadata?: { name?: unknown } } } | null)?.config?.metadata?.name;
  return typeof name === 'string' ? name : '';
}

/** Position of the first entry that is at least `seq`. */
function lowerBound(list: readonly Seq[], seq: Seq): number {
  return countBefore(list.length, (i) => (list[i] as Seq) < seq);
}

/**
 * The newest entry before `seq` that passes, looking back no further than `from` and no more than `most` entries; 0 if
 * none.
 */
export function lastBefore(
  list: readonly Seq[],
  seq: Seq,
  test: (seq: Seq) => boolean = () => true,
  from: Seq = 0,
  most = 2000,
): Seq {
  let i = lowerBound(list, seq) - 1;
  for (let n = 0; i >= 0 && n < most; i--, n++) {
    const s = list[i] as Seq;
    if (s <= from) return 0;
    if (test(s)) return s;
  }
  return 0;
}

/** Entries after `from` and before `to`. */
export function between(list: readonly Seq[], from: Seq, to: Seq): readonly Seq[] {
  return list.slice(lowerBound(list, from + 1), lowerBound(list, to));
}
