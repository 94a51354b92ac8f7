/** A pod's lane: worker, kuberuntime, CRI and what runs on the node, as plain values. */
import type { ContainerView, Json, NodeState, PodView, SandboxView, StepView } from '@syncloop/core/trace';
import { isListing, uidOfCall } from './calls.js';
import { fields, list, shortPod, textOf } from './text.js';

export interface Tick {
  readonly n: number;
  readonly name: string;
  /** Taken in the current (or last) sync, and the newest of those. */
  readonly done: boolean;
  readonly now: boolean;
}
export interface ContainerGlyph {
  readonly id: string;
  readonly name: string;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly exitCode: number | null;
  readonly reason: string;
  readonly restarts: number;
  readonly backoff: { readonly delay: number; readonly until: number } | null;
}
export interface SandboxGlyph {
  readonly id: string;
  readonly state: SandboxView['state'];
  readonly attempt: number;
  readonly ip: string;
  readonly containers: readonly ContainerGlyph[];
}
export interface LanePart {
  readonly uid: string;
  readonly pod: string;
  /** Another pod of the same name has a lane: a changed static pod is a new pod. */
  readonly twin: boolean;
  readonly desired: boolean;
  readonly phase: string;
  readonly reason: string;
  readonly state: string;
  readonly pending: string;
  readonly overwrites: number;
  readonly working: boolean;
  readonly workType: string;
  readonly newerThan: number | null;
  readonly due: number | null;
  readonly error: string;
  /** SyncPod's (or its sibling's) steps, and which of these functions it is. */
  readonly syncFn: string;
  readonly sync: readonly Tick[];
  readonly runtimeFn: string;
  readonly runtime: readonly Tick[];
  readonly start: readonly Tick[];
  readonly startContainer: string;
  readonly actions: readonly ActionPart[] | null;
  readonly call: {
    readonly seq: number;
    readonly method: string;
    readonly since: number;
    readonly took: number | null;
    readonly error: string;
  } | null;
  readonly sandbox: SandboxGlyph | null;
  /** Back-offs of containers that do not exist (an image that cannot be pulled). */
  readonly waiting: readonly {
    readonly container: string;
    readonly of: string;
    readonly delay: number;
    readonly until: number;
  }[];
  readonly heat: Heat;
}
export interface ActionPart {
  readonly kind: 'create' | 'killPod' | 'start' | 'init' | 'kill';
  readonly names: string;
}
/** One pod in the strip that shows many. */
export type Heat = 'waiting' | 'working' | 'running' | 'failing' | 'ending' | 'done';

/** Pods in the order in which they came; those that only have a past go last and then vanish with the sweep. */
export function laneOrder(state: NodeState): string[] {
  return Object.values(state.pods)
    .filter(
      (p) =>
        p.desired ||
        (p.worker && p.worker.state !== 'removed' && p.worker.state !== 'finished') ||
        hasRunning(state, p.uid),
    )
    .map((p) => p.uid);
}
function hasRunning(state: NodeState, uid: string): boolean {
  for (const id of Object.keys(state.sandboxes)) {
    const s = state.sandboxes[id] as SandboxView;
    if (s.uid === uid && s.state !== 'removed') return true;
  }
  return false;
}

export function lanePart(state: NodeState, uid: string): LanePart | null {
  const pod = state.pods[uid];
  if (!pod) return null;
  const { worker } = pod;
  const tracks = stepTracks(pod.steps, worker?.working ?? false, worker?.workType ?? 'sync');
  const sandbox = newestSandbox(state, uid);
  const shown = new Set(sandbox?.containers.map((c) => c.name));
  return {
    uid,
    pod: shortPod(pod.pod),
    twin: Object.values(state.pods).some(
      (p) => p.pod === pod.pod && p.uid !== uid && p.worker !== null && p.worker.state !== 'removed',
    ),
    desired: pod.desired,
    phase: pod.phase,
    reason: pod.reason,
    state: worker?.state ?? '',
    pending: worker?.pending ?? '',
    overwrites: worker?.overwrites ?? 0,
    working: worker?.working ?? false,
    workType: worker?.workType ?? 'sync',
    newerThan: worker?.waitsForNewerThan ?? null,
    due: worker?.due ?? null,
    error: worker?.lastError ?? '',
    ...tracks,
    actions: actionParts(pod.actions),
    call: newestCall(state, uid),
    sandbox,
    waiting: Object.values(pod.backoffs)
      .filter((b) => b.active && b.until > state.time && !(b.of === 'crash-loop' && shown.has(b.container)))
      .map((b) => ({ container: b.container, of: b.of, delay: b.delay, until: b.until })),
    heat: heatOf(pod, sandbox),
  };
}

export function heatOf(pod: PodView, sandbox: SandboxGlyph | null): Heat {
  const { worker } = pod;
  if (!worker) return 'waiting';
  if (worker.state === 'finished' || worker.state === 'removed' || worker.state === 'terminated') return 'done';
  if (worker.state === 'terminating') return 'ending';
  if (worker.lastError !== '') return 'failing';
  if (worker.working) return 'working';
  return pod.phase === 'Running' && sandbox?.state === 'ready' ? 'running' : 'waiting';
}

/** How many steps each function has, so that a lane shows all of them before they are taken. */
const STEPS: Readonly<Record<string, number>> = {
  SyncPod: 15,
  SyncTerminatingPod: 8,
  SyncTerminatingRuntimePod: 1,
  SyncTerminatedPod: 8,
  'kuberuntime.SyncPod': 9,
  startContainer: 4,
};

/** Which of a lane's three tracks a step's function belongs to. */
export function trackOf(fn: string): 'sync' | 'runtime' | 'start' {
  if (fn === 'startContainer') return 'start';
  return fn.startsWith('Sync') ? 'sync' : 'runtime';
}

function stepTracks(
  steps: readonly StepView[],
  working: boolean,
  workType: string,
): Pick<LanePart, 'sync' | 'runtime' | 'start' | 'syncFn' | 'runtimeFn' | 'startContainer'> {
  const last = { sync: null as StepView | null, runtime: null as StepView | null, start: null as StepView | null };
  for (const step of steps) last[trackOf(step.fn)] = step;
  const newest = steps[steps.length - 1]?.seq ?? 0;
  const ticks = (fn: string, container?: string): Tick[] => {
    const taken = steps.filter((s) => s.fn === fn && (container === undefined || s.container === container));
    const count = Math.max(STEPS[fn] ?? 0, ...taken.map((s) => s.n));
    return Array.from({ length: count }, (_, i) => {
      const step = taken.findLast((s) => s.n === i + 1);
      return {
        n: i + 1,
        name: step?.name ?? '',
        done: step !== undefined,
        now: working && step !== undefined && step.seq === newest,
      };
    });
  };
  const fallback =
    { sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' }[workType] ?? 'SyncPod';
  const syncFn = last.sync?.fn ?? fallback;
  const runtimeFn = last.runtime?.fn ?? 'kuberuntime.SyncPod';
  return {
    syncFn,
    sync: ticks(syncFn),
    runtimeFn,
    runtime: ticks(runtimeFn),
    start: ticks('startContainer', last.start?.container ?? ''),
    startContainer: last.start?.container ?? '',
  };
}

/** What computePodActions said, in at most a few words; null before its first time. */
export function actionParts(actions: Json): ActionPart[] | null {
  const f = fields(actions);
  if (!f) return null;
  const names = (v: Json | undefined) =>
    list(v)
      .map((x) => textOf(x) || textOf(fields(x)?.name))
      .filter(Boolean)
      .join(' ');
  const parts: ActionPart[] = [];
  const kill = names(f.containersToKill);
  const reset = names(f.containersToReset);
  const init = names(f.initContainersToStart);
  const start = [names(f.ephemeralContainersToStart), names(f.containersToStart)].filter(Boolean).join(' ');
  // A first start says killPod too, with nothing to kill; then the sandbox is all there is to tell.
  if (f.killPod === true && (f.createSandbox !== true || textOf(f.sandboxID) !== ''))
    parts.push({ kind: 'killPod', names: '' });
  if (kill || reset) parts.push({ kind: 'kill', names: [kill, reset].filter(Boolean).join(' ') });
  if (f.createSandbox === true) parts.push({ kind: 'create', names: '' });
  if (init) parts.push({ kind: 'init', names: init });
  if (start) parts.push({ kind: 'start', names: start });
  return parts;
}

function newestCall(state: NodeState, uid: string): LanePart['call'] {
  let call = null as NodeState['cri']['recent'][number] | null;
  for (const key of Object.keys(state.cri.inFlight)) {
    const c = state.cri.inFlight[key];
    if (c && uidOfCall(state, c) === uid && (!call || c.seq > call.seq)) call = c;
  }
  for (let i = state.cri.recent.length - 1; i >= 0 && !call; i--) {
    const c = state.cri.recent[i];
    if (c && uidOfCall(state, c) === uid && !isListing(c.method)) call = c;
  }
  return call && { seq: call.seq, method: call.method, since: call.since, took: call.took, error: call.error };
}

function newestSandbox(state: NodeState, uid: string): SandboxGlyph | null {
  let best: SandboxView | null = null;
  for (const id of Object.keys(state.sandboxes)) {
    const s = state.sandboxes[id] as SandboxView;
    if (s.uid !== uid || s.state === 'removed') continue;
    if (!best || s.attempt > best.attempt || (s.attempt === best.attempt && s.since > best.since)) best = s;
  }
  if (!best) return null;
  const byName = new Map<string, ContainerView>();
  for (const id of Object.keys(state.containers)) {
    const c = state.containers[id] as ContainerView;
    if (c.sandbox !== best.id || c.state === 'removed') continue;
    const other = byName.get(c.name);
    if (!other || c.attempt > other.attempt) byName.set(c.name, c);
  }
  const backoffs = state.pods[uid]?.backoffs ?? {};
  return {
    id: best.id,
    state: best.state,
    attempt: best.attempt,
    ip: best.ip,
    containers: [...byName.values()].map((c) => {
      const b = backoffs[`crash-loop/${c.name}`];
      return {
        id: c.id,
        name: c.name,
        state: c.state === 'removed' ? 'unknown' : c.state,
        exitCode: c.exitCode,
        reason: c.reason,
        restarts: c.attempt,
        backoff: b?.active && c.state !== 'running' && b.until > state.time ? { delay: b.delay, until: b.until } : null,
      };
    }),
  };
}
