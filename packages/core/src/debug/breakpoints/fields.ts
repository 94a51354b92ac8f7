import { recordKinds } from '../../trace/index.js';
import type { BreakpointKind, BreakpointOn } from './spec.js';

/** What a field of a breakpoint takes. `glob`: a name or a glob; `step`: a step's number or name. */
export type FieldKind =
  | { readonly type: 'glob' }
  | { readonly type: 'flag' }
  | { readonly type: 'step' }
  | { readonly type: 'one'; readonly of: readonly string[] };

const glob: FieldKind = { type: 'glob' };
const flag: FieldKind = { type: 'flag' };
const step: FieldKind = { type: 'step' };
const one = (...of: string[]): FieldKind => ({ type: 'one', of });

type Own<K extends BreakpointKind> = Exclude<keyof Extract<BreakpointOn, { on: K }>, 'on'>;

/** The fields of each kind of breakpoint: for reading it, and for a form to make one. */
export const breakpointFields: { readonly [K in BreakpointKind]: { readonly [F in Own<K>]-?: FieldKind } } = {
  channel: { name: glob, op: one('send', 'receive', 'close', 'any') },
  select: { channel: glob, several: flag, goroutine: glob },
  'config-op': { op: one('ADD', 'UPDATE', 'REMOVE', 'RECONCILE', 'DELETE'), source: glob },
  'pleg-event': { type: glob, container: glob },
  handler: { name: glob },
  function: { name: glob, when: one('enter', 'exit', 'both', 'error') },
  worker: { state: one('sync', 'terminating', 'terminated', 'finished', 'removed') },
  step: { fn: glob, step, container: glob },
  cri: { method: glob, when: one('before', 'after', 'error'), container: glob },
  probe: {
    type: one('liveness', 'readiness', 'startup'),
    result: one('success', 'failure', 'warning', 'unknown'),
    stage: one('run', 'result', 'any'),
    container: glob,
  },
  phase: { value: one('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown') },
  condition: { type: glob, status: one('True', 'False', 'Unknown') },
  backoff: { of: one('crash-loop', 'image-pull'), when: one('start', 'expiry', 'both'), container: glob },
  'kube-event': { reason: glob, type: one('Normal', 'Warning') },
  log: { message: glob, severity: one('I', 'W', 'E') },
  decision: { rule: glob, verdict: glob },
  wait: {
    op: one('send', 'receive', 'select', 'sleep', 'lock', 'rlock', 'cond', 'waitgroup', 'once', 'call'),
    name: glob,
    goroutine: glob,
  },
  record: { kind: one(...recordKinds) },
};
export const breakpointKinds = Object.keys(breakpointFields) as readonly BreakpointKind[];
