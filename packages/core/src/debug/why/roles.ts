import type { RecordOf, TraceRecord } from '../../trace/index.js';
import type { Node } from './graph.js';
import type { Role } from './types.js';

const roles: { readonly [K in TraceRecord['kind']]?: Role } = {
  input: 'input',
  fault: 'fault',
  process: 'start',
  gap: 'gap',
  'actual-container': 'fact',
  'actual-sandbox': 'fact',
  'actual-image': 'fact',
  source: 'config',
  'pod-config': 'config',
  'sources-ready': 'config',
  send: 'message',
  receive: 'message',
  select: 'message',
  close: 'message',
  decision: 'decision',
  'pod-actions': 'decision',
  part: 'decision',
  'part-line': 'decision',
  'pod-update': 'update',
  worker: 'work',
  'work-start': 'work',
  'work-done': 'work',
  queue: 'queue',
  'cri-call': 'call',
  'cri-return': 'answer',
  relist: 'pleg',
  'pleg-transition': 'pleg',
  'pleg-event': 'pleg',
  cache: 'cache',
  'cache-wait': 'wait',
  wait: 'wait',
  probe: 'probe',
  'probe-result': 'probe',
  backoff: 'backoff',
  kill: 'decision',
  volume: 'work',
  status: 'status',
  'status-removed': 'status',
  eviction: 'decision',
  'kube-event': 'event',
  enter: 'function',
  exit: 'function',
  step: 'function',
};

/** Returns the part that a record plays in an answer; one without a cause may be more than its kind says. */
export function roleOf(r: TraceRecord, isRoot: boolean): Role {
  if (isRoot) {
    if (r.kind === 'send' && r.g === 0) return 'timer';
    if (r.kind === 'queue') return 'timer';
    // A measurement of the eviction manager.
    if (r.kind === 'pleg-transition' || r.kind === 'eviction') return 'fact';
    if (r.kind === 'goroutine-start' || r.kind === 'chan-make' || r.kind === 'process') return 'start';
  }
  return roles[r.kind] ?? 'other';
}

const acting = /^(Run|Stop|Remove|Create|Start|Pull|Exec|Update)/;

/**
 * Returns the importance of a record to a reader, from 0 (plumbing) to 10. Below 4 it is shown in full answers only.
 */
export function weightOf(node: Node, isRoot: boolean): number {
  const r = node.record;
  const w = weightOfKind(r);
  return isRoot && node.main ? 10 : isRoot ? Math.max(w, rootWeight(r)) : w;
}

/** A side line that ends in a timer or the start of the process says little. */
const rootWeight = (r: TraceRecord): number =>
  r.kind === 'send' || r.kind === 'queue' ? 4 : r.kind === 'goroutine-start' ? 2 : 6;

function weightOfKind(r: TraceRecord): number {
  switch (r.kind) {
    case 'input':
    case 'fault':
    case 'gap':
      return 9;
    case 'actual-container':
    case 'actual-sandbox':
      return 8.5;
    case 'actual-image':
      return r.state === 'failed' ? 8.5 : 3;
    case 'decision':
      return decisionWeight(r);
    case 'backoff':
    case 'part-failed':
      return 8.2;
    case 'part':
      return 8;
    case 'part-line':
      return 7.6;
    case 'pleg-event':
    case 'probe-result':
      return 7.5;
    case 'work-start':
      return 7;
    case 'kill':
      return 7.1;
    case 'eviction':
      return r.phase === 'evict' ? 8.2 : 6;
    case 'queue':
      return 6.5;
    case 'cri-call':
      return acting.test(r.method) ? (r.method === 'ExecSync' ? 4 : 7.2) : 2;
    case 'cri-return':
      return r.error ? 8 : acting.test(r.method) ? 3.5 : 1.5;
    case 'probe':
      return 6.2;
    case 'volume':
      return r.error === undefined ? 4.2 : 8;
    case 'pod-config':
    case 'worker':
    case 'status':
    case 'runtime-state':
      return 6;
    case 'pod-update':
      return r.dropped !== undefined || r.overwrote ? 5 : 4.5;
    case 'process':
      return 5.5;
    case 'cache-wait':
      return 5;
    case 'receive':
      // The moment at which the loop learns of it.
      return typeof r.item === 'object' && r.item !== null && !Array.isArray(r.item) && r.span > 0 ? 5.2 : 1;
    case 'cache':
      return 4.4;
    case 'pod-actions':
      return 4.2;
    case 'pleg-transition':
      return 4.1;
    case 'kube-event':
      return r.type === 'Warning' ? 6.4 : 4;
    case 'source':
    case 'sources-ready':
    case 'work-done':
      return 4;
    case 'enter':
      return /^(Handle|SyncPod|SyncTerm|Relist|doProbe|startContainer|killContainer)/.test(r.fn) ? 3 : 2;
    case 'step':
    case 'relist':
    case 'exit':
      return 2;
    default:
      return 1;
  }
}

function decisionWeight(r: RecordOf<'decision'>): number {
  switch (r.rule) {
    case 'ShouldContainerBeRestarted':
    case 'livenessManager':
    case 'startupManager':
    case 'containerChanged':
      return 8.4;
    case 'doBackOff':
      // Its back-off record says the same.
      return 3;
    case 'getPodsToSync':
      return 5.4;
    case 'isSyncPodWorthy':
    case 'doProbe':
      return 3.8;
    case 'canAdmitPod':
      return r.verdict === 'admit' ? 2 : 8.4;
    case 'PodSandboxChanged':
      return r.verdict === 'changed' ? 8 : 3;
    case 'setTerminationGracePeriod':
    case 'calculateEffectiveGracePeriod':
      return 5;
    case 'allowPodStart':
      return r.verdict === 'start' ? 3 : 8;
    default:
      return 7.8;
  }
}
