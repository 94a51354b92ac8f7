import type { Json, TraceRecord } from '@syncloop/core/trace';
import { bareId, items, type JsonObject, objectOf, textOf } from '../base/json.js';

/** A pod's name in parts that do not change from run to run. */
export interface PodName {
  /** `namespace/name`; '' for the node. */
  readonly pod: string;
  readonly incarnation: number;
}
/** A container's or sandbox's name. */
export interface UnitName {
  readonly uid: string;
  /** '' for a sandbox. */
  readonly container: string;
  attempt: number;
}

const count = (value: unknown): number => Number(value ?? 0) || 0;

/**
 * Names the pods, sandboxes and containers of a run. All records are read before a name is asked for, because a log may
 * have an id long before the name that belongs to it.
 */
export class Names {
  /** UIDs of a name, in the order in which they came. */
  private readonly uids = new Map<string, string[]>();
  private readonly podOf = new Map<string, string>();
  private readonly sources = new Map<string, Set<string>>();
  private readonly units = new Map<string, UnitName>();
  /** Ids without a reported attempt: they are numbered in the order in which they appear. */
  private readonly unnumbered = new Map<string, string[]>();
  /** The calls that created something: by `seq`, until their answer comes. */
  private readonly creating = new Map<number, { uid: string; container: string; attempt: number }>();

  constructor(records: readonly TraceRecord[]) {
    for (const record of records) this.read(record);
    this.number();
  }

  /** Returns the pod of a UID, or of a name if no UID is known. Mirror pods count as the static pod that they show. */
  pod(uid: string | undefined, pod = ''): PodName {
    const name = (uid !== undefined && this.podOf.get(uid)) || pod;
    const all = this.originals(name);
    const at = uid === undefined ? -1 : all.indexOf(uid);
    return { pod: name, incarnation: at >= 0 ? at : Math.max(0, all.length - 1) };
  }
  unit(id: string): UnitName | undefined {
    return this.units.get(id);
  }
  /** True if a pod of this UID is the mirror of a static pod of the same name. */
  isMirror(uid: string): boolean {
    const name = this.podOf.get(uid);
    return name !== undefined && !this.originals(name).includes(uid);
  }

  private readonly kept = new Map<string, { readonly of: number; readonly list: readonly string[] }>();
  private originals(name: string): readonly string[] {
    const all = this.uids.get(name) ?? [];
    const known = this.kept.get(name);
    if (known?.of === all.length) return known.list;
    const isLocal = (uid: string) => [...(this.sources.get(uid) ?? [])].some((source) => source !== 'api');
    const isRemote = (uid: string) => this.sources.get(uid)?.has('api') === true;
    // Without an operation that names it, a UID of a static pod shows by its form: a hash.
    const isHash = (uid: string) => /^[0-9a-f]{32}$/.test(uid);
    const isStatic = all.some((uid) => isLocal(uid) || isHash(uid));
    const list = isStatic ? all.filter((uid) => isLocal(uid) || isHash(uid) || !(isRemote(uid) || isDashed(uid))) : all;
    this.kept.set(name, { of: all.length, list });
    return list;
  }

  private sees(pod: string | undefined, uid: string | undefined): void {
    if (!pod || !uid || this.podOf.has(uid)) return;
    this.podOf.set(uid, pod);
    const all = this.uids.get(pod);
    if (all) all.push(uid);
    else this.uids.set(pod, [uid]);
  }

  private seesUnit(id: string, uid: string, container: string, attempt?: number): void {
    if (id === '' || uid === '') return;
    const known = this.units.get(id);
    if (known) {
      if (known.attempt < 0 && attempt !== undefined) known.attempt = attempt;
      return;
    }
    this.units.set(id, { uid, container, attempt: attempt ?? -1 });
    const key = `${uid} ${container}`;
    const all = this.unnumbered.get(key);
    if (all) all.push(id);
    else this.unnumbered.set(key, [id]);
  }

  /** Numbers the units that no source numbered, in the order in which they were seen. */
  private number(): void {
    for (const ids of this.unnumbered.values()) {
      let next = 0;
      for (const id of ids) {
        const unit = this.units.get(id) as UnitName;
        if (unit.attempt < 0) unit.attempt = next;
        next = Math.max(next, unit.attempt + 1);
      }
    }
  }

  private read(r: TraceRecord): void {
    switch (r.kind) {
      case 'pod-config':
        for (const { pod, uid } of r.pods) {
          this.sees(pod, uid);
          const of = this.sources.get(uid);
          if (of) of.add(r.source);
          else this.sources.set(uid, new Set([r.source]));
        }
        return;
      case 'pod-list':
        for (const { pod, uid } of r.pods) this.sees(pod, uid);
        return;
      case 'kube-event':
        if (r.object.kind === 'Pod') this.sees(`${r.object.namespace}/${r.object.name}`, r.object.uid);
        return;
      case 'cri-call':
        this.readCall(r.seq, r.method, objectOf(r.request));
        return;
      case 'cri-return':
        this.readAnswer(r.call, r.method, objectOf(r.response));
        return;
      case 'status':
        this.sees(r.pod, r.uid);
        this.readStatus(r.uid, objectOf(r.status));
        return;
      case 'pleg-transition':
        this.sees(r.pod, r.uid);
        if (r.sandbox === true) this.seesUnit(r.id, r.uid, '');
        else if (r.sandbox === false && r.name) this.seesUnit(r.id, r.uid, r.name);
        return;
      case 'pleg-event':
        this.sees(r.pod, r.uid);
        if (r.name !== undefined) this.seesUnit(r.data, r.uid, r.name);
        return;
      case 'cache':
        this.sees(r.pod, r.uid);
        for (const { id } of r.sandboxes) this.seesUnit(id, r.uid, '');
        for (const { id, name, restartCount } of r.containers) this.seesUnit(id, r.uid, name, restartCount);
        return;
      case 'actual-sandbox':
        this.sees(r.pod, r.uid);
        this.seesUnit(r.id, r.uid, '', r.attempt);
        return;
      case 'actual-container':
        this.seesUnit(r.id, r.uid, r.name, r.attempt);
        return;
      case 'pod-update':
      case 'worker':
      case 'work-start':
      case 'probe':
      case 'backoff':
        this.sees(r.pod, r.uid);
        return;
    }
  }

  private readCall(seq: number, method: string, request: JsonObject): void {
    const config = objectOf(request.config);
    const { name, namespace, uid, attempt } = objectOf(config.metadata);
    if (method === 'RunPodSandbox') {
      this.sees(`${textOf(namespace)}/${textOf(name)}`, textOf(uid));
      this.creating.set(seq, { uid: textOf(uid), container: '', attempt: count(attempt) });
    } else if (method === 'CreateContainer') {
      const pod = objectOf(objectOf(request.sandboxConfig).metadata);
      if (textOf(pod.uid)) this.sees(`${textOf(pod.namespace)}/${textOf(pod.name)}`, textOf(pod.uid));
      const of = textOf(pod.uid) || (this.units.get(textOf(request.podSandboxId))?.uid ?? '');
      this.creating.set(seq, { uid: of, container: textOf(name), attempt: count(attempt) });
    }
  }

  private readAnswer(call: number, method: string, response: JsonObject): void {
    const made = this.creating.get(call);
    if (made) {
      this.creating.delete(call);
      this.seesUnit(textOf(response.podSandboxId ?? response.containerId), made.uid, made.container, made.attempt);
    } else if (method === 'ListPodSandbox')
      for (const item of items(response.items)) {
        const { id, metadata } = objectOf(item);
        const { name, namespace, uid, attempt } = objectOf(metadata);
        this.sees(`${textOf(namespace)}/${textOf(name)}`, textOf(uid));
        this.seesUnit(textOf(id), textOf(uid), '', count(attempt));
      }
    else if (method === 'ListContainers')
      for (const item of items(response.containers)) {
        const { id, metadata, labels, podSandboxId } = objectOf(item);
        const { name, attempt } = objectOf(metadata);
        const uid = textOf(objectOf(labels)['io.kubernetes.pod.uid']) || this.units.get(textOf(podSandboxId))?.uid;
        this.seesUnit(textOf(id), uid ?? '', textOf(name), count(attempt));
      }
  }

  private readStatus(uid: string, status: JsonObject): void {
    for (const one of containerStatuses(status)) {
      const { name, containerID, restartCount } = objectOf(one);
      if (containerID) this.seesUnit(bareId(containerID), uid, textOf(name), count(restartCount));
    }
  }
}

const isDashed = (uid: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(uid);

/** All container statuses of a pod's status, in the order of its lists. */
export const containerStatuses = (status: JsonObject): readonly Json[] => [
  ...items(status.initContainerStatuses),
  ...items(status.containerStatuses),
  ...items(status.ephemeralContainerStatuses),
];
