import type { Json, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { items, objectOf, textOf } from '../base/json.js';
import type { Draft, Drafts } from './draft.js';
import { scrub } from './scrub.js';

/** The name of a sync that computed no changes. */
export const NOTHING = 'nothing';

/**
 * Collects the runs of a pod's worker with what they computed and how they ended, and the results of probes that start
 * them.
 */
export class Syncs {
  private readonly open = new Map<string, Draft>();
  /** Failures in a row, by UID, container and type of probe. */
  private readonly failures = new Map<string, number>();
  /** A log below `-v=3` does not report probes that succeed: failures in a row cannot be counted. */
  private readonly counts: boolean;

  constructor(
    private readonly drafts: Drafts,
    records: readonly TraceRecord[],
  ) {
    this.counts =
      records.every((r) => r.evidence === undefined) ||
      records.some((r) => r.kind === 'probe' && r.outcome === 'success');
  }

  take(r: TraceRecord): void {
    switch (r.kind) {
      case 'work-start':
        this.open.set(
          r.uid,
          this.drafts.of({ kind: 'sync', seq: r.seq, time: r.time, what: r.workType }, r.uid, r.pod),
        );
        return;
      case 'pod-actions': {
        const draft = this.open.get(r.uid);
        if (draft) draft.details = { ...draft.details, actions: actionsOf(r.actions) };
        return;
      }
      case 'work-done': {
        const draft = this.open.get(r.uid);
        if (!draft) return;
        this.open.delete(r.uid);
        draft.took = r.time - draft.time;
        draft.details = { ...draft.details, error: r.error === undefined ? '' : scrub(r.error) };
        return;
      }
      case 'probe':
        this.probe(r);
        return;
      case 'probe-result':
        this.result(r);
        return;
      // A process that has ended did not finish its work.
      case 'process':
        if (r.process === 'kubelet') {
          this.open.clear();
          this.failures.clear();
        }
        return;
    }
  }

  private probe(r: RecordOf<'probe'>): void {
    const key = `${r.uid} ${r.container} ${r.probeType}`;
    const failed = r.outcome === 'failure' || r.outcome === 'unknown';
    this.failures.set(key, failed ? (this.failures.get(key) ?? 0) + 1 : 0);
  }

  private result(r: RecordOf<'probe-result'>): void {
    if (r.result === 'Unknown' || (r.probeType === 'liveness' && r.result === 'Success')) return;
    // The loop treats a container that has not started up yet like one that never will.
    if (r.probeType === 'startup' && r.result === 'Failure') return;
    const key = `${r.uid} ${r.container} ${r.probeType}`;
    const failures = this.failures.get(key) ?? 0;
    // A probe's initial value is not a result of it.
    if (this.counts && r.result === 'Failure' && failures === 0) return;
    const details: { [key: string]: Json } = this.counts && r.result === 'Failure' ? { failures } : {};
    const head = { kind: 'sync', seq: r.seq, time: r.time, what: `${r.probeType} ${r.result}` } as const;
    this.drafts.of(head, r.uid, r.pod, details).container = r.container;
    this.failures.set(key, 0);
  }
}

/** The actions in words. Containers are listed by their index in the spec only, so that their number is given. */
function actionsOf(actions: Json | undefined): string {
  const of = objectOf(actions);
  const many = (name: string) => items(of[name]).length;
  const killed = items(of.containersToKill)
    .map((one) => textOf(objectOf(one).name))
    .sort();
  const parts = [
    of.createSandbox === true ? `new sandbox ${Number(of.attempt ?? 0)}` : of.killPod === true ? 'kill the pod' : '',
    killed.length > 0 ? `kill ${killed.join(', ')}` : '',
    many('initContainersToStart') > 0 ? `start ${many('initContainersToStart')} init` : '',
    many('containersToStart') > 0 ? `start ${many('containersToStart')}` : '',
    many('ephemeralContainersToStart') > 0 ? `start ${many('ephemeralContainersToStart')} ephemeral` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? NOTHING : parts.join('; ');
}
