import type { Json, NodeState, PodView, RecordKind, RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordIndex } from './record-index.js';
import { lastBefore } from './seq-lists.js';
import type { Finding } from './types.js';

/** A pod at one moment, as the rules of whyNot look at it. */
export class PodMoment {
  readonly pod: string;
  readonly view: PodView | undefined;
  /** Seq at which the running kubelet was started: it does not know what came before. */
  readonly since: Seq;
  /** Seq of the beginning of the last sync; 0 if none began. */
  readonly begun: Seq;

  constructor(
    readonly ix: RecordIndex,
    readonly state: NodeState,
    readonly at: Seq,
    readonly uid: string,
  ) {
    const full = ix.names.podName(uid);
    this.pod = full.startsWith('default/') ? full.slice('default/'.length) : full;
    this.view = Object.hasOwn(state.pods, uid) ? state.pods[uid] : undefined;
    const started = lastBefore(ix.all.of('process'), at + 1, (s) => {
      const p = ix.as(s, 'process');
      return p?.process === 'kubelet' && p.state === 'started';
    });
    this.since = started;
    this.begun = lastBefore(ix.of(uid, 'work-start'), at + 1);
  }

  get now(): number {
    return this.state.time;
  }
  get worker() {
    return this.view?.worker ?? null;
  }
  /** Returns the newest record of the pod of a kind that passes. */
  last<K extends RecordKind>(
    kind: K,
    test: (r: RecordOf<K>) => boolean = () => true,
    from: Seq = this.since,
  ): RecordOf<K> | undefined {
    const { ix } = this;
    const seq = lastBefore(
      ix.of(this.uid, kind),
      this.at + 1,
      (s) => {
        const r = ix.as(s, kind);
        return r !== undefined && test(r);
      },
      from,
    );
    return ix.as(seq, kind);
  }
  /** Returns the newest record of a kind that no pod owns. */
  lastOf<K extends RecordKind>(kind: K, test: (r: RecordOf<K>) => boolean = () => true): RecordOf<K> | undefined {
    const { ix } = this;
    const seq = lastBefore(ix.all.of(kind), this.at + 1, (s) => {
      const r = ix.as(s, kind);
      return r !== undefined && test(r);
    });
    return ix.as(seq, kind);
  }
  rule(
    name: string,
    test: (r: RecordOf<'decision'>) => boolean = () => true,
    from: Seq = this.since,
  ): RecordOf<'decision'> | undefined {
    return this.last('decision', (d) => d.rule === name && test(d), from);
  }
  event(reason: string, from: Seq): RecordOf<'kube-event'> | undefined {
    const seq = lastBefore(
      this.ix.eventsOf.of(this.uid),
      this.at + 1,
      (s) => this.ix.as(s, 'kube-event')?.reason === reason,
      from,
    );
    return this.ix.as(seq, 'kube-event');
  }
  /** Returns the CRI calls for the pod that change something and are not answered. */
  callsInFlight(): RecordOf<'cri-call'>[] {
    return Object.values(this.state.cri.inFlight)
      .filter((c) => {
        if (!/^(Run|Create|Start|Stop|Remove|Pull|Update)/.test(c.method)) return false;
        return (
          (c.uid || this.ix.names.container(c.container)?.uid || this.ix.names.podOfSandbox(c.sandbox)) === this.uid
        );
      })
      .map((c) => this.ix.as(c.seq, 'cri-call'))
      .filter((r) => r !== undefined);
  }
  /** The last answer with an error to a call of this kind for the pod, unless the same went well since. */
  failed(method: string): RecordOf<'cri-return'> | undefined {
    const call = lastBefore(this.ix.callsFor.of(this.uid), this.at + 1, (s) => {
      if (this.ix.as(s, 'cri-call')?.method !== method) return false;
      const answer = this.ix.answerTo(s);
      return answer > 0 && answer <= this.at;
    });
    const answer = this.ix.as(this.ix.answerTo(call), 'cri-return');
    return answer?.error ? answer : undefined;
  }
  /** A status the kubelet has of one of the pod's containers. */
  status(container: string): { readonly [key: string]: Json | undefined } | undefined {
    const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
    const status = this.view?.status as { readonly [key: string]: Json | undefined } | null | undefined;
    for (const key of lists) {
      const list = status?.[key];
      if (!Array.isArray(list)) continue;
      const found = (list as readonly Json[]).find((c) => (c as { name?: Json }).name === container);
      if (found) return found as { readonly [key: string]: Json | undefined };
    }
    return undefined;
  }
  containers(): string[] {
    const status = this.view?.status as { containerStatuses?: readonly { name: string }[] } | null | undefined;
    return (status?.containerStatuses ?? []).map((c) => c.name);
  }
}

/** A reason, shown by a record (0: by there being none). */
export function finding(code: string, record: TraceRecord | Seq | undefined, en: string, zh: string): Finding {
  const r = typeof record === 'object' ? record : undefined;
  return {
    code,
    seq: r?.seq ?? (typeof record === 'number' ? record : 0),
    text: { en, zh },
    ...(r?.kind === 'decision' && { rule: r.rule, values: r.values }),
    ...(r?.kind === 'backoff' && {
      rule: r.of === 'crash-loop' ? 'doBackOff' : 'EnsureImageExists',
      values: { delay: r.delay, until: r.until, active: r.active },
    }),
    ...(r?.kind === 'queue' && { rule: 'completeWork', values: { due: r.due, why: r.why } }),
    ...(r?.kind === 'probe' && { rule: 'doProbe', values: { outcome: r.outcome, run: r.run, threshold: r.threshold } }),
  };
}
