/**
 * Recognises the PLEG's lists. Others list, too: garbage collection, image collection, housekeeping. The PLEG asks for
 * all sandboxes and then all containers, a second after it was done with the relist before; from 1.36 on, it also looks
 * at one pod after a sync. upstream: pkg/kubelet/pleg/generic.go Relist, relistPod
 */
import { oldestKey } from '@syncloop/core/base';
import type { Json, Seq } from '@syncloop/core/trace';
import { field, text } from '../cri/subjects.js';
import type { CallEvidence, ReturnEvidence } from '../evidence/index.js';

/** Two lists, one after the other, that a part of the kubelet asked for. */
export interface Pair {
  readonly scope: 'global' | 'pod';
  /** The pod that it is about; '' for all. */
  readonly uid: string;
  readonly begin: number;
  readonly end: number;
  readonly sandboxes: Json;
  readonly containers: Json;
  /** The two returns. */
  readonly basis: readonly Seq[];
  /** The wire form of the first list's filter; parts of the kubelet differ in it. */
  readonly form: string;
}

interface Sandboxes {
  readonly begin: number;
  readonly end: number;
  readonly answer: Json;
  readonly seq: Seq;
  readonly form: string;
  /** The call for containers that followed, once it has. */
  containersCall: number;
}

const POD_UID = 'io.kubernetes.pod.uid';
/** Between an answer and the next call of the same goroutine, µs, on a machine that is busy. */
const AT_ONCE = 100_000;
/** The PLEG's period, and how early and how late the next relist may seem, µs. */
const PERIOD = 1e6;
const EARLY = 30_000;
const LATE = 400_000;
const MOST = 200;

/** Finds pairs of lists in calls and returns. */
export class Pairs {
  private readonly began = new Map<number, { readonly at: number; readonly request: Json }>();
  /** By uid; '' for lists of all pods. */
  private readonly sandboxes = new Map<string, Sandboxes>();

  call({ call, method, request, at }: CallEvidence): void {
    if (at === null || (method !== 'ListPodSandbox' && method !== 'ListContainers')) return;
    bounded(this.began, call, { at, request });
    const uid = scopeOf(request);
    if (method !== 'ListContainers' || uid === null) return;
    const first = this.sandboxes.get(uid);
    if (first && at >= first.end && at - first.end <= AT_ONCE) first.containersCall ||= call;
  }

  /** Something else was asked about the pod: it is not one part of the kubelet that lists twice in a row. */
  other(uid: string): void {
    if (uid !== '') this.sandboxes.delete(uid);
  }

  /** The pair that is complete with this return; null if there is none. */
  return({ call, method, response, error, at }: ReturnEvidence, seq: Seq): Pair | null {
    const began = this.began.get(call);
    if (!began || at === null) return null;
    this.began.delete(call);
    const uid = scopeOf(began.request);
    if (uid === null || error || response === undefined) return null;
    if (method === 'ListPodSandbox') {
      const form = uid === '' ? JSON.stringify(field(began.request, 'filter') ?? null) : '';
      bounded(this.sandboxes, uid, { begin: began.at, end: at, answer: response, seq, form, containersCall: 0 });
      return null;
    }
    const first = this.sandboxes.get(uid);
    if (method !== 'ListContainers' || !first || first.containersCall !== call) return null;
    this.sandboxes.delete(uid);
    return {
      scope: uid === '' ? 'global' : 'pod',
      uid,
      begin: first.begin,
      end: at,
      sandboxes: first.answer,
      containers: response,
      basis: [first.seq, seq],
      form: first.form,
    };
  }
}

/** Recognises relists among the pairs that list all pods: they keep the PLEG's time. */
export class Chain {
  /** Pairs that may be relists: none is known to be one yet. */
  private candidates: Pair[] = [];
  private last: { begin: number; end: number; form: string } | null = null;

  /** The PLEG of another process, or after a gap: it keeps another time. */
  restart(): void {
    this.candidates = [];
    this.last = null;
  }

  /** Extends the last relist: the PLEG was at work on its result until then. */
  extend(until: number): void {
    if (this.last) this.last.end = Math.max(this.last.end, until);
  }

  /** Returns the relists that this pair proves to be such, the earlier one first. */
  take(pair: Pair): Pair[] {
    if (this.last) {
      if (pair.form === this.last.form && follows(this.last.end, pair.begin)) {
        this.last = { begin: pair.begin, end: pair.end, form: pair.form };
        return [pair];
      }
      // Another client's pair, or the PLEG was delayed: then another pair follows this one after a period.
      if (pair.begin < this.last.end + PERIOD + LATE) return [];
    }
    const before = this.candidates
      .filter((one) => one.form === pair.form && follows(one.end, pair.begin))
      .sort((a, b) => off(a, pair) - off(b, pair))[0];
    if (!before) {
      this.candidates = [...this.candidates.filter((one) => pair.begin - one.end < 2 * PERIOD), pair].slice(-20);
      return [];
    }
    this.candidates = [];
    const known = this.last !== null;
    this.last = { begin: pair.begin, end: pair.end, form: pair.form };
    return known ? [pair] : [before, pair];
  }
}

const follows = (end: number, begin: number): boolean => begin >= end + PERIOD - EARLY && begin <= end + PERIOD + LATE;
const off = (one: Pair, next: Pair): number => Math.abs(next.begin - one.end - PERIOD);

/** The pod that a list is about, '' for all; null for lists of something else. */
function scopeOf(request: Json): string | null {
  const filter = field(request, 'filter');
  if (filter === undefined || filter === null) return '';
  if (typeof filter !== 'object' || Array.isArray(filter)) return null;
  const keys = Object.keys(filter);
  if (keys.length === 0) return '';
  const selector = field(filter as Json, 'labelSelector');
  const uid = text(filter as Json, 'labelSelector', POD_UID);
  return keys.length === 1 && uid !== '' && Object.keys(selector as object).length === 1 ? uid : null;
}

function bounded<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= MOST && !map.has(key)) map.delete(oldestKey(map) as K);
  map.set(key, value);
}
