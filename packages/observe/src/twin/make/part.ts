/** Keeps of an observed run what a twin of a part of it needs, however long the run is. */
import { type Micros, recordWeight, type TraceRecord } from '@syncloop/core/trace';
import type { Cut } from '../base/types.js';

/** A kubelet logs its settings within this time after its start. */
const START: Micros = 60e6;
/** The records after the end of the part that its last decisions rest on. */
const AFTER: Micros = 10e6;
/** Records that are kept between two looks at what has become superfluous. */
const LOOK = 50_000;

/** Kinds of records that say which pods, sandboxes and containers there are when the part begins. */
const STATE: ReadonlySet<TraceRecord['kind']> = new Set<TraceRecord['kind']>([
  ...(['evidence-source', 'evidence-gap', 'process', 'metrics', 'node-status', 'pod-config', 'pod-list'] as const),
  ...(['status', 'cri-call', 'cri-return', 'container-event', 'pleg-transition', 'pleg-event'] as const),
  ...(['actual-container', 'actual-sandbox', 'cache'] as const),
]);
/** Calls that ask and change nothing: those before the part are superfluous. */
const ASKS =
  /^(List|Version|Status|ContainerStats|PodSandboxStats|ImageFsInfo|ContainerStatus|PodSandboxStatus|ExecSync)/;

/**
 * Takes the records of a run in their order. Before the part it keeps how the node came to be as it is, and forgets
 * pods that were removed; of several lists and statuses it keeps the last one.
 */
export class PartKeeper {
  private kept: TraceRecord[] = [];
  /** The bytes that the kept records take in memory. */
  weight = 0;
  private begun = 0;
  private looked = 0;

  /** @param shown applied to records that are kept; of a large log that is one in hundreds. Default: as they are */
  constructor(
    private readonly cut: Pick<Cut, 'from' | 'to'>,
    private readonly shown: (record: TraceRecord) => TraceRecord = (record) => record,
  ) {}

  get records(): TraceRecord[] {
    this.forget();
    return this.kept;
  }

  /** Returns false once a record is after the part: none of those that follow is needed. */
  take(record: TraceRecord): boolean {
    const { from = 0, to = Number.POSITIVE_INFINITY } = this.cut;
    const { time, kind } = record;
    if (time > to + AFTER) return false;
    if (kind === 'process' && record.state === 'started') this.begun = time;
    if (time < from && !this.isState(record)) return true;
    const kept = this.shown(record);
    this.kept.push(kept);
    this.weight += recordWeight(kept);
    if (time < from && this.kept.length - this.looked > LOOK) this.forget();
    return true;
  }

  private isState(record: TraceRecord): boolean {
    if (record.kind === 'log') return record.time <= this.begun + START;
    if (record.kind === 'cri-call' || record.kind === 'cri-return') return !ASKS.test(record.method);
    return STATE.has(record.kind);
  }

  /** Drops what is superfluous before the part: pods that are gone, and what a later record replaces. */
  private forget(): void {
    const { from = 0 } = this.cut;
    const end = this.kept.findIndex(({ time }) => time >= from);
    const before = end < 0 ? this.kept : this.kept.slice(0, end);
    const gone = new Set<string>();
    const there = new Set<string>();
    const seen = new Set<string>();
    const some: TraceRecord[] = [];
    let earlier = false;
    for (let i = before.length - 1; i >= 0; i--) {
      const record = before[i] as TraceRecord;
      // Settings are those of the last start.
      if (earlier && record.kind === 'log') continue;
      if (record.kind === 'process' && record.state === 'started') earlier = true;
      if (record.kind === 'pod-config')
        for (const { uid } of record.pods)
          if (record.op === 'REMOVE' && !there.has(uid)) gone.add(uid);
          else if (record.op === 'ADD') there.add(uid);
      const replaced =
        record.kind === 'status'
          ? `status ${record.uid}`
          : record.kind === 'pod-list' && record.scope === 'all'
            ? 'pod-list'
            : null;
      if (replaced !== null) {
        if (seen.has(replaced)) continue;
        seen.add(replaced);
      }
      if (!isOfGone(record, gone)) some.push(record);
    }
    this.kept = [...some.reverse(), ...(end < 0 ? [] : this.kept.slice(end))];
    this.weight = this.kept.reduce((sum, record) => sum + recordWeight(record), 0);
    this.looked = this.kept.length;
  }
}

/** True if a record is about pods alone that are gone. */
function isOfGone(record: TraceRecord, gone: ReadonlySet<string>): boolean {
  if (gone.size === 0) return false;
  if (record.kind === 'pod-config') return record.pods.length > 0 && record.pods.every(({ uid }) => gone.has(uid));
  return 'uid' in record && typeof record.uid === 'string' && gone.has(record.uid);
}
