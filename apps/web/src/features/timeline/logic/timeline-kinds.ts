/** How each record looks in the timeline: what it does to a lane, its colour and its sign. */
import type { TraceRecord } from '@syncloop/core/trace';
import { importance } from '../../../run/importance.js';

export const HUES = ['plain', 'desired', 'actual', 'message', 'decision', 'time', 'failure'] as const;
export type Hue = (typeof HUES)[number];
/** The second sign beside the colour, so that nothing hangs on colour alone. */
export const SHAPES = ['none', 'tick', 'up', 'down', 'diamond', 'flag', 'square', 'dot', 'cross', 'ring'] as const;
export type Shape = (typeof SHAPES)[number];

/** What a record does to its lane: begins or ends a span or a wait, is half of a message, or is only a mark. */
export const Role = { mark: 0, enter: 1, exit: 2, call: 3, reply: 4, wait: 5, send: 6, receive: 7 } as const;
export type Role = (typeof Role)[keyof typeof Role];

const BY_KIND: { readonly [K in TraceRecord['kind']]: readonly [Hue, Shape] } = {
  'goroutine-start': ['plain', 'ring'],
  'goroutine-end': ['plain', 'ring'],
  wait: ['time', 'none'],
  'chan-make': ['plain', 'none'],
  send: ['message', 'up'],
  receive: ['message', 'down'],
  close: ['message', 'cross'],
  select: ['plain', 'ring'],
  enter: ['plain', 'none'],
  exit: ['plain', 'none'],
  deadlock: ['failure', 'cross'],
  log: ['plain', 'tick'],
  'kube-event': ['actual', 'flag'],
  source: ['desired', 'square'],
  'pod-config': ['desired', 'square'],
  decision: ['decision', 'diamond'],
  'pod-update': ['desired', 'dot'],
  worker: ['desired', 'square'],
  'cache-wait': ['time', 'ring'],
  'work-start': ['desired', 'dot'],
  'work-done': ['desired', 'dot'],
  step: ['plain', 'dot'],
  'pod-actions': ['decision', 'diamond'],
  queue: ['time', 'ring'],
  'cri-call': ['actual', 'none'],
  'cri-return': ['actual', 'none'],
  relist: ['actual', 'ring'],
  'pleg-transition': ['actual', 'diamond'],
  'pleg-event': ['message', 'diamond'],
  cache: ['actual', 'ring'],
  probe: ['time', 'dot'],
  'probe-result': ['decision', 'square'],
  backoff: ['time', 'diamond'],
  volume: ['actual', 'diamond'],
  status: ['actual', 'square'],
  'status-removed': ['actual', 'ring'],
  eviction: ['decision', 'diamond'],
  api: ['message', 'tick'],
  cgroup: ['actual', 'tick'],
  manager: ['plain', 'tick'],
  'node-condition': ['actual', 'square'],
  'node-status': ['actual', 'ring'],
  'node-lease': ['time', 'ring'],
  'runtime-state': ['actual', 'dot'],
  'sources-ready': ['desired', 'dot'],
  'actual-sandbox': ['actual', 'square'],
  'actual-container': ['actual', 'dot'],
  'actual-image': ['actual', 'ring'],
  input: ['desired', 'flag'],
  fault: ['failure', 'flag'],
  process: ['plain', 'flag'],
  gap: ['failure', 'cross'],
};

/** Whether the record tells of something that went wrong. */
function failed(r: TraceRecord): boolean {
  switch (r.kind) {
    case 'log':
      return r.severity !== 'I';
    case 'kube-event':
      return r.type === 'Warning';
    case 'exit':
    case 'cri-return':
    case 'api':
    case 'cache':
    case 'work-done':
      return r.error !== undefined;
    case 'goroutine-end':
      return r.panic !== undefined;
    case 'probe':
      return r.outcome === 'failure';
    case 'probe-result':
      return r.result === 'Failure';
    case 'backoff':
      return r.active;
    case 'volume':
      return r.error !== undefined;
    case 'source':
      return (r.errors?.length ?? 0) > 0;
    case 'eviction':
      return r.phase === 'evict' || r.error !== undefined;
    case 'manager':
      return r.state === 'failed';
    case 'node-condition':
      // Ready is well when it is true, pressure when it is not.
      return r.status !== (r.type === 'Ready' ? 'True' : 'False');
    case 'node-status':
    case 'node-lease':
      return r.op === 'failed';
    case 'runtime-state':
      return r.errors.length > 0 || r.networkError !== undefined;
    case 'pleg-event':
      return r.dropped === true;
    case 'pleg-transition':
    case 'actual-container':
      return (r.exitCode ?? 0) !== 0;
    case 'actual-image':
      return r.state === 'failed';
    default:
      return false;
  }
}

/** A record's colour and sign in one byte. */
export function lookOf(r: TraceRecord): number {
  const [hue, shape] = BY_KIND[r.kind] ?? ['plain', 'tick'];
  const bad = failed(r);
  const sign: Shape = bad && (shape === 'tick' || shape === 'dot' || shape === 'ring') ? 'cross' : shape;
  return HUES.indexOf(bad ? 'failure' : hue) | (SHAPES.indexOf(sign) << 4);
}
export const hueOf = (look: number): Hue => HUES[look & 15] ?? 'plain';
export const shapeOf = (look: number): Shape => SHAPES[look >> 4] ?? 'tick';
export const FAILURE = HUES.indexOf('failure');

export function roleOf(r: TraceRecord): Role {
  switch (r.kind) {
    case 'enter':
      return Role.enter;
    case 'exit':
      return Role.exit;
    case 'cri-call':
      return Role.call;
    case 'cri-return':
      return Role.reply;
    case 'wait':
      return Role.wait;
    case 'send':
      return Role.send;
    case 'receive':
      return Role.receive;
    default:
      return Role.mark;
  }
}

/** How telling it is, 0 to 4: of marks that fall on one place, the most telling is drawn. */
export const weightOf = (r: TraceRecord): number => (r.kind === 'step' ? 1 : importance(r));

export const GROUPS = [
  'outside',
  'loop',
  'sources',
  'pleg',
  'workers',
  'containers',
  'probes',
  'status',
  'runtime',
  'other',
] as const;
export type GroupId = (typeof GROUPS)[number];

const GROUP_OF: readonly (readonly [RegExp, GroupId])[] = [
  [/^syncLoop/, 'loop'],
  [/^(mux |source)/, 'sources'],
  [/PLEG/, 'pleg'],
  [/^podWorker /, 'workers'],
  [/^(killContainer|preStop|pullImage|processImagePull|podContainerDeletor)/, 'containers'],
  [/^probe /, 'probes'],
  [/^statusManager/, 'status'],
];

/** Lanes that stand for no goroutine. */
export const RUNTIME = '@runtime';
export const OUTSIDE = '@outside';
export const TIMERS = '@timers';

export function groupOf(name: string): GroupId {
  if (name === RUNTIME) return 'runtime';
  if (name === OUTSIDE || name === TIMERS) return 'outside';
  return GROUP_OF.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** The lane of its own that a record has whichever goroutine made it; '' when it belongs to its goroutine. */
export function laneByKind(r: TraceRecord): string {
  switch (r.kind) {
    case 'actual-container':
    case 'actual-sandbox':
    case 'actual-image':
      return RUNTIME;
    case 'input':
    case 'fault':
    case 'process':
    case 'gap':
    case 'deadlock':
      return OUTSIDE;
    default:
      return r.g === 0 && r.kind !== 'goroutine-start' && r.kind !== 'goroutine-end' ? TIMERS : '';
  }
}

/** What a span or message is called: function, method or goroutine. */
export function labelOf(r: TraceRecord): string {
  switch (r.kind) {
    case 'enter':
      return r.fn;
    case 'cri-call':
      return r.method;
    case 'wait':
      return r.on.name ? `${r.on.op} ${r.on.name}` : r.on.op;
    default:
      return '';
  }
}
