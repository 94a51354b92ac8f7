import type { Json, Micros, NodeState, TraceRecord } from '../../trace/index.js';

/** A back-off that came to its end. */
export interface Expiry {
  readonly uid: string;
  readonly of: string;
  readonly container: string;
  readonly until: Micros;
}

interface LastStatus {
  readonly phase: string;
  readonly status: Json;
}
const NO_STATUS: LastStatus = { phase: '', status: null };
const NO_EXPIRIES: readonly Expiry[] = [];

/**
 * The part of the past that is needed to see a change: the pods' status before the record, and the back-offs that run.
 * It is a function of the state right before the record, so `prime` at any moment makes the same as following all
 * records up to it.
 */
export class Memory {
  private readonly pods = new Map<string, LastStatus>();
  private readonly backoffs = new Map<string, Expiry>();
  private nextExpiry: Micros = Number.POSITIVE_INFINITY;
  private records = 0;

  /** The status before the last record, when that was a `status`. */
  before: LastStatus = NO_STATUS;
  /** True if the last record, a `backoff`, began one. */
  started = false;
  /** Back-offs that were over at the last record and not before. */
  expired: readonly Expiry[] = NO_EXPIRIES;

  prime(state: NodeState): void {
    this.pods.clear();
    this.backoffs.clear();
    this.nextExpiry = Number.POSITIVE_INFINITY;
    this.records = state.counts.records;
    this.before = NO_STATUS;
    this.started = false;
    this.expired = NO_EXPIRIES;
    for (const uid of Object.keys(state.pods)) {
      const pod = state.pods[uid];
      if (!pod) continue;
      if (pod.phase !== '' || pod.status !== null) this.pods.set(uid, { phase: pod.phase, status: pod.status });
      for (const key of Object.keys(pod.backoffs)) {
        const b = pod.backoffs[key];
        if (b?.active && b.until > state.time) this.await({ uid, of: b.of, container: b.container, until: b.until });
      }
    }
  }

  /** Takes in the record that was folded into `state` just now. */
  follow(record: TraceRecord, state: NodeState): void {
    if (this.expired.length > 0) this.expired = NO_EXPIRIES;
    if (record.time >= this.nextExpiry) this.expire(record.time);
    switch (record.kind) {
      case 'status': {
        this.before = this.pods.get(record.uid) ?? NO_STATUS;
        this.pods.set(record.uid, { phase: textAt(record.status, 'phase'), status: record.status });
        break;
      }
      case 'status-removed': {
        const known = this.pods.get(record.uid);
        if (known) this.pods.set(record.uid, { phase: known.phase, status: null });
        break;
      }
      case 'backoff': {
        const { uid, of, container, until } = record;
        const running = this.backoffs.get(keyOf(record));
        const active = record.active && until !== undefined && until > record.time;
        this.started = active && running?.until !== until;
        if (active) this.await({ uid, of, container, until });
        else this.backoffs.delete(keyOf(record));
        break;
      }
      case 'process':
        // Back-offs are in the kubelet's memory.
        if (record.process === 'kubelet' && record.state !== 'started') this.backoffs.clear();
        break;
      default:
    }
    // The state forgets pods now and then.
    if (state.counts.records >> 10 !== this.records >> 10) this.forget(state);
    this.records = state.counts.records;
  }

  private await(expiry: Expiry): void {
    this.backoffs.set(keyOf(expiry), expiry);
    this.nextExpiry = Math.min(this.nextExpiry, expiry.until);
  }

  private expire(now: Micros): void {
    const over: Expiry[] = [];
    this.nextExpiry = Number.POSITIVE_INFINITY;
    for (const [key, expiry] of this.backoffs) {
      if (expiry.until <= now) {
        this.backoffs.delete(key);
        over.push(expiry);
      } else this.nextExpiry = Math.min(this.nextExpiry, expiry.until);
    }
    over.sort((a, b) => a.until - b.until || (keyOf(a) < keyOf(b) ? -1 : 1));
    this.expired = over;
  }

  private forget(state: NodeState): void {
    for (const uid of this.pods.keys()) if (!Object.hasOwn(state.pods, uid)) this.pods.delete(uid);
    for (const [key, { uid }] of this.backoffs) if (!Object.hasOwn(state.pods, uid)) this.backoffs.delete(key);
  }
}

const keyOf = (b: { uid: string; of: string; container: string }): string => `${b.uid}/${b.of}/${b.container}`;

function textAt(value: Json, key: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return '';
  const field = (value as { readonly [key: string]: Json | undefined })[key];
  return typeof field === 'string' ? field : '';
}

/** The conditions of a pod's status: type to status. */
export function conditionsOf(status: Json): Map<string, string> {
  const out = new Map<string, string>();
  if (typeof status !== 'object' || status === null || Array.isArray(status) || !Object.hasOwn(status, 'conditions'))
    return out;
  const list = (status as { readonly [key: string]: Json | undefined }).conditions;
  if (!Array.isArray(list)) return out;
  for (const item of list as readonly Json[]) {
    const type = textAt(item, 'type');
    if (type !== '') out.set(type, textAt(item, 'status'));
  }
  return out;
}
