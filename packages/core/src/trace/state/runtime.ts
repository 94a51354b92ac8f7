/** Folds records of the container runtime: the kubelet's calls, and what a mock runtime reports itself. */
import type { actual as actualKinds } from '../kinds/actual.js';
import type { runtime as runtimeKinds } from '../kinds/runtime.js';
import type { Json, Micros, RecordOf, Seq } from '../records.js';
import type { GoroutineView } from './kernel.js';
import { emptyMap, mapValues, shallow } from './maps.js';
import { cachePod } from './pods.js';
import { push, RING } from './ring.js';
import type { NodeState } from './state.js';

export interface SandboxView {
  id: string;
  uid: string;
  pod: string;
  attempt: number;
  state: 'creating' | 'ready' | 'notready' | 'removed';
  ip: string;
  since: Micros;
}
export interface ContainerView {
  id: string;
  sandbox: string;
  uid: string;
  name: string;
  attempt: number;
  state: 'created' | 'running' | 'exited' | 'unknown' | 'removed';
  exitCode: number | null;
  reason: string;
  since: Micros;
}
export interface PlegTransition {
  seq: Seq;
  time: Micros;
  uid: string;
  pod: string;
  id: string;
  name: string;
  sandbox: boolean;
  old: string;
  new: string;
  /** '' until an event was made of it. */
  event: string;
}
export interface CRICallView {
  seq: Seq;
  method: string;
  /** Only while it is in flight; later see the record `seq`. */
  request: Json;
  uid: string;
  container: string;
  sandbox: string;
  since: Micros;
  took: Micros | null;
  error: string;
}

export interface PlegView {
  relists: number;
  lastRelist: Micros;
  lastSeq: Seq;
  transitions: PlegTransition[];
}
export interface CRIView {
  inFlight: Record<string, CRICallView>;
  calls: number;
  errors: number;
  recent: CRICallView[];
}
export interface RuntimeView {
  errors: readonly string[];
  networkError: string;
  backoff: Micros;
}
export const initialPleg = (): PlegView => ({ relists: 0, lastRelist: 0, lastSeq: 0, transitions: [] });
export const initialCRI = (): CRIView => ({ inFlight: emptyMap(), calls: 0, errors: 0, recent: [] });
export const initialRuntime = (): RuntimeView => ({ errors: [], networkError: '', backoff: 0 });
export const copyPleg = (pleg: PlegView): PlegView => ({ ...pleg, transitions: pleg.transitions.map(shallow) });
export const copyCRI = (cri: CRIView): CRIView => ({
  ...cri,
  inFlight: mapValues(cri.inFlight, shallow),
  recent: [...cri.recent],
});

/** Folds in a record of the runtime; `g` is the goroutine that made the record. */
export function reduceRuntime(
  state: NodeState,
  record: RecordOf<keyof typeof runtimeKinds>,
  g: GoroutineView | undefined,
): void {
  switch (record.kind) {
    case 'cache':
      cachePod(state, record);
      if (!state.actual) observedFromCache(state, record);
      break;
    case 'cri-call':
      reduceCRICall(state, record);
      if (g && g.state !== 'dead') {
        // It goes on with the answer. What waits beneath it is the client's own business.
        g.state = 'waiting';
        g.wait = { op: 'call', name: record.method };
        g.since = record.time;
      }
      break;
    case 'cri-return':
      reduceCRIReturn(state, record);
      break;
    case 'relist':
      state.pleg.relists++;
      state.pleg.lastRelist = record.time;
      state.pleg.lastSeq = record.seq;
      break;
    case 'pleg-transition':
      push(
        state.pleg.transitions,
        {
          seq: record.seq,
          time: record.time,
          uid: record.uid,
          pod: record.pod,
          id: record.id,
          name: record.name ?? '',
          sandbox: record.sandbox ?? false,
          old: record.old ?? '',
          new: record.new,
          event: '',
        },
        RING.transitions,
      );
      // A log gives no better evidence: it does not report what the cache got.
      if (record.basis && !state.actual) observedFromTransition(state, record);
      break;
    case 'pleg-event': {
      const { transitions } = state.pleg;
      for (let i = transitions.length - 1; i >= 0; i--) {
        const t = transitions[i];
        if (t && t.event === '' && t.uid === record.uid && t.id === record.data) {
          t.event = record.type;
          break;
        }
      }
      break;
    }
    case 'runtime-state':
      state.runtime = { errors: record.errors, networkError: record.networkError ?? '', backoff: record.backoff ?? 0 };
      if (record.errors.length > 0 && state.loop.g !== 0 && (record.backoff || record.g === state.loop.g))
        state.loop.phase = 'backoff';
      break;
    default:
      record satisfies never;
  }
}

/** Facts of a runtime that tells them itself. From the first one on, observations no longer count. */
export function reduceActual(state: NodeState, record: RecordOf<keyof typeof actualKinds>): void {
  if (!state.actual) {
    state.actual = true;
    state.sandboxes = emptyMap();
    state.containers = emptyMap();
    state.images = emptyMap();
  }
  if (record.kind === 'actual-sandbox') {
    const { id, uid, pod, attempt, time } = record;
    const before = state.sandboxes[id];
    const since = before && before.state === record.state ? before.since : time;
    state.sandboxes[id] = { id, uid, pod, attempt, state: record.state, ip: record.ip ?? before?.ip ?? '', since };
  } else if (record.kind === 'actual-container') {
    const { id, sandbox, uid, name, attempt, time } = record;
    const before = state.containers[id];
    state.containers[id] = {
      id,
      sandbox,
      uid,
      name,
      attempt,
      state: record.state,
      exitCode: record.exitCode ?? before?.exitCode ?? null,
      reason: record.reason ?? before?.reason ?? '',
      since: before && before.state === record.state ? before.since : time,
    };
  } else setImage(state, record.image, record.state, record.error);
}

function setImage(state: NodeState, image: string, to: string, error?: string): void {
  state.images[image] = error === undefined ? { image, state: to } : { image, state: to, error };
}

// --- calls ---------------------------------------------------------------------------------------------------------

function reduceCRICall(state: NodeState, record: RecordOf<'cri-call'>): void {
  const { seq, method, request, time } = record;
  state.cri.calls++;
  state.cri.inFlight[seq] = {
    seq,
    method,
    request,
    uid: record.uid ?? '',
    container: record.container ?? '',
    sandbox: record.sandbox ?? '',
    since: time,
    took: null,
    error: '',
  };
  if (!state.actual && method === 'PullImage') setImage(state, field(request, 'image', 'image'), 'pulling');
}

function reduceCRIReturn(state: NodeState, record: RecordOf<'cri-return'>): void {
  const call = state.cri.inFlight[record.call];
  if (record.error) state.cri.errors++;
  if (!call) return;
  delete state.cri.inFlight[record.call];
  if (!state.actual) observedFromCall(state, record, call.request, call.uid);
  // Null would say that it is in flight.
  call.took = record.took ?? record.time - call.since;
  call.error = record.error?.details ?? '';
  call.uid = call.uid || (record.uid ?? '');
  call.sandbox = call.sandbox || (record.sandbox ?? '');
  call.container = call.container || (record.container ?? '');
  call.request = null;
  push(state.cri.recent, call, RING.calls);
}

/** Folds in the effect of a call that succeeded. */
function observedFromCall(state: NodeState, record: RecordOf<'cri-return'>, request: Json, uid: string): void {
  const { method, error, time } = record;
  if (method === 'PullImage')
    setImage(state, field(request, 'image', 'image'), error ? 'failed' : 'present', error?.details);
  if (error) return;
  const response = record.response ?? null;
  switch (method) {
    case 'RunPodSandbox': {
      const id = field(response, 'podSandboxId') || record.sandbox || '';
      const name = field(request, 'config', 'metadata', 'name');
      const namespace = field(request, 'config', 'metadata', 'namespace');
      const attempt = Number(at(request, 'config', 'metadata', 'attempt') ?? 0);
      const pod = name === '' ? '' : `${namespace}/${name}`;
      if (id)
        setSandbox(state, {
          id,
          uid: uid || field(request, 'config', 'metadata', 'uid'),
          pod,
          attempt,
          state: 'ready',
          ip: '',
          since: time,
        });
      return;
    }
    case 'CreateContainer': {
      const id = field(response, 'containerId') || record.container || '';
      const sandbox = field(request, 'podSandboxId');
      const name = field(request, 'config', 'metadata', 'name');
      const attempt = Number(at(request, 'config', 'metadata', 'attempt') ?? 0);
      const owner = uid || (state.sandboxes[sandbox]?.uid ?? '');
      if (id)
        setContainer(state, {
          id,
          sandbox,
          uid: owner,
          name,
          attempt,
          state: 'created',
          exitCode: null,
          reason: '',
          since: time,
        });
      return;
    }
    case 'StartContainer':
      changeContainer(state, field(request, 'containerId'), 'running', time);
      return;
    case 'StopContainer':
      changeContainer(state, field(request, 'containerId'), 'exited', time);
      return;
    case 'RemoveContainer':
      changeContainer(state, field(request, 'containerId'), 'removed', time);
      return;
    case 'StopPodSandbox':
      changeSandbox(state, field(request, 'podSandboxId'), 'notready', time);
      return;
    case 'RemovePodSandbox':
      changeSandbox(state, field(request, 'podSandboxId'), 'removed', time);
      return;
    case 'RemoveImage':
      setImage(state, field(request, 'image', 'image'), 'removed');
      return;
  }
}

/** Folds in what the PLEG last saw of a pod, for a runtime that does not report its facts. */
function observedFromCache(state: NodeState, record: RecordOf<'cache'>): void {
  if (record.error) return;
  const { uid, pod, time } = record;
  const seen = new Set<string>();
  if (record.op === 'set') {
    // The newest sandbox comes first and is the one that containers run in.
    const newest = record.sandboxes[0]?.id ?? '';
    for (const s of record.sandboxes) {
      seen.add(s.id);
      const before = state.sandboxes[s.id];
      const to = s.state === 'running' ? 'ready' : 'notready';
      const ip = s.ip ?? before?.ip ?? '';
      const attempt = s.restartCount ?? before?.attempt ?? 0;
      setSandbox(state, {
        id: s.id,
        uid,
        pod,
        attempt,
        state: to,
        ip,
        since: before?.state === to ? before.since : time,
      });
    }
    for (const c of record.containers) {
      seen.add(c.id);
      const before = state.containers[c.id];
      setContainer(state, {
        id: c.id,
        sandbox: before?.sandbox || newest,
        uid,
        name: c.name,
        attempt: c.restartCount ?? before?.attempt ?? 0,
        state: c.state,
        exitCode: c.exitCode ?? before?.exitCode ?? null,
        reason: c.reason ?? before?.reason ?? '',
        since: before?.state === c.state ? before.since : time,
      });
    }
  }
  for (const id of Object.keys(state.sandboxes))
    if (state.sandboxes[id]?.uid === uid && !seen.has(id)) changeSandbox(state, id, 'removed', time);
  for (const id of Object.keys(state.containers))
    if (state.containers[id]?.uid === uid && !seen.has(id)) changeContainer(state, id, 'removed', time);
}

/** Folds in what an observed kubelet's PLEG saw of a container or sandbox. */
function observedFromTransition(state: NodeState, record: RecordOf<'pleg-transition'>): void {
  const { id, uid, pod, time } = record;
  if (record.sandbox) {
    const to = record.new === 'running' ? 'ready' : record.new === 'non-existent' ? 'removed' : 'notready';
    const before = state.sandboxes[id];
    const since = before?.state === to ? before.since : time;
    setSandbox(state, { id, uid, pod, attempt: before?.attempt ?? 0, state: to, ip: before?.ip ?? '', since });
    // It was taken for a container before.
    delete state.containers[id];
    return;
  }
  const before = state.containers[id];
  const name = record.name ?? before?.name ?? '';
  const to =
    record.new === 'non-existent'
      ? 'removed'
      : record.new === 'running' || record.new === 'exited'
        ? record.new
        : 'unknown';
  const earlier = Object.values(state.containers).filter((c) => c.uid === uid && c.name === name && c.id !== id);
  setContainer(state, {
    id,
    sandbox: before?.sandbox ?? '',
    uid,
    name,
    attempt: before?.attempt ?? (name === '' ? 0 : earlier.reduce((n, c) => Math.max(n, c.attempt + 1), 0)),
    state: to,
    exitCode: record.exitCode ?? before?.exitCode ?? null,
    reason: before?.reason ?? '',
    since: before?.state === to ? before.since : time,
  });
}

function setSandbox(state: NodeState, view: SandboxView): void {
  state.sandboxes[view.id] = view;
}
function setContainer(state: NodeState, view: ContainerView): void {
  state.containers[view.id] = view;
}
function changeSandbox(state: NodeState, id: string, to: SandboxView['state'], time: number): void {
  const view = state.sandboxes[id];
  if (!view || view.state === to) return;
  view.state = to;
  view.since = time;
}
function changeContainer(state: NodeState, id: string, to: ContainerView['state'], time: number): void {
  const view = state.containers[id];
  // Stopping what has exited by itself changes nothing.
  if (!view || view.state === to || (to === 'exited' && view.state === 'removed')) return;
  view.state = to;
  view.since = time;
}

// --- reading JSON of unknown shape ---------------------------------------------------------------------------------

function at(value: Json, ...path: string[]): Json | undefined {
  let v: Json | undefined = value;
  for (const key of path) {
    if (typeof v !== 'object' || v === null || Array.isArray(v) || !Object.hasOwn(v, key)) return undefined;
    v = (v as { readonly [key: string]: Json | undefined })[key];
  }
  return v;
}
function field(value: Json, ...path: string[]): string {
  const v = at(value, ...path);
  return typeof v === 'string' ? v : '';
}
