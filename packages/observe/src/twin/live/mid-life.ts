/** An observed run that begins in the middle of a kubelet's life, as the last hour of a journal does. */
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { Decision, LeftOut } from '../base/types.js';
import { type Beginning, beginningOf, containersOf, QUIET, sinceBeginning } from './beginning.js';
import { Known, touches } from './known.js';

/** A run from which a twin can be made, and which part of it can be compared. */
export interface MidLifeRun {
  readonly records: readonly TraceRecord[];
  /** Null if the kubelet's start was observed: everything can be compared. */
  readonly beginning: Beginning | null;
}

/**
 * Returns the run itself if the kubelet's start was observed; else the run from the first list of its pods on, with the
 * state at that moment. Without any list that is unknown: pods that are not added during the observation are left out.
 */
export function runFromMidLife(records: readonly TraceRecord[], epochMicros: number): MidLifeRun {
  const known = new Known();
  let from = -1;
  let first: TraceRecord | null = null;
  for (const [i, record] of records.entries()) {
    if (record.kind === 'process' && record.process === 'kubelet' && record.state === 'started' && !first) {
      // A kubelet that starts again finds the containers that ran before.
      if (![...known.pods.values()].some((one) => containersOf(one).length > 0)) return { records, beginning: null };
      first = record;
      from = i - 1;
      break;
    }
    if (record.kind === 'pod-config' || record.kind === 'select' || record.kind === 'pleg-event') first ??= record;
    known.take(record);
    if (known.listedAll === null || !first) continue;
    from = i;
    break;
  }
  // The run has nothing of a loop: there are only lists of pods, or the runtime's events.
  if (!first) return { records, beginning: null };
  if (from < 0) return { records, beginning: withoutList(records) };
  const at = records[from]?.time ?? 0;
  const changing = new Set<string>();
  for (const r of records.slice(from + 1)) {
    if (r.time > at + QUIET) break;
    if (touches(r) && 'uid' in r && r.uid) changing.add(r.uid);
  }
  const listed = beginningOf(known, at, epochMicros, changing);
  const came = strangersIn(records.slice(from + 1), listed.followed);
  const beginning = { ...listed, left: [...listed.left, ...came] };
  const rest = records.slice(from + 1).map((record) => sinceBeginning(record, beginning));
  return { records: [...beginning.records, ...rest], beginning };
}

/** Without a list, pods that were already there are known only by the first record about them. */
function withoutList(records: readonly TraceRecord[]): Beginning {
  const left = strangersIn(records, new Set());
  const at = records[0]?.time ?? 0;
  return { at, records: [], followed: new Set(), left, old: new Set(), began: 0 };
}

/** Pods that are not added during the observation, and that no list reported before. */
function strangersIn(records: readonly TraceRecord[], followed: ReadonlySet<string>): LeftOut[] {
  const came = new Set<string>();
  const strangers = new Map<string, string>();
  for (const record of records) {
    if (record.kind === 'pod-config' && record.op === 'ADD') for (const { uid } of record.pods) came.add(uid);
    if (!('uid' in record) || !('pod' in record) || !record.uid || !record.pod) continue;
    if (record.kind !== 'status' && !came.has(record.uid) && !followed.has(record.uid))
      strangers.set(record.uid, record.pod);
  }
  const why = {
    en: 'it was already there, and no list of pods reports its state',
    zh: '它此前就存在，没有 Pod 列表说明其状态',
  };
  return [...new Set(strangers.values())].map((pod) => ({ pod, why }));
}

/**
 * Events that the kubelet records at each sync of a pod, changed or not. The next sync of a pod that was there before
 * is due at an unknown time.
 */
const OF_EACH_SYNC = new Set(['MissingClusterDNS', 'DNSConfigForming', 'FailedToRetrieveImagePullSecret']);

/** Returns whether a decision can be compared. `shift`: the observed run's clock when that of the decision is at 0. */
export function comparable(beginning: Beginning, shift: Micros = 0): (decision: Decision) => boolean {
  const strangers = new Set(beginning.left.map(({ pod }) => pod));
  const followed = new Set(beginning.records.flatMap((r) => (r.kind === 'pod-config' ? r.pods.map((p) => p.pod) : [])));
  return ({ pod, time, kind, what }) =>
    pod !== '' &&
    time + shift >= beginning.at &&
    !strangers.has(pod) &&
    !(kind === 'event' && OF_EACH_SYNC.has(what) && followed.has(pod));
}
