/** The look of each record in the timeline: what it does to a lane, its colour and its sign. */
import { type Hue, hasFailed, importanceOf, markOf, type Sign, type TraceRecord } from '@syncloop/core/trace';

export const HUES: readonly Hue[] = ['plain', 'desired', 'actual', 'message', 'decision', 'time', 'failure'];
const SIGNS: readonly Sign[] = ['none', 'tick', 'up', 'down', 'diamond', 'flag', 'square', 'dot', 'cross', 'ring'];

/** The role of a record in its lane: begins or ends a span or a wait, is half of a message, or is only a mark. */
export const Role = { mark: 0, enter: 1, exit: 2, call: 3, reply: 4, wait: 5, send: 6, receive: 7 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** A flag of a look: the record was concluded, not observed. It is drawn in outlines. */
const CONCLUDED = 8;
const HUE = 7;

/** A record's colour and sign in one byte, and whether it was concluded. */
export function lookOf(r: TraceRecord): number {
  const [hue, own] = markOf(r);
  const failed = hasFailed(r);
  const sign: Sign = failed && (own === 'tick' || own === 'dot' || own === 'ring') ? 'cross' : own;
  return HUES.indexOf(failed ? 'failure' : hue) | (r.concluded ? CONCLUDED : 0) | (SIGNS.indexOf(sign) << 4);
}
export const hueOf = (look: number): Hue => HUES[look & HUE] ?? 'plain';
export const isConcluded = (look: number): boolean => (look & CONCLUDED) !== 0;
export const isFailure = (look: number): boolean => (look & HUE) === FAILURE;
export const signOf = (look: number): Sign => SIGNS[look >> 4] ?? 'tick';
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

/** Returns the weight of a record, 0 to 4: of marks that fall on one place, the weightiest is drawn. */
export const weightOf = (r: TraceRecord): number => (r.kind === 'step' ? 1 : importanceOf(r));

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

/** Names of lanes that are not a goroutine's. */
export const RUNTIME = '@runtime';
export const OUTSIDE = '@outside';
export const TIMERS = '@timers';
/** Pieces of evidence: lines, calls, spans, as they came. */
export const EVIDENCE = '@evidence';

export function groupOf(name: string): GroupId {
  if (name === RUNTIME) return 'runtime';
  if (name === OUTSIDE || name === TIMERS || name === EVIDENCE) return 'outside';
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
      if (r.g !== 0 || r.kind === 'goroutine-start' || r.kind === 'goroutine-end') return '';
      return r.evidence ? EVIDENCE : TIMERS;
  }
}

/** Returns the name of a span or message: function, method or goroutine. */
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
