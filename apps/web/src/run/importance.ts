import type { RecordKind, TraceRecord } from '@syncloop/core/trace';
import { isListing } from './calls.js';
import { actionParts } from './pod-actions.js';

/** How telling a kind of record is: 0 is plumbing, 3 is what a spectator must not miss; 4 (see below) stands out from that. */
const BY_KIND: Readonly<Record<RecordKind, 0 | 1 | 2 | 3>> = {
  'goroutine-start': 0,
  'goroutine-end': 0,
  wait: 0,
  'chan-make': 0,
  send: 1,
  receive: 1,
  close: 0,
  select: 2,
  enter: 1,
  exit: 0,
  deadlock: 3,
  log: 1,
  'kube-event': 2,
  source: 2,
  'pod-config': 2,
  decision: 2,
  'pod-update': 2,
  worker: 3,
  'cache-wait': 2,
  'work-start': 2,
  'work-done': 2,
  step: 2,
  'pod-actions': 3,
  queue: 1,
  'cri-call': 2,
  'cri-return': 2,
  relist: 1,
  'pleg-transition': 3,
  'pleg-event': 3,
  cache: 1,
  probe: 2,
  'probe-result': 3,
  backoff: 3,
  volume: 1,
  status: 3,
  'status-removed': 1,
  eviction: 3,
  api: 1,
  cgroup: 1,
  manager: 1,
  'node-condition': 3,
  'node-status': 1,
  'node-lease': 1,
  'runtime-state': 2,
  'sources-ready': 2,
  'actual-sandbox': 3,
  'actual-container': 3,
  'actual-image': 2,
  input: 3,
  fault: 3,
  process: 2,
  gap: 3,
};

const HANDLERS = /^(Handle\w+|handleProbeSync|SyncPod|SyncTerminatingPod|SyncTerminatedPod)$/;

export function importance(record: TraceRecord): number {
  switch (record.kind) {
    case 'goroutine-end':
      return record.panic ? 3 : 0;
    case 'enter':
      return HANDLERS.test(record.fn) ? 2 : 1;
    case 'exit':
      return record.error === undefined ? 0 : 1;
    case 'select':
      // The loop's own has eight cases; the small ones of other goroutines are plumbing.
      return record.cases.length >= 6 ? 2 : 1;
    case 'pod-actions':
      return actionParts(record.actions)?.length === 0 ? 2 : 3;
    case 'pleg-event':
      // Of all that the PLEG says, this is what sets things going.
      return record.type === 'ContainerDied' ? 4 : 3;
    case 'relist':
      return record.changed > 0 ? 2 : 1;
    case 'log':
      return record.severity === 'I' ? 1 : 2;
    case 'cri-call':
    case 'cri-return':
      // The PLEG's own listing goes on all the time.
      if (record.kind === 'cri-return' && record.error) return 3;
      return isListing(record.method) ? 0 : 2;
    default:
      return BY_KIND[record.kind] ?? 1;
  }
}

/** What to say about a batch: the most telling of it, the newest among equals. */
export function mostTelling(records: readonly TraceRecord[]): TraceRecord | undefined {
  let best: TraceRecord | undefined;
  let score = -1;
  for (const record of records) {
    const s = importance(record);
    if (s >= score) {
      best = record;
      score = s;
    }
  }
  return best;
}
