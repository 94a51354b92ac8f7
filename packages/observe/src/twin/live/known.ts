import type { Json, Micros, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { VersionFold } from '@syncloop/core/version';
import { items, objectOf, textOf } from '../base/json.js';

/** Most lines of a kubelet's start that are kept: its flags and its facts about the node. */
const MOST_START_LINES = 2000;

/** A record of something that happens to a pod and that its list may not show yet. */
export function touches(r: TraceRecord): boolean {
  switch (r.kind) {
    case 'pleg-event':
    case 'backoff':
    case 'step':
      return true;
    case 'pod-update':
      return r.updateType !== 'sync';
    case 'cri-call':
      return /^(Run|Create|Start|Stop|Remove)/.test(r.method);
    case 'enter':
      return /^(killContainer|startContainer|createPodSandbox|killPod)/.test(r.fn);
    default:
      return false;
  }
}

/** A pod with its newest state from the sources. */
export interface KnownPod {
  readonly uid: string;
  pod: string;
  source: 'file' | 'http' | 'api' | null;
  /** The Pod as it was listed last, and when. */
  object: Json | null;
  listed: Micros;
  status: RecordOf<'status'> | null;
  /** The time of its last change that its object may not show yet. */
  touched: Micros;
}

/**
 * The known state of a node at the newest record: enough to begin a twin there. Memory is bounded by the node's state.
 */
export class Known {
  readonly pods = new Map<string, KnownPod>();
  /** Sources that were opened, by id. */
  readonly sources = new Map<string, TraceRecord>();
  /** Lines of the kubelet's start. */
  startLines: TraceRecord[] = [];
  /** A record of each kind and verbosity, which shows what the sources report at all. */
  readonly samples = new Map<string, TraceRecord>();
  /** The kubelet's version as far as it is known. */
  readonly version = new VersionFold();
  /** Start of the PLEG's last relist. */
  relist: Micros | null = null;
  /** The time since which all pods of the node are known. */
  listedAll: Micros | null = null;
  private starting = true;

  take(r: TraceRecord): void {
    const sample = r.kind === 'log' ? `log ${r.v}` : r.kind === 'status' && !r.concluded ? 'status reported' : r.kind;
    if (!this.samples.has(sample)) this.samples.set(sample, r);
    this.version.take(r);
    switch (r.kind) {
      case 'evidence-source':
        if (r.state === 'opened') this.sources.set(r.id, r);
        else this.sources.delete(r.id);
        return;
      case 'process':
        if (r.process === 'kubelet' && r.state === 'started') {
          this.startLines = [];
          this.starting = true;
        }
        return;
      case 'log':
        if (/^Starting kubelet main sync loop/.test(r.msg)) this.starting = false;
        else if (this.starting && this.startLines.length < MOST_START_LINES) this.startLines.push(r);
        return;
      case 'relist':
        if (r.scope === 'global') this.relist = r.time;
        return;
      case 'pod-config':
        this.starting = false;
        this.config(r);
        return;
      case 'pod-list':
        this.list(r);
        return;
      case 'status': {
        const one = this.pods.get(r.uid);
        if (one) one.status = r;
        return;
      }
    }
    if (touches(r) && 'uid' in r) this.touch(r.uid, r.time);
  }

  private touch(uid: string | undefined, time: Micros): void {
    const one = uid === undefined ? undefined : this.pods.get(uid);
    if (one) one.touched = time;
  }

  private config({ op, source, pods, time }: RecordOf<'pod-config'>): void {
    for (const { uid, pod } of pods) {
      if (op === 'REMOVE') {
        this.pods.delete(uid);
        continue;
      }
      const one = this.pod(uid, pod);
      if (source === 'file' || source === 'http' || source === 'api') one.source = source;
      if (op !== 'RECONCILE') one.touched = time;
    }
  }

  private list(r: RecordOf<'pod-list'>): void {
    const there = new Set<string>();
    for (const object of items(r.objects)) {
      const metadata = objectOf(objectOf(object).metadata);
      const uid = textOf(metadata.uid);
      if (uid === '') continue;
      there.add(uid);
      if (r.removed) {
        this.pods.delete(uid);
        continue;
      }
      const one = this.pod(uid, `${textOf(metadata.namespace) || 'default'}/${textOf(metadata.name)}`);
      const source = textOf(objectOf(metadata.annotations)['kubernetes.io/config.source']);
      if (source === 'file' || source === 'http' || source === 'api') one.source ??= source;
      one.object = object;
      one.listed = r.time;
    }
    if (r.scope !== 'all') return;
    this.listedAll ??= r.time;
    for (const uid of [...this.pods.keys()]) if (!there.has(uid)) this.pods.delete(uid);
  }

  private pod(uid: string, pod: string): KnownPod {
    let one = this.pods.get(uid);
    if (!one) {
      one = { uid, pod, source: null, object: null, listed: 0, status: null, touched: 0 };
      this.pods.set(uid, one);
    }
    if (pod.includes('/')) one.pod = pod;
    return one;
  }
}
