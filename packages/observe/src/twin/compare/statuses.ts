import type { Json, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { items, objectOf } from '../base/json.js';
import type { Draft, Drafts } from './draft.js';
import { cleanStatus } from './scrub.js';

/**
 * Collects each pod's statuses: one decision for each change, with `took`, how long it stood. A pod that has gone from
 * its source shows its status to nobody.
 */
export class Statuses {
  private readonly last = new Map<string, Draft>();
  private readonly texts = new Map<string, string>();
  private readonly shown = new Map<string, RecordOf<'status'>>();
  /** Pods that are gone from their source, and the status that each would show. */
  private readonly hidden = new Map<string, RecordOf<'status'> | null>();
  /** The last status that the API server has of each of its pods; a restart of the kubelet changes nothing there. */
  private readonly written = new Map<string, { readonly [key: string]: Json }>();
  /** Pods whose containers have all ended for good. */
  private readonly ended = new Set<string>();
  /** A run of ours whose pods end in a work of their own: v1.22 and later. */
  private readonly holdsBack: boolean;
  /** Complete statuses were observed: the phase in a log line adds nothing to them. */
  private readonly whole: boolean;

  constructor(
    private readonly drafts: Drafts,
    records: readonly TraceRecord[],
  ) {
    const own = records.every((r) => r.evidence === undefined);
    this.holdsBack = own && records.some((r) => r.kind === 'work-start' && r.workType === 'terminating');
    this.whole = records.some((r) => r.kind === 'status' && isWhole(r.status));
  }

  take(r: TraceRecord): void {
    switch (r.kind) {
      case 'status':
        this.status(r);
        return;
      case 'status-removed':
        this.shown.delete(r.uid);
        if (this.hidden.has(r.uid)) this.hidden.set(r.uid, null);
        return;
      case 'work-done':
        if (r.workType === 'terminating' && r.error === undefined) this.ended.add(r.uid);
        return;
      case 'pod-config':
        for (const { uid } of r.pods) {
          if (r.source === 'api' && !this.written.has(uid)) this.written.set(uid, { phase: 'Pending' });
          if (r.op === 'REMOVE') {
            this.ends(uid, r.time);
            this.hidden.set(uid, this.shown.get(uid) ?? null);
          } else if (r.op === 'ADD') {
            const status = this.hidden.get(uid);
            this.hidden.delete(uid);
            if (status) this.status({ ...status, time: r.time });
          }
        }
        return;
      case 'pod-list':
        if (r.scope === 'all') {
          const there = new Set(r.pods.map(({ uid }) => uid));
          for (const uid of this.last.keys()) if (!there.has(uid)) this.ends(uid, r.time);
        } else if (r.removed) for (const { uid } of r.pods) this.ends(uid, r.time);
        return;
      case 'process':
        if (r.process === 'kubelet') this.ended.clear();
        // After a restart, statuses show what the new process knows.
        if (r.process === 'kubelet' && r.state !== 'started')
          for (const uid of [...this.last.keys()]) this.ends(uid, r.time);
        return;
    }
  }

  /** The run is over. */
  end(time: number): void {
    for (const uid of [...this.last.keys()]) this.ends(uid, time);
  }

  private status(r: RecordOf<'status'>): void {
    const whole = isWhole(r.status);
    if (this.drafts.names.isMirror(r.uid) || (this.whole && !whole)) return;
    this.shown.set(r.uid, r);
    if (this.hidden.has(r.uid)) {
      this.hidden.set(r.uid, r);
      return;
    }
    const details = whole ? this.merged(r) : { phase: objectOf(r.status).phase ?? '' };
    const text = JSON.stringify(details);
    if (this.last.has(r.uid) && this.texts.get(r.uid) === text) return;
    this.ends(r.uid, r.time);
    const what = String(details.phase ?? '');
    const draft = this.drafts.of({ kind: 'status', seq: r.seq, time: r.time, what }, r.uid, r.pod, details);
    this.last.set(r.uid, draft);
    this.texts.set(r.uid, text);
  }

  /**
   * Returns the status as the API server has it: observed statuses are its. A kubelet writes no terminal phase while
   * containers may still run.
   * upstream: pkg/kubelet/status/status_manager.go mergePodStatus
   */
  private merged({ uid, status }: RecordOf<'status'>): { [key: string]: Json } {
    const details = cleanStatus(status as Json);
    const before = this.written.get(uid);
    if (!this.holdsBack || !before) return details;
    if (isTerminal(details.phase) && !isTerminal(before.phase) && !this.ended.has(uid)) {
      delete details.reason;
      delete details.message;
      for (const key of ['phase', 'reason', 'message']) if (before[key] !== undefined) details[key] = before[key];
    }
    this.written.set(uid, details);
    return details;
  }

  private ends(uid: string, time: number): void {
    const draft = this.last.get(uid);
    if (!draft) return;
    draft.took = Math.max(0, time - draft.time);
    this.last.delete(uid);
    this.texts.delete(uid);
  }
}

const isTerminal = (phase: Json | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** True if the kubelet computed this status; before that, a status has a phase alone. */
const isWhole = (status: unknown): boolean => {
  const of = objectOf(status);
  return items(of.conditions).length > 0 || of.reason !== undefined;
};
