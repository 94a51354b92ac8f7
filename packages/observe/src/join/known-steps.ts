/** Remembers the steps that were written, so that a step reported by several sources is written once. */
import { oldestKey } from '@syncloop/core/base';
import type { Micros, RecordBody, Seq } from '@syncloop/core/trace';

/** A step that is under way: its `enter` or `work-start` record, and the goroutine that takes it. */
export interface OpenStep {
  readonly seq: Seq;
  readonly g: number;
  readonly at: Micros;
  /** The type of the work, if the step is a worker's. */
  readonly workType?: string;
}

/** The longest time between two sources' times of the same moment. */
const SAME_MOMENT = 200_000;
/** A relist asks about each pod; the loop handles its events when it comes to them. */
const SAME_EVENT = 500_000;
const MOST_STEPS = 8192;
const eventOf = ({ type, data, uid }: RecordBody & { readonly kind: 'pleg-event' }) => `${type} ${uid} ${data}`;

const METHODS = /^Sync(Pod|TerminatingPod|TerminatedPod|TerminatingRuntimePod)$/;

/** The name under which a sync method of a pod's worker is open; '' for other frames. */
function methodOf(body: RecordBody & { readonly kind: 'enter' }): string {
  const { fn, args } = body;
  if (!METHODS.test(fn)) return '';
  const uid = typeof args === 'object' && args !== null ? (args as { readonly uid?: unknown }).uid : undefined;
  return typeof uid === 'string' && uid !== '' ? `${fn} ${uid}` : '';
}

interface Work {
  readonly start: Seq;
  readonly done: Seq;
  readonly at: Micros;
  readonly failed: boolean;
}

const near = (one: { readonly at: Micros } | null | undefined, at: Micros): boolean =>
  one !== null && one !== undefined && at - one.at <= SAME_MOMENT;

export class KnownSteps {
  private readonly open = new Map<string, OpenStep>();
  /** The name under which a step is open, by the seq of its `enter`. */
  private readonly names = new Map<Seq, string>();
  private readonly exits = new Map<Seq, Seq>();
  /** The last finished work, or the last status, by UID. */
  private readonly over = new Map<string, Work>();
  /** The `work-done` of each `work-start`. */
  private readonly done = new Map<Seq, Seq>();
  /** The last call of a method that failed; the log's line for it names no call. */
  private readonly failures = new Map<string, { readonly seq: Seq; readonly at: Micros }>();
  private readonly statuses = new Map<string, { readonly text: string; readonly seq: Seq }>();
  /** The last event of a container, by type and id. */
  private readonly events = new Map<string, { readonly seq: Seq; readonly at: Micros; readonly concluded: boolean }>();
  private relist: { readonly seq: Seq; readonly at: Micros } | null = null;

  /** Returns the record that reports the same already. A `concluded` step yields to a reported one. */
  same(
    body: RecordBody,
    at: Micros,
    { concluded, cause = 0 }: { readonly concluded?: boolean; readonly cause?: Seq },
  ): Seq | undefined {
    switch (body.kind) {
      case 'exit':
        return this.exits.get(body.of);
      case 'enter': {
        const open = this.open.get(methodOf(body));
        return near(open, at) ? open?.seq : undefined;
      }
      case 'work-start': {
        const open = this.open.get(`work ${body.uid}`);
        if (open) return open.workType === body.workType && (concluded || near(open, at)) ? open.seq : undefined;
        // Spans reported that a sync failed: the log mentions it when it is over.
        const over = this.over.get(body.uid);
        return concluded && over?.failed && near(over, at) ? over.start : undefined;
      }
      // A worker does one thing at a time.
      case 'work-done':
        return this.done.get(cause) ?? (this.open.has(`work ${body.uid}`) ? undefined : this.over.get(body.uid)?.done);
      case 'cri-return': {
        const failure = body.call === 0 && body.error ? this.failures.get(body.method) : undefined;
        if (!failure || !near(failure, at)) return undefined;
        this.failures.delete(body.method);
        return failure.seq;
      }
      case 'status': {
        const last = this.statuses.get(body.uid);
        return last?.text === JSON.stringify(body.status) ? last.seq : undefined;
      }
      case 'pleg-event': {
        const event = this.events.get(eventOf(body));
        // Two lines of a log are two events; a line and what calls show are one.
        return event && at - event.at <= SAME_EVENT && concluded && !event.concluded ? event.seq : undefined;
      }
      case 'relist':
        return body.scope === 'global' && near(this.relist, at) ? this.relist?.seq : undefined;
      default:
        return undefined;
    }
  }

  /** A step of a pod's worker that is under way: `SyncPod` and its siblings, or `work`. */
  step(fn: string, uid: string): OpenStep | undefined {
    return this.open.get(`${fn} ${uid}`);
  }

  note(body: RecordBody, seq: Seq, g: number, at: Micros, concluded = false): void {
    switch (body.kind) {
      case 'enter': {
        const method = methodOf(body);
        if (method === '') return;
        keep(this.open, method, { seq, g, at });
        keep(this.names, seq, method);
        return;
      }
      case 'exit': {
        const name = this.names.get(body.of);
        if (name === undefined) return;
        this.names.delete(body.of);
        if (this.open.get(name)?.seq === body.of) this.open.delete(name);
        keep(this.exits, body.of, seq);
        return;
      }
      case 'work-start':
        keep(this.open, `work ${body.uid}`, { seq, g, at, workType: body.workType });
        return;
      case 'work-done': {
        const open = this.open.get(`work ${body.uid}`);
        this.open.delete(`work ${body.uid}`);
        // If the log reports the end of the work itself, it also reports when the next begins.
        const failed = concluded && body.error !== undefined;
        keep(this.over, body.uid, { start: open?.seq ?? seq, done: seq, at, failed });
        if (open) keep(this.done, open.seq, seq);
        return;
      }
      case 'cri-return':
        if (body.error && body.call !== 0) keep(this.failures, body.method, { seq, at });
        return;
      case 'status':
        keep(this.statuses, body.uid, { text: JSON.stringify(body.status), seq });
        return;
      case 'pleg-event':
        keep(this.events, eventOf(body), { seq, at, concluded });
        return;
      case 'relist':
        if (body.scope === 'global') this.relist = { seq, at };
        return;
      case 'process':
        // Another process has other workers.
        if (body.process !== 'kubelet') return;
        for (const map of [this.open, this.names, this.over, this.statuses, this.events]) map.clear();
        return;
    }
  }
}

/** Keeps a value; a key that is kept again moves to the end, and the oldest one is forgotten first. */
function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_STEPS) map.delete(oldestKey(map) as K);
}
