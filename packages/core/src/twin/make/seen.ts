/**
 * What records of an observed run tell, gathered by what it is about: pods, containers, calls, the kubelet's processes.
 */
import { GrpcCode } from '../../cri/index.js';
import type { Micros, RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import { rfc3339Micros } from './clock.js';
import { isObject, type JsonObject, nanosAsMicros, numberOf, objectOf, objectsOf, textOf } from './json.js';

export type PodSource = 'file' | 'http' | 'api';

/** A pod of one UID. */
export interface SeenPod {
  readonly uid: string;
  /** `namespace/name`. */
  pod: string;
  /** Null where nothing tells. */
  source: PodSource | null;
  /** It is the API's image of a static pod. */
  mirror: boolean;
  /** What PodConfig made of it, in order. */
  readonly ops: { readonly op: RecordOf<'pod-config'>['op']; readonly time: Micros; readonly seq: Seq }[];
  /** The Pod as it was listed, each time it had changed. */
  readonly objects: { readonly time: Micros; readonly seq: Seq; readonly object: JsonObject }[];
  /** When a list did not have it any more. */
  unlisted: Micros | null;
  /** It was there before what is re-enacted begins. */
  there: boolean;
  /** First and last record that names it. */
  first: Micros;
  last: Micros;
}

/** A container, or a sandbox, of one id. */
export interface SeenContainer {
  readonly id: string;
  uid: string;
  /** '' for a sandbox. */
  name: string;
  sandbox: string;
  /** As the runtime has it; null where nothing tells. */
  attempt: number | null;
  image: string;
  imageRef: string;
  /** Order of first sight. */
  readonly order: number;
  /** By the runtime's own clock, microseconds since 1970. */
  createdAt?: number;
  startedAt?: number;
  finishedAt?: number;
  exitCode?: number | undefined;
  reason?: string;
  message?: string;
  /** By the clock of the records: when it was first seen to run, and first seen to have ended. */
  ran?: Micros | undefined;
  ended?: Micros | undefined;
}

export interface SeenCall {
  readonly seq: Seq;
  readonly time: Micros;
  readonly method: string;
  readonly request: JsonObject;
  uid: string;
  sandbox: string;
  container: string;
  took: Micros | null;
  response: JsonObject | null;
  error: { readonly code: number; readonly details: string } | null;
}

/** The kubelet stops a container, or runs one of its hooks, as its log tells. */
export interface SeenStep {
  readonly fn: 'killContainer' | 'executePreStopHook' | 'executePostStartHook';
  readonly uid: string;
  readonly container: string;
  readonly containerID: string;
  readonly time: Micros;
  /** Seconds. */
  readonly grace: number | null;
  to: Micros | null;
}

/** A Kubernetes event. */
export interface SeenEvent {
  readonly seq: Seq;
  readonly time: Micros;
  readonly kind: string;
  readonly object: string;
  readonly uid: string;
  /** Of the container that it is about; '' where it is about none, or nothing tells. Old logs leave out the path. */
  container: string;
  readonly init: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The kubelet's process from its start to its end. */
export interface SeenProcess {
  readonly from: Micros;
  /** It was there before what was read. */
  readonly before: boolean;
  to: Micros | null;
  killed: boolean;
  /** When its loop began, where a line tells. */
  loop: Micros | null;
  /** Starts of the PLEG's relists. */
  readonly relists: Micros[];
}

export interface Seen {
  readonly pods: ReadonlyMap<string, SeenPod>;
  readonly sandboxes: ReadonlyMap<string, SeenContainer>;
  readonly containers: ReadonlyMap<string, SeenContainer>;
  readonly calls: readonly SeenCall[];
  readonly steps: readonly SeenStep[];
  readonly processes: readonly SeenProcess[];
  readonly logs: readonly RecordOf<'log'>[];
  readonly events: readonly SeenEvent[];
  readonly probes: readonly RecordOf<'probe'>[];
  readonly records: readonly TraceRecord[];
  /** By record: source and line, for comments. */
  readonly place: (seq: Seq) => string;
  /** Time of the last record. */
  readonly end: Micros;
  readonly sources: ReadonlySet<string>;
}

const SANDBOX_LABEL = 'io.kubernetes.pod.uid';

/** `epochMicros`: microseconds since 1970 at the time 0 of the records; null where nothing tells. */
export function gather(records: readonly TraceRecord[], epochMicros: number | null): Seen {
  return new Gatherer(records, epochMicros).seen();
}

class Gatherer {
  private readonly pods = new Map<string, SeenPod>();
  private readonly sandboxes = new Map<string, SeenContainer>();
  private readonly containers = new Map<string, SeenContainer>();
  private readonly calls = new Map<Seq, SeenCall>();
  private readonly steps = new Map<Seq, SeenStep>();
  private readonly processes: SeenProcess[] = [];
  /** Ids of a pod's containers and sandboxes of which no line told the name: by id, what is known. */
  private readonly nameless = new Map<
    string,
    { uid: string; isContainer: boolean; ran?: Micros; ended?: Micros; exitCode?: number }
  >();
  private readonly logs: RecordOf<'log'>[] = [];
  private readonly events: SeenEvent[] = [];
  private readonly probes: RecordOf<'probe'>[] = [];
  private readonly sources = new Set<string>();
  private readonly bySeq = new Map<Seq, TraceRecord>();
  private order = 0;
  private listed = new Set<string>();
  private firstList: Seq = 0;
  /** Pods of which a sandbox was made. */
  private readonly made = new Set<string>();

  constructor(
    private readonly records: readonly TraceRecord[],
    private readonly epochMicros: number | null,
  ) {
    for (const r of records) {
      this.bySeq.set(r.seq, r);
      this.take(r);
    }
  }

  seen(): Seen {
    this.nameThem();
    const { pods, sandboxes, containers, logs, events, probes, records, sources, bySeq } = this;
    const end = records.at(-1)?.time ?? 0;
    if (this.processes.length === 0)
      this.processes.push({ from: 0, before: true, to: null, killed: false, loop: null, relists: [] });
    const place = (seq: Seq): string => {
      const r = bySeq.get(seq);
      const evidence = r?.evidence ?? r?.basis?.map((s) => bySeq.get(s)?.evidence).find((e) => e !== undefined);
      if (!evidence) return '';
      return evidence.line === undefined ? evidence.source : `${evidence.source}:${evidence.line}`;
    };
    // Where the kubelet ran before, what nobody saw come was there.
    if (this.processes[0]?.before)
      for (const pod of pods.values()) {
        const next = this.processes[1]?.from ?? Number.POSITIVE_INFINITY;
        pod.there = pod.first < next && !pod.mirror && this.wasThere(pod);
      }
    const calls = [...this.calls.values()].sort((a, b) => a.time - b.time || a.seq - b.seq);
    return {
      pods,
      sandboxes,
      containers,
      calls,
      steps: [...this.steps.values()],
      processes: this.processes,
      logs,
      events,
      probes,
      records,
      place,
      end,
      sources,
    };
  }

  private wasThere({ uid, ops, objects }: SeenPod): boolean {
    const [op] = ops;
    if (op) return op.op !== 'ADD';
    const [first] = objects;
    if (!first) return !this.made.has(uid);
    const annotations = objectOf(objectOf(first.object.metadata).annotations);
    const came = rfc3339Micros(textOf(annotations['kubernetes.io/config.seen']));
    if (came !== null && this.epochMicros !== null) return came < this.epochMicros;
    return first.seq === this.firstList;
  }

  private take(r: TraceRecord): void {
    switch (r.kind) {
      case 'evidence-source':
        if (r.state === 'opened') this.sources.add(r.source);
        break;
      case 'process':
        this.process(r);
        break;
      case 'log':
        this.logs.push(r);
        if (/^Starting kubelet main sync loop/.test(r.msg)) {
          const now = this.processes.at(-1);
          if (now) now.loop ??= r.time;
        }
        break;
      case 'kube-event':
        this.event(r);
        break;
      case 'probe':
        this.probes.push(r);
        break;
      case 'relist':
        if (r.scope === 'global') this.processes.at(-1)?.relists.push(r.time);
        break;
      case 'pod-config':
        for (const { pod, uid } of r.pods) {
          const one = this.pod(uid, pod, r.time);
          if (r.source === 'file' || r.source === 'http' || r.source === 'api') one.source = r.source;
          one.ops.push({ op: r.op, time: r.time, seq: r.seq });
        }
        break;
      case 'pod-list':
        this.podList(r);
        break;
      case 'pod-update':
      case 'work-start':
      case 'work-done':
      case 'worker':
        if (r.uid) this.pod(r.uid, r.pod, r.time);
        break;
      case 'cri-call':
        this.call(r);
        break;
      case 'cri-return':
        this.answered(r);
        break;
      case 'container-event': {
        const event = objectOf(r.event);
        this.sandboxStatus(objectOf(event.podSandboxStatus));
        for (const status of objectsOf(event.containersStatuses)) this.containerStatus(status, r.time);
        break;
      }
      case 'pleg-transition': {
        if (r.sandbox === true) this.sandbox(r.id, r.uid);
        else if (r.name) {
          const one = this.container(r.id, r.uid, r.name);
          if (r.new === 'running') one.ran ??= r.time;
          if (r.new === 'exited') {
            one.ended ??= r.time;
            if (r.exitCode !== undefined) one.exitCode ??= r.exitCode;
          }
        } else this.unnamed(r.id, r.uid, r.time, r.new === 'exited', r.sandbox === false, r.exitCode);
        break;
      }
      case 'pleg-event':
        if (r.name) {
          const one = this.container(r.data, r.uid, r.name);
          if (r.type === 'ContainerStarted') one.ran ??= r.time;
          if (r.type === 'ContainerDied') one.ended ??= r.time;
        } else if (r.name === '') this.sandbox(r.data, r.uid);
        else this.unnamed(r.data, r.uid, r.time, r.type === 'ContainerDied', false);
        break;
      case 'enter':
        this.step(r);
        break;
      case 'exit': {
        const step = this.steps.get(r.of);
        if (step) step.to = r.time;
        break;
      }
      case 'actual-container': {
        const one = this.container(r.id, r.uid, r.name);
        one.sandbox ||= r.sandbox;
        if (r.state === 'exited' && r.exitCode !== undefined) one.exitCode ??= r.exitCode;
        if (r.state === 'running') one.ran ??= r.time;
        if (r.state === 'exited') one.ended ??= r.time;
        break;
      }
      case 'actual-sandbox':
        this.sandbox(r.id, r.uid).attempt ??= r.attempt;
        break;
    }
  }

  private step(r: RecordOf<'enter'>): void {
    if (r.fn !== 'killContainer' && r.fn !== 'executePreStopHook' && r.fn !== 'executePostStartHook') return;
    const { uid, container, containerID, gracePeriod } = objectOf(r.args);
    this.steps.set(r.seq, {
      fn: r.fn,
      uid: textOf(uid),
      container: textOf(container),
      containerID: bare(textOf(containerID)),
      time: r.time,
      grace: numberOf(gracePeriod) ?? null,
      to: null,
    });
  }

  private event({ seq, time, object, reason, message }: RecordOf<'kube-event'>): void {
    const path = /^spec\.(\w+)\{(.+)\}$/.exec(object.fieldPath);
    // Up to 1.3x: "Created container app"; and of every version: "Container app failed liveness probe".
    const named = /^(?:Created|Started|Stopping) container ([a-z0-9-]+)$|^Container ([a-z0-9-]+) failed /.exec(message);
    const container = path?.[2] ?? named?.[1] ?? named?.[2] ?? '';
    const { kind, name, uid } = object;
    this.events.push({
      seq,
      time,
      kind,
      object: name,
      uid,
      container,
      init: path?.[1] === 'initContainers',
      reason,
      message,
    });
    if (reason !== 'Created' || container === '') return;
    // What came before it, of its image, has no name in an old log.
    for (const before of this.events.slice(0, -1).reverse()) {
      if (before.uid !== uid) continue;
      if (before.container !== '' || !/^(Pulled|Pulling)$/.test(before.reason)) break;
      before.container = container;
    }
  }

  private unnamed(id: string, uid: string, time: Micros, died: boolean, isContainer: boolean, exitCode?: number): void {
    const one = this.nameless.get(id) ?? { uid, isContainer };
    this.nameless.set(id, one);
    if (isContainer) one.isContainer = true;
    if (died) one.ended ??= time;
    else one.ran ??= time;
    if (exitCode !== undefined) one.exitCode ??= exitCode;
  }

  /** Ids that have a name by now get what was known of them; so do those of a pod with one container only. */
  private nameThem(): void {
    const names = new Map<string, Set<string>>();
    const learn = (uid: string, name: string) => names.set(uid, (names.get(uid) ?? new Set()).add(name));
    for (const { uid, name } of this.containers.values()) learn(uid, name);
    for (const { uid, objects } of this.pods.values())
      for (const { object } of objects)
        for (const list of ['initContainers', 'containers'])
          for (const c of objectsOf(objectOf(object.spec)[list])) learn(uid, textOf(c.name));
    for (const { uid, container } of this.steps.values()) if (uid && container) learn(uid, container);
    for (const r of this.records) {
      if (r.kind === 'backoff') learn(r.uid, r.container);
    }
    for (const { uid, container } of this.events) if (container) learn(uid, container);
    for (const [id, { uid, isContainer, ran, ended, exitCode }] of this.nameless) {
      const only = names.get(uid);
      let one = this.containers.get(id);
      if (!one && isContainer && !this.sandboxes.has(id) && only?.size === 1)
        one = this.container(id, uid, [...only][0] as string);
      if (!one) continue;
      one.ran = least(one.ran, ran);
      one.ended = least(one.ended, ended);
      one.exitCode ??= exitCode;
    }
  }

  private process(r: RecordOf<'process'>): void {
    if (r.process !== 'kubelet') return;
    const last = this.processes.at(-1);
    if (r.state === 'started' || r.state === 'running') {
      if (last && last.to === null) last.to = r.time;
      this.processes.push({
        from: r.time,
        before: r.state === 'running',
        to: null,
        killed: false,
        loop: null,
        relists: [],
      });
    } else if (last) {
      last.to = r.time;
      last.killed = r.state === 'killed';
    }
  }

  private pod(uid: string, pod: string, time: Micros): SeenPod {
    let one = this.pods.get(uid);
    if (!one) {
      one = {
        uid,
        pod,
        source: null,
        mirror: false,
        ops: [],
        objects: [],
        unlisted: null,
        there: false,
        first: time,
        last: time,
      };
      this.pods.set(uid, one);
    }
    if (pod.includes('/')) one.pod = pod;
    one.last = time;
    return one;
  }

  private podList(r: RecordOf<'pod-list'>): void {
    if (r.scope === 'all') this.firstList ||= r.seq;
    const now = new Set<string>();
    for (const object of objectsOf(r.objects)) {
      const metadata = objectOf(object.metadata);
      const uid = textOf(metadata.uid);
      if (uid === '') continue;
      const name = `${textOf(metadata.namespace) || 'default'}/${textOf(metadata.name)}`;
      now.add(uid);
      const one = this.pod(uid, name, r.time);
      const annotations = objectOf(metadata.annotations);
      if (annotations['kubernetes.io/config.mirror'] !== undefined) one.mirror = true;
      const source = annotations['kubernetes.io/config.source'];
      if (source === 'file' || source === 'http' || source === 'api') one.source ??= source;
      one.objects.push({ time: r.time, seq: r.seq, object });
      one.unlisted = r.removed ? r.time : null;
      this.statuses(uid, object);
    }
    if (r.scope !== 'all') return;
    for (const uid of this.listed) {
      const one = this.pods.get(uid);
      if (one && !now.has(uid)) one.unlisted ??= r.time;
    }
    this.listed = now;
  }

  /** What the status of a Pod tells of its containers: whole seconds, and no clock of the runtime. */
  private statuses(uid: string, object: JsonObject): void {
    const status = objectOf(object.status);
    for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'])
      for (const c of objectsOf(status[list])) {
        const name = textOf(c.name);
        const restarts = numberOf(c.restartCount) ?? 0;
        const state = objectOf(c.state);
        for (const [when, attempt] of [
          [state, restarts],
          [objectOf(c.lastState), restarts - 1],
        ] as const) {
          const terminated = objectOf(when.terminated);
          const running = objectOf(when.running);
          const id = bare(textOf(terminated.containerID) || (running.startedAt ? textOf(c.containerID) : ''));
          if (id === '') continue;
          const one = this.container(id, uid, name);
          // What restartCount says of a container that waits for its next start is not sure.
          if (when === state && attempt >= 0) one.attempt ??= attempt;
          one.image ||= textOf(c.image);
          if (when.terminated !== undefined) {
            const code = numberOf(terminated.exitCode);
            if (code !== undefined) one.exitCode ??= code;
            const reason = textOf(terminated.reason);
            if (reason) one.reason ??= reason;
            const message = textOf(terminated.message);
            if (message) one.message ??= message;
          }
        }
      }
  }

  private sandbox(id: string, uid: string): SeenContainer {
    return this.entry(this.sandboxes, id, uid, '');
  }
  private container(id: string, uid: string, name: string): SeenContainer {
    return this.entry(this.containers, id, uid, name);
  }
  private entry(map: Map<string, SeenContainer>, id: string, uid: string, name: string): SeenContainer {
    let one = map.get(id);
    if (!one) {
      one = { id, uid, name, sandbox: '', attempt: null, image: '', imageRef: '', order: this.order++ };
      map.set(id, one);
    }
    one.uid ||= uid;
    one.name ||= name;
    return one;
  }

  private sandboxStatus(status: JsonObject): SeenContainer | null {
    const id = textOf(status.id);
    if (id === '') return null;
    const metadata = objectOf(status.metadata);
    const one = this.sandbox(id, textOf(metadata.uid) || textOf(objectOf(status.labels)[SANDBOX_LABEL]));
    one.attempt ??= numberOf(metadata.attempt) ?? 0;
    const created = nanosAsMicros(status.createdAt);
    if (created !== undefined) one.createdAt ??= created;
    return one;
  }

  private containerStatus(status: JsonObject, time: Micros): void {
    const id = textOf(status.id);
    const metadata = objectOf(status.metadata);
    const labels = objectOf(status.labels);
    if (id === '') return;
    const one = this.container(
      id,
      textOf(labels[SANDBOX_LABEL]),
      textOf(metadata.name) || textOf(labels['io.kubernetes.container.name']),
    );
    one.attempt ??= numberOf(metadata.attempt) ?? 0;
    one.image ||= textOf(objectOf(status.image).image);
    one.imageRef ||= textOf(status.imageRef);
    const created = nanosAsMicros(status.createdAt);
    const started = nanosAsMicros(status.startedAt);
    const finished = nanosAsMicros(status.finishedAt);
    if (created !== undefined) one.createdAt = created;
    if (started !== undefined) {
      one.startedAt = started;
      one.ran ??= time;
    }
    if (finished === undefined) return;
    one.finishedAt = finished;
    one.ended ??= time;
    one.exitCode = numberOf(status.exitCode) ?? 0;
    const reason = textOf(status.reason);
    if (reason) one.reason = reason;
    const message = textOf(status.message);
    if (message) one.message = message;
  }

  private call(r: RecordOf<'cri-call'>): void {
    // A span tells neither what was asked nor for whom.
    if (r.request === null) return;
    const request = objectOf(r.request);
    const config = objectOf(request.sandboxConfig ?? request.config);
    this.calls.set(r.seq, {
      seq: r.seq,
      time: r.time,
      method: r.method,
      request,
      uid: r.uid ?? textOf(objectOf(config.metadata).uid),
      sandbox: r.sandbox ?? textOf(request.podSandboxId),
      container: r.container ?? textOf(request.containerId),
      took: null,
      response: null,
      error: null,
    });
  }

  private answered(r: RecordOf<'cri-return'>): void {
    const call = this.calls.get(r.call);
    if (!call) return;
    call.took = r.took ?? r.time - call.time;
    if (r.error) call.error = r.error;
    if (isObject(r.response)) call.response = r.response;
    call.uid ||= r.uid ?? '';
    call.sandbox ||= r.sandbox ?? '';
    call.container ||= r.container ?? '';
    const { response, request } = call;
    if (!response) return;
    if (call.method === 'RunPodSandbox') {
      this.made.add(call.uid);
      call.sandbox = textOf(response.podSandboxId);
      const one = this.sandbox(call.sandbox, call.uid);
      one.attempt = numberOf(objectOf(objectOf(request.config).metadata).attempt) ?? 0;
    } else if (call.method === 'CreateContainer') {
      const config = objectOf(request.config);
      const metadata = objectOf(config.metadata);
      call.container = textOf(response.containerId);
      const one = this.container(call.container, call.uid, textOf(metadata.name));
      one.attempt = numberOf(metadata.attempt) ?? 0;
      one.sandbox ||= call.sandbox;
      one.image ||= textOf(objectOf(config.image).userSpecifiedImage) || textOf(objectOf(config.image).image);
    } else if (call.method === 'PodSandboxStatus') {
      this.sandboxStatus(objectOf(response.status));
      for (const status of objectsOf(response.containersStatuses)) this.containerStatus(status, r.time);
    } else if (call.method === 'ContainerStatus') this.containerStatus(objectOf(response.status), r.time);
  }
}

/** An id without the runtime's name before it. */
const bare = (id: string) => id.slice(id.lastIndexOf('/') + 1);

/** The earlier of two times, either of which may not be known. */
const least = (a: Micros | undefined, b: Micros | undefined): Micros | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** The runtime was not there: that is a step of its own. */
export const isOutage = ({ error }: SeenCall): boolean => error?.code === GrpcCode.Unavailable;
