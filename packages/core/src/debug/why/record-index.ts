import type { RecordKind, RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import { atOnce, type Work } from '../base/work.js';
import { KnownNames } from './known-names.js';
import { SeqLists } from './seq-lists.js';
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

/** Indexes the records of a store by pod, container and goroutine. All lists are in order. */
export class RecordIndex {
  private upTo: Seq = 0;
  private added = 0;
  readonly names: KnownNames;
  private readonly pods = new Map<string, SeqLists<RecordKind>>();
  /** Kinds that are looked up by themselves. */
  readonly all = new SeqLists<RecordKind>();
  /** By goroutine; `failures`: answers with an error that it got. */
  readonly waits = new SeqLists<number>();
  readonly works = new SeqLists<number>();
  readonly calls = new SeqLists<number>();
  readonly failures = new SeqLists<number>();
  /** By goroutine: calls of a learner's code. */
  readonly parts = new SeqLists<number>();
  /** By container or sandbox: what the runtime says of it, and the CRI calls that name it. */
  readonly factsAbout = new SeqLists<string>();
  readonly callsOn = new SeqLists<string>();
  /** By pod: CRI calls, and Kubernetes events. */
  readonly callsFor = new SeqLists<string>();
  readonly eventsOf = new SeqLists<string>();
  /** By call: faults that hit it, and images that it could not pull. */
  readonly faultsIn = new SeqLists<Seq>();
  readonly podConfigs: Seq[] = [];
  private readonly actions = new SeqLists<string>();
  private readonly answers = new Map<Seq, Seq>();
  /** The trace tells the runtime's own facts. */
  facts = false;

  constructor(private readonly store: WhyStore) {
    this.names = new KnownNames(store);
  }

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

  get(seq: Seq): TraceRecord | undefined {
    return seq > 0 ? this.store.get(seq) : undefined;
  }
  /** The record if it is held and of that kind. */
  as<K extends RecordKind>(seq: Seq, kind: K): RecordOf<K> | undefined {
    const r = this.get(seq);
    return r?.kind === kind ? (r as RecordOf<K>) : undefined;
  }

  of(uid: string | undefined, kind: RecordKind): readonly Seq[] {
    return (uid === undefined ? undefined : this.pods.get(uid)?.of(kind)) ?? [];
  }
  /** Seqs at which the kubelet began to start, or to kill, a container of that name. */
  actionsOn(uid: string, container: string, fn: 'startContainer' | 'killContainer'): readonly Seq[] {
    return this.actions.of(`${fn} ${uid} ${container}`);
  }
  answerTo(call: Seq): Seq {
    return this.answers.get(call) ?? 0;
  }
  /** Returns true if this CRI call was under way when record `seq` was made. */
  inFlight(call: Seq, seq: Seq): boolean {
    const answer = this.answerTo(call);
    return call < seq && (answer === 0 || answer > seq);
  }

  // --- building ------------------------------------------------------------------------------------------------------

  private add(r: TraceRecord): void {
    switch (r.kind) {
      case 'send':
      case 'receive':
      case 'select':
      case 'exit':
      case 'log':
      case 'part-line':
        return;
      case 'part':
        this.parts.push(r.g, r.seq);
        return;
      case 'enter':
        // If the calls of a kubelet were not observed, these are all that is known of what it does to a container.
        if (r.fn === 'startContainer' || r.fn === 'killContainer') this.addAction(r);
        return;
      case 'wait':
        this.waits.push(r.g, r.seq);
        return;
      case 'chan-make':
        this.names.channels.set(r.chan, { name: r.name, seq: r.seq });
        return;
      case 'goroutine-start':
        this.names.goroutines.set(r.id, r.name);
        return;
      case 'cri-call':
        this.addCall(r);
        return;
      case 'cri-return':
        this.addReturn(r);
        return;
      case 'actual-container':
        this.facts = true;
        this.factsAbout.push(r.id, r.seq);
        this.names.meet(r.id, r.uid, r.name, r.seq);
        return;
      case 'actual-sandbox':
        this.facts = true;
        this.factsAbout.push(r.id, r.seq);
        this.names.sandboxPods.set(r.id, r.uid);
        if (r.pod) this.names.namePod(r.uid, r.pod, r.seq);
        return;
      case 'fault':
        this.faultsIn.push(r.cause, r.seq);
        return;
      case 'actual-image':
        if (r.state === 'failed') this.faultsIn.push(r.cause, r.seq);
        return;
      case 'pod-config':
        this.podConfigs.push(r.seq);
        for (const p of r.pods) this.names.namePod(p.uid, p.pod, r.seq);
        return;
      case 'kube-event':
        this.eventsOf.push(r.object.uid, r.seq);
        return;
      default:
        this.addOther(r);
    }
  }

  private addOther(r: TraceRecord): void {
    if (globalKinds.has(r.kind)) this.all.push(r.kind, r.seq);
    if (!podKinds.has(r.kind)) return;
    const { uid, pod } = r as { uid?: string; pod?: string };
    if (uid === undefined) return;
    let kinds = this.pods.get(uid);
    if (!kinds) {
      kinds = new SeqLists();
      this.pods.set(uid, kinds);
    }
    kinds.push(r.kind, r.seq);
    if (pod && !this.names.podNames.has(uid)) this.names.namePod(uid, pod, r.seq);
    if (r.kind === 'work-start') this.works.push(r.g, r.seq);
    else if (r.kind === 'pleg-transition' && !r.sandbox) this.names.meet(r.id, r.uid, r.name ?? '', r.seq);
    else if (r.kind === 'cache') for (const c of r.containers) this.names.meet(c.id, r.uid, c.name, r.seq);
  }

  private addAction(r: RecordOf<'enter'>): void {
    const { uid, container } = (r.args ?? {}) as { readonly uid?: unknown; readonly container?: unknown };
    if (typeof uid === 'string' && typeof container === 'string')
      this.actions.push(`${r.fn} ${uid} ${container}`, r.seq);
  }

  private addCall(r: RecordOf<'cri-call'>): void {
    this.calls.push(r.g, r.seq);
    const uid =
      r.uid ??
      (r.container ? this.names.container(r.container)?.uid : undefined) ??
      (r.sandbox && this.names.sandboxPods.get(r.sandbox));
    if (uid) this.callsFor.push(uid, r.seq);
    if (r.container) this.callsOn.push(r.container, r.seq);
    else if (r.sandbox) this.callsOn.push(r.sandbox, r.seq);
  }

  private addReturn(r: RecordOf<'cri-return'>): void {
    this.answers.set(r.call, r.seq);
    if (r.error) this.failures.push(r.g, r.seq);
    if (r.method === 'RunPodSandbox' && r.sandbox && r.uid) this.names.sandboxPods.set(r.sandbox, r.uid);
    if (r.method !== 'CreateContainer' || !r.container || !r.uid) return;
    const call = this.as(r.call, 'cri-call');
    const name = nameIn(call?.request);
    if (name) this.names.meet(r.container, r.uid, name, r.call);
    this.callsOn.push(r.container, r.call);
  }
}

/** Name of the container in a CreateContainer request. */
function nameIn(request: unknown): string {
  const name = (request as { config?: { metadata?: { name?: unknown } } } | null)?.config?.metadata?.name;
  return typeof name === 'string' ? name : '';
}
