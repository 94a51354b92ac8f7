/** Gathers what the records of an observed run report, by subject. */
import { isObject } from '@syncloop/core/base';
import type { Micros, RecordOf, Seq, TraceRecord } from '@syncloop/core/trace';
import { bareId, type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import { withUIDs } from '../base/uids.js';
import { rfc3339Micros } from './clock.js';
import { concludeContainers, type Wait } from './nameless.js';
import type { Seen, SeenCall, SeenEvent, SeenPod, SeenProcess, SeenStep } from './seen.js';
import { Units } from './units.js';

/** From the first line with a flag to the line with the version. */
const FLAGS_TIME = 2e6;

/** From the beginning of a kubelet's loop to the pods of its files. */
const LOOP_TO_POD = 100_000;
/** A pod that came within this time before the first list, and has nothing yet, came in what is re-enacted. */
const JUST = 5e6;
/** A kubelet that is restarted is down for at least this long. */
const DOWN = 500_000;

/** `epochMicros`: microseconds since 1970 at the time 0 of the records; null if unknown. */
export function gather(records: readonly TraceRecord[], epochMicros: number | null): Seen {
  return new Gatherer(withUIDs(records), epochMicros).seen();
}

/** True if any of its containers was created. */
const hasBegun = (pod: JsonObject): boolean =>
  ['initContainerStatuses', 'containerStatuses'].some((list) =>
    objectsOf(objectOf(pod.status)[list]).some(({ containerID }) => textOf(containerID) !== ''),
  );

class Gatherer {
  private readonly pods = new Map<string, SeenPod>();
  private readonly units = new Units();
  private readonly calls = new Map<Seq, SeenCall>();
  private readonly steps = new Map<Seq, SeenStep>();
  private readonly processes: SeenProcess[] = [];
  private readonly logs: RecordOf<'log'>[] = [];
  private readonly events: SeenEvent[] = [];
  private readonly eventsOf = new Map<string, SeenEvent[]>();
  private readonly probes: RecordOf<'probe'>[] = [];
  private readonly sources = new Set<string>();
  private readonly bySeq = new Map<Seq, TraceRecord>();
  /** The first of the lines with the flags of a process that has not reported its version yet. */
  private flags: Micros | null = null;
  private listed = new Set<string>();
  private lastList: Micros = 0;
  /** When the kubelet first read each pod, as the pod itself says, by UID. */
  private readonly noted = new Map<string, string>();
  private firstList: Seq = 0;
  /** Pods that got another sandbox. */
  private readonly renewed = new Set<string>();
  /** Pods with a sandbox that was created. */
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
    this.units.nameThem(this.containerNames());
    const inits = this.nameTheRest();
    const { sandboxes, containers } = this.units;
    const { pods, logs, events, probes, records, sources, bySeq } = this;
    const end = records.at(-1)?.time ?? 0;
    if (this.processes.length === 0)
      this.processes.push({ from: 0, before: true, to: null, killed: false, loop: null, relists: [] });
    const place = (seq: Seq): string => {
      const r = bySeq.get(seq);
      const evidence = r?.evidence ?? r?.basis?.map((s) => bySeq.get(s)?.evidence).find((e) => e !== undefined);
      if (!evidence) return '';
      return evidence.line === undefined ? evidence.source : `${evidence.source}:${evidence.line}`;
    };
    // If the kubelet was already running, pods that were not seen to arrive were there before.
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
      inits,
      renewed: this.renewed,
      hasSidecars: true,
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
    if (came !== null && this.epochMicros !== null)
      return came < this.epochMicros && (this.epochMicros - came > JUST || hasBegun(first.object));
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
        if (r.msg.startsWith('FLAG: ')) this.flags ??= r.time;
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
        this.units.sandboxStatus(objectOf(event.podSandboxStatus));
        for (const status of objectsOf(event.containersStatuses)) this.units.containerStatus(status, r.time);
        break;
      }
      case 'pleg-transition': {
        if (r.sandbox === true) this.units.sandbox(r.id, r.uid);
        else if (r.name) {
          const one = this.units.container(r.id, r.uid, r.name);
          if (r.new === 'running') one.ran ??= r.time;
          if (r.new === 'exited') {
            one.ended ??= r.time;
            if (r.exitCode !== undefined) one.exitCode ??= r.exitCode;
          }
        } else this.units.unnamed(r.id, r.uid, r.time, r.new === 'exited', r.sandbox === false, r.exitCode);
        break;
      }
      case 'pleg-event':
        if (r.name) {
          const one = this.units.container(r.data, r.uid, r.name);
          if (r.type === 'ContainerStarted') one.ran ??= r.time;
          if (r.type === 'ContainerDied') one.ended ??= r.time;
        } else if (r.name === '') this.units.sandbox(r.data, r.uid);
        else this.units.unnamed(r.data, r.uid, r.time, r.type === 'ContainerDied', false);
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
        const one = this.units.container(r.id, r.uid, r.name);
        one.sandbox ||= r.sandbox;
        if (r.state === 'exited' && r.exitCode !== undefined) one.exitCode ??= r.exitCode;
        if (r.state === 'running') one.ran ??= r.time;
        if (r.state === 'exited') one.ended ??= r.time;
        break;
      }
      case 'actual-sandbox':
        this.units.sandbox(r.id, r.uid).attempt ??= r.attempt;
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
      containerID: bareId(textOf(containerID)),
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
    const init = path?.[1] === 'initContainers';
    const event = { seq, time, kind, object: name, uid, container, init, reason, message };
    this.events.push(event);
    const ofPod = this.eventsOf.get(uid) ?? [];
    this.eventsOf.set(uid, ofPod);
    ofPod.push(event);
    if (reason !== 'Created' || container === '') return;
    // The events of its image before it name no container in an old log.
    for (let i = ofPod.length - 2; i >= 0; i--) {
      const before = ofPod[i] as SeenEvent;
      if (before.container !== '' || !/^(Pulled|Pulling)$/.test(before.reason)) break;
      before.container = container;
    }
  }

  /** Names the containers that no line names. Returns the init containers among them, by UID. */
  private nameTheRest(): Map<string, ReadonlySet<string>> {
    const inits = new Map<string, ReadonlySet<string>>();
    const waits = new Map<string, Wait[]>();
    for (const r of this.records) {
      if (r.kind !== 'backoff' || !r.active || r.of !== 'crash-loop') continue;
      waits.set(r.uid, [...(waits.get(r.uid) ?? []), { container: r.container, time: r.time }]);
    }
    for (const { uid, ops, objects } of this.pods.values()) {
      if (objects.length > 0) continue;
      const { ids, sandboxes } = this.units.namelessOf(uid);
      if (ids.length === 0) continue;
      if (sandboxes.length > 0) this.renewed.add(uid);
      const gone = ops.find(({ op }) => op === 'DELETE' || op === 'REMOVE')?.time ?? Number.POSITIVE_INFINITY;
      const found = concludeContainers(ids, waits.get(uid) ?? [], gone, sandboxes);
      for (const { name, ids: own } of found)
        for (const [attempt, id] of own.entries()) {
          const known = ids.find((one) => one.id === id);
          const one = this.units.container(id, uid, name);
          one.attempt ??= attempt;
          one.ran = known?.ran;
          one.ended = known?.ended;
          one.exitCode ??= known?.exitCode;
        }
      inits.set(uid, new Set(found.filter(({ init }) => init).map(({ name }) => name)));
    }
    return inits;
  }

  /** The names of each pod's containers, by its UID, if they are known to be all. */
  private containerNames(): Map<string, Set<string>> {
    const names = new Map<string, Set<string>>();
    const learn = (uid: string, name: string) => names.set(uid, (names.get(uid) ?? new Set()).add(name));
    for (const { uid, name } of this.units.containers.values()) learn(uid, name);
    for (const { uid, objects } of this.pods.values())
      for (const { object } of objects)
        for (const list of ['initContainers', 'containers'])
          for (const c of objectsOf(objectOf(object.spec)[list])) learn(uid, textOf(c.name));
    for (const { uid, container } of this.steps.values()) if (uid && container) learn(uid, container);
    for (const r of this.records) {
      if (r.kind === 'backoff') learn(r.uid, r.container);
    }
    for (const { uid, container } of this.events) if (container) learn(uid, container);
    // Without lists and events only some containers have a name.
    if (this.events.length === 0)
      for (const { uid, objects } of this.pods.values()) if (objects.length === 0) names.delete(uid);
    return names;
  }

  private process(r: RecordOf<'process'>): void {
    if (r.process !== 'kubelet') return;
    const last = this.processes.at(-1);
    if (r.state === 'started' || r.state === 'running') {
      if (last && last.to === null) last.to = r.time;
      // A kubelet logs its flags before the line by which it is known as one.
      const from = this.flags !== null && r.time - this.flags < FLAGS_TIME ? this.flags : r.time;
      this.flags = null;
      this.processes.push({
        from,
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
      this.restart(uid, textOf(annotations['kubernetes.io/config.seen']), r.time);
      const source = annotations['kubernetes.io/config.source'];
      if (source === 'file' || source === 'http' || source === 'api') one.source ??= source;
      one.objects.push({ time: r.time, seq: r.seq, object });
      one.unlisted = r.removed ? r.time : null;
      this.units.podStatus(uid, object);
    }
    this.lastList = r.time;
    if (r.scope !== 'all') return;
    for (const uid of this.listed) {
      const one = this.pods.get(uid);
      if (one && !now.has(uid)) one.unlisted ??= r.time;
    }
    this.listed = now;
  }

  /**
   * Concludes a restart of the kubelet from lists alone: it reads a static pod again, and notes when. `noted`: when it
   * read the pod of this list.
   */
  private restart(uid: string, noted: string, time: Micros): void {
    const before = this.noted.get(uid);
    if (noted === '') return;
    this.noted.set(uid, noted);
    if (before === undefined || before === noted || this.sources.has('log') || this.sources.has('cri')) return;
    const wall = rfc3339Micros(noted);
    if (wall === null || this.epochMicros === null) return;
    const loop = Math.min(time, wall - this.epochMicros) - LOOP_TO_POD;
    const last = this.processes.at(-1);
    // The other pods of the same start.
    if (last && !last.before && last.loop !== null && Math.abs(last.loop - loop) < FLAGS_TIME) return;
    const first = { from: 0, before: true, to: null, killed: false, loop: null, relists: [] };
    if (!last) this.processes.push(first);
    (this.processes.at(-1) as SeenProcess).to = Math.min(this.lastList, loop - DOWN);
    this.processes.push({ from: loop - DOWN, before: false, to: null, killed: false, loop, relists: [] });
  }

  private call(r: RecordOf<'cri-call'>): void {
    // A span has neither the request nor its subject.
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
      const one = this.units.sandbox(call.sandbox, call.uid);
      one.attempt = numberOf(objectOf(objectOf(request.config).metadata).attempt) ?? 0;
    } else if (call.method === 'CreateContainer') {
      const config = objectOf(request.config);
      const metadata = objectOf(config.metadata);
      call.container = textOf(response.containerId);
      const one = this.units.container(call.container, call.uid, textOf(metadata.name));
      one.attempt = numberOf(metadata.attempt) ?? 0;
      one.sandbox ||= call.sandbox;
      one.image ||= textOf(objectOf(config.image).userSpecifiedImage) || textOf(objectOf(config.image).image);
    } else if (call.method === 'PodSandboxStatus') {
      this.units.sandboxStatus(objectOf(response.status));
      for (const status of objectsOf(response.containersStatuses)) this.units.containerStatus(status, r.time);
    } else if (call.method === 'ContainerStatus') this.units.containerStatus(objectOf(response.status), r.time);
  }
}
