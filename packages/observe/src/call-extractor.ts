/** Makes records of what calls over the CRI socket prove. */
import { oldestKey } from '@syncloop/core/base';
import type { Json, RecordBody, Seq } from '@syncloop/core/trace';
import { isListing } from '@syncloop/core/trace/kinds';
import { cached, exitOf, type Inspection, inspect, newInspection } from './calls/inspections.js';
import { type Change, changesOf, eventTypes, type ListedPod, podsOf } from './calls/lists.js';
import { Chain, type Pair, Pairs } from './calls/relists.js';
import { find } from './catalogue/index.js';
import { list, text } from './cri/subjects.js';
import type { CallEvidence, Evidence, LogEntry, ReturnEvidence } from './evidence/index.js';
import type { KubeletFacts } from './observer.js';
import type { Extractor, RecordWriter, Written } from './record-writer.js';

/** The pod, and the lists that showed a change of it. */
interface About {
  readonly uid: string;
  readonly pod: string;
  readonly pair: Pair;
}
interface Look {
  readonly evidence: ReturnEvidence;
  readonly began: number;
  readonly seq: Seq;
}

/** The longest delay of a log line about the PLEG's findings after the lists, µs; the sources' clocks may differ. */
const LINE_AFTER = 3e6;
/** Times of lines about the same container, which each kubelet that starts reports again; files are read far ahead. */
const MOST_TIMES = 64;
const CLOCKS = 50_000;
const MOST_CALLS = 10_000;
/** Answers about single sandboxes and containers that are remembered. */
const MOST_LOOKS = 500;
/** Methods that the kubelet calls in a step of a worker; garbage collection and probes call other ones as well. */
const OF_WORKERS: ReadonlySet<string> = new Set([
  'RunPodSandbox',
  'StopPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'PullImage',
  'UpdateContainerResources',
  'UpdatePodSandboxResources',
]);

export class CallExtractor implements Extractor {
  facts: KubeletFacts = { version: '', node: '', runtime: '' };
  private readonly pairs = new Pairs();
  private readonly chain = new Chain();
  /** The PLEG's last look at each pod. */
  private readonly records = new Map<string, ListedPod>();
  /** True if `records` are complete from the start of this process of the kubelet. */
  private known = false;
  private readonly inspections = new Map<string, Inspection>();
  private readonly begins = new Map<number, { readonly at: number; readonly request: Json }>();
  /** The last method that changed something of a pod, by UID. */
  private readonly changed = new Map<string, string>();
  /** Names of the containers that were created, by id. */
  private readonly created = new Map<string, string>();
  /** The time of the PLEG's last look at a pod alone, by UID. */
  private readonly relisted = new Map<string, number>();
  private looks: Look[] = [];
  /**
   * The times at which the log reported an event, by event. An event that the log reports is not concluded from calls
   * as well.
   */
  private readonly logged = new Map<string, readonly number[]>();
  /** The time at which this process of the kubelet asked the runtime first; before all times if no call shows it. */
  private begun = Number.NEGATIVE_INFINITY;
  private log = false;
  /** The log has a line for each kill of a container. */
  private logsKills = false;

  place(evidence: Evidence, writer: RecordWriter): Written | null {
    if (evidence.kind !== 'call' || !OF_WORKERS.has(evidence.method)) return null;
    const uid = evidence.subject?.uid;
    const step = uid === undefined ? null : writer.openStep(`worker ${uid}`);
    return step && { g: step.g, span: step.span, cause: step.span };
  }

  hear(evidence: Evidence, seq: Seq, writer: RecordWriter): void {
    if (evidence.kind === 'call') this.call(evidence, writer);
    else if (evidence.kind === 'return') this.return(evidence, seq, writer);
    else if (evidence.kind === 'gap' && evidence.bytes !== undefined) this.chain.restart();
  }

  foresee(evidence: Evidence): void {
    if (evidence.kind !== 'line' || evidence.entry.kind === 'other') return;
    this.log = true;
    this.logsKills ||= find(evidence.entry)?.row.says.is === 'kill';
    const { msg, fields, epochMicros } = evidence.entry;
    const key = reportedKey(msg, fields);
    if (key !== null && epochMicros !== null)
      bounded(this.logged, key, [...(this.logged.get(key) ?? []), epochMicros].slice(-MOST_TIMES));
  }

  private call(evidence: CallEvidence, writer: RecordWriter): void {
    const { call, method, request, subject = {}, at } = evidence;
    if (at !== null) bounded(this.begins, call, { at, request });
    // upstream: cri-client's validateServiceConnection, which is the first thing that a process asks.
    if (method === 'Version' && text(request, 'version') === '') this.newProcess(at, writer);
    if (subject.uid !== undefined && !method.startsWith('List')) this.pairs.other(subject.uid);
    this.pairs.call(evidence);
    if (subject.uid !== undefined && !isListing(method) && method !== 'ExecSync')
      bounded(this.changed, subject.uid, method);
    if (method === 'StopContainer' && !this.logsKills) this.kill(evidence, writer);
  }

  /** Records a kill that only the call reports; the call has no reason. */
  private kill({ request, subject: { uid = '', container: id = '' } = {} }: CallEvidence, writer: RecordWriter): void {
    // A container that was killed before the PLEG saw it was created here.
    const name = this.created.get(id) ?? this.records.get(uid)?.items.find((item) => item.id === id)?.name;
    if (!name) return;
    const step = writer.openStep(`worker ${uid}`);
    const pod = writer.pods.name(uid) ?? '';
    writer.write(
      { kind: 'kill', container: name, id, gracePeriod: Number(part(request, 'timeout') ?? 0), pod, uid },
      { ...(step && { g: step.g, span: step.span, cause: step.span }), concluded: true },
    );
  }

  private newProcess(at: number | null, writer: RecordWriter): void {
    this.begun = at ?? this.begun;
    this.chain.restart();
    this.inspections.clear();
    this.records.clear();
    this.known = true;
    if (!this.log) writer.write({ kind: 'process', process: 'kubelet', state: 'started' }, { concluded: true });
  }

  private return(evidence: ReturnEvidence, seq: Seq, writer: RecordWriter): void {
    const { call, method, response = null, error, subject = {} } = evidence;
    const began = this.begins.get(call);
    this.begins.delete(call);
    if (method === 'Version' && !error)
      this.facts = {
        ...this.facts,
        runtime: `${text(response, 'runtimeName')} ${text(response, 'runtimeVersion')}`.trim(),
      };
    if (!error) this.learnNames(method, began?.request ?? null, response, writer);
    if (began && (method === 'PodSandboxStatus' || method === 'ContainerStatus')) {
      const look = { evidence, began: began.at, seq };
      this.looks.push(look);
      if (this.looks.length > 2 * MOST_LOOKS) this.looks = this.looks.slice(-MOST_LOOKS);
      const one = subject.uid === undefined ? undefined : this.inspections.get(subject.uid);
      if (one) this.look(one, look, writer);
    }
    const pair = this.pairs.return(evidence, seq);
    if (pair?.scope === 'pod') this.podRelist(pair, writer);
    else if (pair) for (const relist of this.chain.take(pair)) this.relist(relist, writer);
  }

  private look(one: Inspection, { evidence, began, seq }: Look, writer: RecordWriter): void {
    if (!inspect(one, evidence, began, seq)) return;
    if (one.pair.scope === 'global') this.chain.extend(evidence.at ?? 0);
    if (one.failed) this.ignored(one, writer);
    else if (one.missing.size === 0) this.inspected(one, writer);
  }

  private learnNames(method: string, request: Json, response: Json, writer: RecordWriter): void {
    const learn = (metadata: Json | undefined) => {
      const [uid, name] = [text(metadata, 'uid'), text(metadata, 'name')];
      if (uid !== '' && name !== '') writer.pods.learn(`${text(metadata, 'namespace')}/${name}`, uid);
    };
    const of = (value: Json, ...path: string[]) => learn(path.reduce<Json>((v, key) => part(v, key), value));
    if (method === 'CreateContainer')
      bounded(this.created, text(response, 'containerId'), text(request, 'config', 'metadata', 'name'));
    else if (method === 'RunPodSandbox') of(request, 'config', 'metadata');
    else if (method === 'PodSandboxStatus') of(response, 'status', 'metadata');
    else if (method === 'ListPodSandbox') for (const item of list(response, 'items')) of(item, 'metadata');
  }

  private relist(pair: Pair, writer: RecordWriter): void {
    // Inspections that are still open were not made, or a gap has swallowed them.
    for (const one of [...this.inspections.values()]) this.inspected(one, writer);
    const pods = podsOf(pair.sandboxes, pair.containers);
    const first = !this.known;
    this.known = true;
    // A pair of lists may be recognised as a relist only after the PLEG has inspected a pod again: it is stale for that
    // pod.
    const stale = (uid: string) => (this.relisted.get(uid) ?? 0) > pair.end;
    const uids = first ? [] : [...new Set([...this.records.keys(), ...pods.keys()])].filter((uid) => !stale(uid));
    const changed = uids.filter((uid) => changesOf(this.records.get(uid), pods.get(uid)).length > 0);
    const g = writer.goroutine('pleg');
    writer.write(
      { kind: 'relist', pods: pods.size, changed: changed.length, scope: 'global' },
      { g, basis: pair.basis, concluded: true },
    );
    if (first) for (const [uid, pod] of pods) this.records.set(uid, pod);
    for (const uid of changed) this.reconcile(uid, pods.get(uid), pair, writer);
  }

  /** The worker itself looks at a pod like that when it has stopped it. */
  private podRelist(pair: Pair, writer: RecordWriter): void {
    const pod = podsOf(pair.sandboxes, pair.containers).get(pair.uid);
    const last = this.changed.get(pair.uid);
    if (!this.known || !pod || last === undefined || last === 'StopPodSandbox') return;
    bounded(this.relisted, pair.uid, pair.end);
    const changes = changesOf(this.records.get(pair.uid), pod);
    writer.write(
      { kind: 'relist', pods: 1, changed: changes.length > 0 ? 1 : 0, scope: 'pod' },
      { g: writer.goroutine('pleg'), basis: pair.basis, concluded: true },
    );
    if (changes.length > 0) this.reconcile(pair.uid, pod, pair, writer);
  }

  private reconcile(uid: string, pod: ListedPod | undefined, pair: Pair, writer: RecordWriter): void {
    const before = this.records.get(uid);
    const name = pod?.pod || before?.pod || writer.pods.name(uid) || '';
    const changes = changesOf(before, pod);
    if (pod) {
      const one = newInspection(pod, changes, pair);
      this.inspections.set(uid, one);
      // The pair may have been recognised as a relist only after the PLEG inspected the pod: those answers count now.
      for (const look of this.looks) if (this.inspections.get(uid) === one) this.look(one, look, writer);
    } else {
      this.records.delete(uid);
      writer.write(
        { kind: 'cache', op: 'delete', modified: 0, sandboxes: [], containers: [], pod: name, uid },
        { g: writer.goroutine('pleg'), basis: pair.basis, concluded: true },
      );
      for (const change of changes) this.tell(change, undefined, { uid, pod: name, pair }, pair.basis, writer);
    }
  }

  /** The PLEG has the status of the pod: it writes its cache and tells the loop. */
  private inspected(one: Inspection, writer: RecordWriter): void {
    const { pod, statuses, missing, changes, pair } = one;
    this.inspections.delete(pod.uid);
    this.records.set(pod.uid, pod);
    const name = pod.pod || writer.pods.name(pod.uid) || '';
    const basis = [...statuses.values()].map(({ seq }) => seq);
    if (missing.size === 0)
      writer.write(
        { kind: 'cache', op: 'set', modified: writer.sinceStart(pair.end), ...cached(one), pod: name, uid: pod.uid },
        { g: writer.goroutine('pleg'), basis, concluded: true },
      );
    const about = { uid: pod.uid, pod: name, pair };
    for (const change of changes)
      this.tell(change, exitOf(one, change), about, basis.length > 0 ? basis : pair.basis, writer);
  }

  /** A status failed: the PLEG has seen the changes, but tells nobody, and sees them again next time. */
  private ignored(one: Inspection, writer: RecordWriter): void {
    const { pod, changes, pair } = one;
    this.inspections.delete(pod.uid);
    const name = pod.pod || writer.pods.name(pod.uid) || '';
    for (const change of changes) this.transition(change, undefined, { uid: pod.uid, pod: name, pair }, writer);
  }

  private tell(
    change: Change,
    exit: ReturnType<typeof exitOf>,
    about: About,
    basis: readonly Seq[],
    writer: RecordWriter,
  ): void {
    const cause = this.transition(change, exit, about, writer);
    const { uid, pod, pair } = about;
    for (const type of eventTypes(change)) {
      const body = { kind: 'pleg-event', type, data: change.item.id, name: change.item.name, pod, uid } as const;
      this.conclude(`event ${change.item.id} ${type}`, body, pair, { basis, cause }, writer);
    }
  }

  private transition(
    { item, old, new: now }: Change,
    exit: ReturnType<typeof exitOf>,
    { uid, pod, pair }: About,
    writer: RecordWriter,
  ): Seq {
    const { id, name, sandbox } = item;
    const code = exit && { exitCode: exit.exitCode };
    const body = { kind: 'pleg-transition', id, name, sandbox, old, new: now, ...code, pod, uid } as const;
    const basis = exit ? [...pair.basis, exit.seq] : pair.basis;
    return this.conclude(`transition ${id} ${now}`, body, pair, { basis }, writer);
  }

  /**
   * Writes what the PLEG must have found, unless the log says it in words: now, or before this look, as one process of
   * the kubelet finds a change once. Returns its record, 0 if there is none.
   */
  private conclude(key: string, body: RecordBody, { end }: Pair, rest: Written, writer: RecordWriter): Seq {
    const from = Math.min(this.begun, end) - CLOCKS;
    if (this.logged.get(key)?.some((at) => at >= from && at <= end + LINE_AFTER)) return 0;
    return writer.write(body, { ...rest, g: writer.goroutine('pleg'), concluded: true });
  }
}

/** Names the transition or event that a log line reports and calls would otherwise imply; null for other lines. */
function reportedKey(msg: string, fields: LogEntry['fields']): string | null {
  if (msg === 'GenericPLEG') return `transition ${plain(fields.containerID)} ${plain(fields.newState)}`;
  if (msg === 'Generic (PLEG): container finished') return `transition ${plain(fields.containerID)} exited`;
  if (!msg.startsWith('SyncLoop (PLEG)')) return null;
  const event = JSON.stringify(fields.event ?? '');
  const type = /Container(?:Started|Died|Removed|Changed)/.exec(event)?.[0] ?? '';
  return `event ${/[0-9a-f]{64}/.exec(event)?.[0] ?? ''} ${type}`;
}

const part = (value: Json, key: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? ((value as { readonly [key: string]: Json | undefined })[key] ?? null)
    : null;
/** Returns an id or state from a field: in some versions the runtime's name comes before it. */
const plain = (value: Json | undefined): string =>
  typeof value === 'string' ? value.replace(/^\w+:\/\//, '') : text(value, 'ID');

function bounded<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= MOST_CALLS && !map.has(key)) map.delete(oldestKey(map) as K);
  map.set(key, value);
}
