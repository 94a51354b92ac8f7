import type { Path } from '../../expression/index.js';
import type { NodeState, RecordKind, TraceRecord } from '../../trace/index.js';

/** Whether folding a record in may change a value; when false it cannot. Sweeping apart, see `isSwept`. */
export type Touches = (record: TraceRecord) => boolean;

const ALWAYS: Touches = () => true;
const goroutines: Touches = (r) =>
  r.g !== 0 || r.kind === 'goroutine-start' || r.kind === 'goroutine-end' || r.kind === 'process';

const kinds = (...list: RecordKind[]): Touches => {
  const set: ReadonlySet<RecordKind> = new Set(list);
  return (r) => set.has(r.kind);
};

const POD_KINDS: readonly RecordKind[] = [
  ...(['pod-update', 'worker', 'cache-wait', 'work-start', 'work-done', 'step', 'pod-actions', 'queue'] as const),
  ...(['probe', 'probe-result', 'backoff', 'volume', 'status', 'status-removed', 'cache'] as const),
];
/** About pods in general: `enter` ends a worker's wait. */
const ALL_PODS: readonly RecordKind[] = ['pod-config', 'process', 'enter'];
const actual: readonly RecordKind[] = ['actual-sandbox', 'actual-container', 'actual-image'];

/** What the reducer does, seen from the other side: by part of the state, the records that can change it. A test holds it to the reducer. */
const parts: { readonly [K in keyof NodeState]: Touches } = {
  seq: ALWAYS,
  time: ALWAYS,
  counts: ALWAYS,
  // Whoever goes on stands in no channel's queue any more.
  channels: (r) =>
    goroutines(r) || r.kind === 'send' || r.kind === 'receive' || r.kind === 'close' || r.kind === 'chan-make',
  goroutines,
  processes: kinds('process'),
  startedLast: kinds('process'),
  actual: kinds(...actual),
  loop: kinds('goroutine-end', 'wait', 'select', 'enter', 'exit', 'runtime-state', 'process'),
  sources: kinds('source', 'sources-ready', 'pod-config', 'process'),
  pods: kinds(...POD_KINDS, ...ALL_PODS),
  sandboxes: kinds(...actual, 'cache', 'cri-return'),
  containers: kinds(...actual, 'cache', 'cri-return'),
  images: kinds(...actual, 'cri-call', 'cri-return'),
  pleg: kinds('relist', 'pleg-transition', 'pleg-event'),
  cri: kinds('cri-call', 'cri-return', 'process'),
  runtime: kinds('runtime-state', 'process'),
  node: kinds('manager', 'node-condition', 'node-status', 'node-lease', 'process'),
  eviction: kinds('eviction', 'process'),
  api: kinds('api', 'process'),
  cgroups: kinds('cgroup'),
  events: kinds('kube-event'),
};

/** The records that may change the value at `path`. */
export function touchesOf(path: Path): Touches {
  const [first, second] = path;
  if (typeof first !== 'string' || !Object.hasOwn(parts, first)) return ALWAYS;
  const part = parts[first as keyof NodeState];
  if (first !== 'pods' || typeof second !== 'string') return part;
  // A name may mean another pod later, so only what certainly is about another one is left out.
  const mine: ReadonlySet<RecordKind> = new Set(POD_KINDS);
  return (r) => part(r) && (!mine.has(r.kind) || !('uid' in r) || r.uid === second || isNamed(r, second));
}

function isNamed(record: TraceRecord, wanted: string): boolean {
  // Any name that `podNamed` could take for it has its last part in it.
  const pod = 'pod' in record && typeof record.pod === 'string' ? record.pod : '';
  return pod === '' || pod.includes(wanted.slice(wanted.indexOf('/') + 1));
}

/** Now and then the state forgets what is long over, whatever the record. */
export const isSwept = (state: NodeState): boolean => state.counts.records % 1024 === 0;
