import type { TraceRecord } from '@syncloop/core/trace';
import { clockOf } from './clock.js';
import type { Landing, NodeClock } from './types.js';

const STARTUP = 'Observed pod startup duration';
/** Most pods whose arrival and creation are kept until both are known. */
const MOST_PODS = 20_000;
const MOST_LANDINGS = 5000;

/** Notes which pods came to a node and when, and what the log says of their creation. Memory is bounded. */
export class Sightings {
  /** When a pod was first heard of, microseconds of the run, by `namespace/name`. */
  private readonly arrived = new Map<string, number>();
  /** Microseconds that a pod's arrival, by the node, is after its creation, by the API server. */
  private readonly delays: number[] = [];
  private readonly landed: { readonly pod: string; readonly uid: string; readonly time: number }[] = [];
  /** A kubelet has started, and its next ADD has the pods that it had before. */
  private starting = false;
  /** By pod: the lines of one eviction name it more than once. */
  private readonly evicted = new Map<string, { readonly uid: string; readonly time: number }>();
  dropped = 0;
  /** The times of the log's first and last line, microseconds of the run; null without one. */
  lines: { readonly from: number; readonly to: number } | null = null;

  /** `epochMicros`: microseconds since 1970 of the run's time 0. */
  take(record: TraceRecord, epochMicros: number | null): void {
    if (record.kind === 'log') {
      const { from, to } = this.lines ?? { from: record.time, to: record.time };
      this.lines = { from: Math.min(from, record.time), to: Math.max(to, record.time) };
    }
    if (record.kind === 'pod-config' && record.op === 'ADD') {
      // The pods that a kubelet has when it starts came to it before.
      const had = this.starting && record.pods.length > 1;
      this.starting &&= record.pods.length === 0;
      for (const { pod, uid } of record.pods) {
        if (pod === '') continue;
        if (!had && record.source !== 'file') this.land(pod, uid, record.time);
        if (this.arrived.size >= MOST_PODS) this.arrived.delete(this.arrived.keys().next().value as string);
        if (!had) this.arrived.set(pod, record.time);
      }
    } else if (record.kind === 'eviction' && /^evict/.test(record.phase)) {
      const { pod = '', uid = '', time } = record;
      if (pod === '' || this.evicted.has(pod)) return;
      if (this.evicted.size < MOST_LANDINGS) this.evicted.set(pod, { uid, time });
      else this.dropped++;
    } else if (record.kind === 'process') this.starting = record.state === 'started';
    else if (record.kind === 'log' && record.msg === STARTUP && epochMicros !== null) {
      const created = microsOf(record.kv.podCreationTimestamp);
      const pod = podOf(record.kv.pod);
      const arrived = this.arrived.get(pod);
      if (created === null || arrived === undefined) return;
      this.arrived.delete(pod);
      this.delays.push(epochMicros + arrived - created);
    }
  }

  private land(pod: string, uid: string, time: number): void {
    this.landed.push({ pod, uid, time });
    if (this.landed.length > MOST_LANDINGS) {
      this.landed.shift();
      this.dropped++;
    }
  }

  clock = (): NodeClock | null => clockOf(this.delays);
  evictions = (epochMicros: number): Landing[] =>
    [...this.evicted].map(([pod, { uid, time }]) => ({ pod, uid, at: Math.round((epochMicros + time) / 1000) }));
  landings = (epochMicros: number): Landing[] =>
    this.landed.map(({ pod, uid, time }) => ({ pod, uid, at: Math.round((epochMicros + time) / 1000) }));
}

/** `2026-11-22 10:00:00 +0000 UTC`, as Go prints a time, or RFC 3339. */
function microsOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|[+-]\d{4}|[+-]\d\d:\d\d)/.exec(value) ?? [];
  if (day === undefined) return null;
  const offset = zone === 'Z' ? 'Z' : (zone as string).replace(/^(...)(\d\d)$/, '$1:$2');
  const millis = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(millis) ? null : millis * 1000;
}

/** A pod in a value of a log: a text, or an object as klog's JSON has it. */
function podOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { namespace, name } = (value ?? {}) as { namespace?: unknown; name?: unknown };
  return typeof name === 'string' ? `${typeof namespace === 'string' ? namespace : ''}/${name}` : '';
}
