/** What a record must be to be shown and folded: checked on all that comes from a file. */
import { own } from '../../base/index.js';
import type { RecordBody, RecordKind, TraceRecord } from '../records.js';
import { isObject, isWhole, type Raw } from './header.js';

type Check = (value: unknown) => boolean;
interface Field {
  readonly check: Check;
  readonly want: string;
  readonly optional: boolean;
}

const field = (want: string, check: Check): Field => ({ want, check, optional: false });
const maybe = (f: Field): Field => ({ ...f, optional: true });
const listOf = (want: string, check: Check): Field =>
  field(`a list of ${want}`, (v) => Array.isArray(v) && v.every(check));

const isText: Check = (v) => typeof v === 'string';
const isNumber: Check = (v) => typeof v === 'number';
const isPodRef: Check = (v) => isObject(v) && isText(own(v, 'pod')) && isText(own(v, 'uid'));
const isOptional =
  (check: Check): Check =>
  (v) =>
    v === undefined || check(v);
const isWait: Check = (v) =>
  isObject(v) &&
  isText(own(v, 'op')) &&
  isOptional((c) => Array.isArray(c) && c.every(isNumber))(own(v, 'chans')) &&
  isOptional((c) => Array.isArray(c) && c.every(isNumber))(own(v, 'sends')) &&
  isOptional(isText)(own(v, 'name')) &&
  isOptional(isNumber)(own(v, 'until'));
const isObserved: Check = (v) =>
  isObject(v) && isText(own(v, 'id')) && isText(own(v, 'name')) && isText(own(v, 'state'));

const isSignal: Check = (v) =>
  isObject(v) &&
  isText(own(v, 'signal')) &&
  ['available', 'capacity', 'threshold'].every((name) => isNumber(own(v, name)));

const s = field('a text', isText);
const n = field('a number', isNumber);
const b = field('true or false', (v) => typeof v === 'boolean');
const o = field('an object', isObject);
const texts = listOf('texts', isText);
const numbers = listOf('numbers', isNumber);
const list = field('a list', Array.isArray);
const pods = listOf('pods', isPodRef);
const observed = listOf('containers', isObserved);
const wait = field('a wait', isWait);
const error = field('{code, details}', (v) => isObject(v) && isNumber(own(v, 'code')) && isText(own(v, 'details')));
const ref = { pod: s, uid: s };

/** Own fields of each kind. Values of any JSON type are not listed. */
const SHAPES = {
  'goroutine-start': { id: n, name: s, parent: n, process: s },
  'goroutine-end': { id: n, panic: maybe(o) },
  wait: { on: wait },
  'chan-make': { chan: n, name: s, cap: n },
  send: { chan: n, len: n },
  receive: { chan: n, ok: b, len: n },
  close: { chan: n },
  select: { cases: numbers, ready: numbers, chosen: n },
  enter: { fn: s },
  exit: { of: n, fn: s, error: maybe(s) },
  deadlock: { waits: listOf('waits', (v) => isObject(v) && isWait(own(v, 'on'))) },
  log: { severity: s, v: n, msg: s, kv: o, file: s },
  'kube-event': { object: o, type: s, reason: s, message: s },
  source: { source: s, origin: s, pods, errors: maybe(texts) },
  'pod-config': { source: s, op: s, pods },
  decision: { rule: s, verdict: s, values: o, container: maybe(s), pod: maybe(s), uid: maybe(s) },
  'pod-update': { updateType: s, workType: maybe(s), dropped: maybe(s), ...ref },
  worker: { state: s, from: maybe(s), reason: s, ...ref },
  'cache-wait': { newerThan: n, ...ref },
  'work-start': { workType: s, updateType: s, ...ref },
  'work-done': { workType: s, error: maybe(s), ...ref },
  step: { fn: s, n, name: s, container: maybe(s), ...ref },
  'pod-actions': ref,
  queue: { due: n, why: s, ...ref },
  'cri-call': { method: s, uid: maybe(s), sandbox: maybe(s), container: maybe(s) },
  'cri-return': {
    call: n,
    method: s,
    took: n,
    error: maybe(error),
    uid: maybe(s),
    sandbox: maybe(s),
    container: maybe(s),
  },
  relist: { pods: n, changed: n, scope: s },
  'pleg-transition': { id: s, name: s, sandbox: b, old: s, new: s, exitCode: maybe(n), ...ref },
  'pleg-event': { type: s, data: s, name: s, ...ref },
  cache: { op: s, modified: n, sandboxes: observed, containers: observed, error: maybe(s), ...ref },
  probe: { container: s, probeType: s, outcome: s, output: s, run: n, threshold: n, ...ref },
  'probe-result': { container: s, probeType: s, result: s, ...ref },
  backoff: { of: s, container: s, delay: n, until: n, active: b, ...ref },
  volume: { volume: s, plugin: s, op: s, phase: s, remount: maybe(b), took: maybe(n), error: maybe(s), ...ref },
  status: { version: n, ...ref },
  'status-removed': ref,
  eviction: {
    phase: s,
    signals: maybe(listOf('signals', isSignal)),
    conditions: maybe(texts),
    signal: maybe(s),
    resource: maybe(s),
    what: maybe(s),
    ranked: maybe(pods),
    gracePeriodSeconds: maybe(n),
    message: maybe(s),
    error: maybe(s),
    pod: maybe(s),
    uid: maybe(s),
  },
  api: {
    id: n,
    phase: s,
    verb: s,
    resource: s,
    subresource: maybe(s),
    namespace: maybe(s),
    name: maybe(s),
    code: maybe(n),
    error: maybe(s),
    took: maybe(n),
  },
  cgroup: { op: s, path: s },
  manager: { name: s, state: s, detail: maybe(s) },
  'node-condition': { type: s, status: s, reason: s, message: s },
  'node-status': { op: s, node: s, addresses: maybe(list), capacity: maybe(o), allocatable: maybe(o), error: maybe(s) },
  'node-lease': { op: s, name: s, error: maybe(s) },
  'runtime-state': { errors: texts, networkError: maybe(s), backoff: maybe(n) },
  'sources-ready': { source: s, all: b },
  'actual-sandbox': { id: s, uid: s, pod: s, attempt: n, state: s, ip: maybe(s) },
  'actual-container': {
    id: s,
    sandbox: s,
    uid: s,
    name: s,
    attempt: n,
    state: s,
    exitCode: maybe(n),
    reason: maybe(s),
  },
  'actual-image': { image: s, state: s, error: maybe(s) },
  input: { verb: s, args: list },
  fault: { rule: s, method: s, effect: s },
  process: { process: s, state: s },
  gap: { from: n, to: n },
} as const satisfies {
  readonly [K in RecordKind]: { readonly [F in Exclude<keyof Extract<RecordBody, { kind: K }>, 'kind'>]?: Field };
};

const shapes = new Map<string, readonly (readonly [string, Field])[]>(
  Object.entries(SHAPES).map(([kind, fields]) => [kind, Object.entries(fields as Readonly<Record<string, Field>>)]),
);

/**
 * What is wrong with a record from a file, '' when nothing is. A kind that is not known is taken as it is: a newer writer's
 * records say nothing to this reader, and do no harm.
 */
export function recordProblem(raw: Raw): string {
  for (const key of ['seq', 'time', 'g', 'span', 'cause'] as const)
    if (!isWhole(own(raw, key))) return `its ${key} is not a whole number`;
  const kind = own(raw, 'kind');
  if (typeof kind !== 'string') return 'it has no kind';
  const fields = shapes.get(kind);
  if (!fields) return '';
  for (const [name, { check, want, optional }] of fields) {
    const value = own(raw, name);
    if (value === undefined ? !optional : !check(value)) return `the ${name} of its ${kind} is not ${want}`;
  }
  return '';
}

/** A record from a file that `recordProblem` has nothing against. */
export const asRecord = (raw: Raw): TraceRecord => raw as unknown as TraceRecord;
