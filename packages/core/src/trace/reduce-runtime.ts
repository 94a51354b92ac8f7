/** The reducer's part about CRI calls, sandboxes, containers and images. */
import type { Json, RecordOf } from './records.js';
import { push, RING } from './ring.js';
import { type ContainerView, emptyMap, type NodeState, type SandboxView } from './state.js';

/** Facts of a runtime that tells them itself. From the first one on, observations no longer count. */
export function reduceActual(
  state: NodeState,
  record: RecordOf<'actual-sandbox' | 'actual-container' | 'actual-image'>,
): void {
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

export function reduceCRICall(state: NodeState, record: RecordOf<'cri-call'>): void {
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

export function reduceCRIReturn(state: NodeState, record: RecordOf<'cri-return'>): void {
  const call = state.cri.inFlight[record.call];
  if (record.error) state.cri.errors++;
  if (!call) return;
  delete state.cri.inFlight[record.call];
  if (!state.actual) observedFromCall(state, record, call.request, call.uid);
  call.took = record.took;
  call.error = record.error?.details ?? '';
  call.uid = call.uid || (record.uid ?? '');
  call.sandbox = call.sandbox || (record.sandbox ?? '');
  call.container = call.container || (record.container ?? '');
  call.request = null;
  push(state.cri.recent, call, RING.calls);
}

/** What a call that went well did to the runtime. */
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

/** What the PLEG last saw of a pod, where the runtime tells nothing itself. */
export function observedFromCache(state: NodeState, record: RecordOf<'cache'>): void {
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
