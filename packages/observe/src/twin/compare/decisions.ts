import type { Json, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { bareId, type JsonObject, objectOf, textOf } from '../base/json.js';
import type { Decision } from '../base/types.js';
import { withUIDs } from '../base/uids.js';
import { Calls } from './calls.js';
import { type Draft, Drafts, type Head } from './draft.js';
import { containerStatuses, Names, type UnitName } from './names.js';
import { RELIST } from './rules.js';
import { scrub } from './scrub.js';
import { Statuses } from './statuses.js';
import { Syncs } from './syncs.js';

/**
 * Returns the decisions of a kubelet in a run, observed or ours, in the order of its records. Names and counts replace
 * UIDs, ids and hashes, so that two runs can be compared.
 */
export function decisionsOf(all: readonly TraceRecord[]): Decision[] {
  const records = withUIDs(all);
  const reader = new Reader(records);
  for (const record of records) reader.take(record);
  return reader.end(records.at(-1)?.time ?? 0);
}

type Kill = Pick<RecordOf<'kill'>, 'container' | 'id' | 'gracePeriod' | 'pod' | 'uid'>;

/** Returns the kill in an observed call of killContainer. */
const olderKill = ({ container, containerID, gracePeriod, pod, uid }: JsonObject): Kill => ({
  container: textOf(container),
  id: bareId(containerID),
  ...(typeof gracePeriod === 'number' && { gracePeriod }),
  pod: textOf(pod),
  uid: textOf(uid),
});

class Reader {
  private readonly drafts: Drafts;
  private readonly calls: Calls;
  private readonly syncs: Syncs;
  private readonly statuses: Statuses;
  /** Restarts that are known, as "UID container attempt". */
  private readonly restarts = new Set<string>();
  /**
   * Pods that have gone from their source, or that a new process has not heard of yet: the loop ignores the PLEG's
   * events of them.
   */
  private readonly gone = new Set<string>();
  private readonly added = new Set<string>();
  /** The log reports the PLEG's events: those that are concluded from calls would be duplicates. */
  private readonly logged: boolean;
  /** Starts in the PLEG's events of containers without a name, by id. */
  private readonly begun = new Map<string, Draft>();
  private readonly starting = new Map<number, UnitName>();
  /** It was recorded before a kill was a record of its own. */
  private readonly older: boolean;

  constructor(records: readonly TraceRecord[]) {
    this.drafts = new Drafts(new Names(records));
    this.older = !records.some((r) => r.kind === 'kill');
    this.logged = records.some((r) => r.kind === 'pleg-event' && !r.concluded);
    this.calls = new Calls(this.drafts, records);
    this.syncs = new Syncs(this.drafts, records);
    this.statuses = new Statuses(this.drafts, records);
  }

  take(r: TraceRecord): void {
    this.calls.take(r);
    this.syncs.take(r);
    this.statuses.take(r);
    switch (r.kind) {
      case 'pod-config':
        this.config(r);
        return;
      case 'pleg-event':
        this.pleg(r);
        return;
      case 'process':
        if (r.process === 'kubelet') for (const uid of this.added) this.gone.add(uid);
        return;
      case 'backoff':
        if (r.active) this.backoff(r);
        return;
      case 'kube-event':
        this.event(r);
        return;
      case 'kill':
        this.kill(r, r);
        return;
      case 'enter':
        if (this.older && r.fn === 'killContainer') this.kill(r, olderKill(objectOf(r.args)));
        return;
      case 'cri-call':
        if (r.method === 'StartContainer') {
          const unit = this.drafts.names.unit(textOf(objectOf(r.request).containerId));
          if (unit) this.starting.set(r.seq, unit);
        }
        return;
      case 'cri-return': {
        const unit = this.starting.get(r.call);
        this.starting.delete(r.call);
        if (unit && !r.error) this.restart(r, unit);
        return;
      }
      case 'status':
        for (const one of containerStatuses(objectOf(r.status))) {
          const { name, restartCount, state } = objectOf(one);
          const attempt = Number(restartCount ?? 0);
          if (objectOf(state).running) this.restart(r, { uid: r.uid, container: textOf(name), attempt });
        }
        return;
    }
  }

  end(time: number): Decision[] {
    this.statuses.end(time);
    return [...this.drafts.decisions];
  }

  private config(r: RecordOf<'pod-config'>): void {
    const head: Head = { kind: 'config', seq: r.seq, time: r.time, what: r.op };
    // An empty list of a source is not a decision about anything.
    for (const { pod, uid } of r.pods) {
      if (r.op === 'ADD') this.added.add(uid);
      if (r.op === 'REMOVE') this.gone.add(uid);
      else this.gone.delete(uid);
      const mirror = this.drafts.names.isMirror(uid);
      this.drafts.of(head, mirror ? undefined : uid, pod, { source: r.source, ...(mirror && { mirror }) });
    }
  }

  private pleg(r: RecordOf<'pleg-event'>): void {
    if (r.dropped || (r.type !== 'ContainerStarted' && r.type !== 'ContainerDied')) return;
    const ignored = this.gone.has(r.uid);
    if (r.concluded && this.logged && !ignored) return;
    const unit = this.drafts.names.unit(r.data);
    const of = unit === undefined ? 'unknown' : unit.container === '' ? 'sandbox' : 'container';
    const details = { of, ...(ignored && { ignored }) };
    const draft = this.drafts.of({ kind: 'pleg', seq: r.seq, time: r.time, what: r.type }, r.uid, r.pod, details);
    if (!unit) this.unnamed(r, draft);
    if (unit) {
      if (unit.container !== '') draft.container = unit.container;
      draft.attempt = unit.attempt;
      if (r.type === 'ContainerStarted') this.restart(r, unit);
    }
  }

  /** Notes of an event whose container has no name whether one relist saw it start and the next one saw it ended. */
  private unnamed({ type, data, time }: RecordOf<'pleg-event'>, draft: Draft): void {
    if (type === 'ContainerStarted') this.begun.set(data, draft);
    else {
      const start = this.begun.get(data);
      if (!start) draft.details = { ...draft.details, alone: true };
      else if (time - start.time <= RELIST) start.details = { ...start.details, short: true };
    }
  }

  private backoff(r: RecordOf<'backoff'>): void {
    const what = r.of === 'crash-loop' ? 'CrashLoopBackOff' : 'ImagePullBackOff';
    const head: Head = { kind: 'restart', seq: r.seq, time: r.time, what };
    const draft = this.drafts.of(head, r.uid, r.pod, {
      ...(r.delay !== undefined && { delaySeconds: Math.round(r.delay / 1e6) }),
    });
    draft.container = r.container;
  }

  private restart(r: TraceRecord, unit: UnitName): void {
    if (unit.container === '' || unit.attempt < 1) return;
    const key = `${unit.uid} ${unit.container} ${unit.attempt}`;
    if (this.restarts.has(key)) return;
    this.restarts.add(key);
    this.drafts.ofUnit({ kind: 'restart', seq: r.seq, time: r.time, what: 'restart' }, unit, '');
  }

  private kill(r: TraceRecord, { gracePeriod, id, uid, pod, container }: Kill): void {
    if (gracePeriod === undefined) return;
    const head: Head = { kind: 'kill', seq: r.seq, time: r.time, what: 'killContainer' };
    const unit = id === undefined ? undefined : this.drafts.names.unit(id);
    const draft: Draft = unit
      ? this.drafts.ofUnit(head, unit, '', { gracePeriod })
      : this.drafts.of(head, uid || undefined, pod, { gracePeriod });
    draft.container ??= container;
  }

  private event(r: RecordOf<'kube-event'>): void {
    const { object } = r;
    if (object.kind !== 'Pod') return;
    const head: Head = { kind: 'event', seq: r.seq, time: r.time, what: r.reason };
    // Only the event has the reason of a kill.
    const details: { [key: string]: Json } = { type: r.type };
    if (r.reason === 'Killing') details.message = scrub(r.message);
    const pod = `${object.namespace}/${object.name}`;
    const mirror = this.drafts.names.isMirror(object.uid);
    const draft = this.drafts.of(head, mirror ? undefined : object.uid || undefined, pod, details);
    const container = /\{([^}]+)\}/.exec(object.fieldPath)?.[1];
    if (container !== undefined) draft.container = container;
  }
}
