/** A pod's lane: worker, kuberuntime, CRI and what runs on the node, as plain values. */
import type { NodeState, PodView, SandboxView } from '@syncloop/core/trace';
import { useSession } from '../../../../run/session-store.js';
import { pendingField } from '../../../../run/source-names.js';
import { shortPod } from '../../../../units/text.js';
import { type LaneIndex, laneIndex } from './lanes-index.js';
import { type ActionPart, actionParts, type PodPlan, planOf } from './lanes-plan.js';
import { type StepTracks, stepTracks } from './lanes-steps.js';

export { type Tick, trackOf } from './lanes-steps.js';

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
export interface LaneCall {
  readonly seq: number;
  readonly method: string;
  readonly since: number;
  readonly took: number | null;
  readonly error: string;
}
export interface LanePart extends StepTracks {
  readonly uid: string;
  readonly pod: string;
  /** Another pod of the same name has a lane: a changed static pod is a new pod. */
  readonly twin: boolean;
  readonly desired: boolean;
  readonly phase: string;
  readonly reason: string;
  readonly state: string;
  readonly pending: string;
  /** The field in which it waits, as the version's source names it; '' if the version is not known. */
  readonly pendingField: string;
  readonly overwrites: number;
  readonly working: boolean;
  readonly workType: string;
  readonly newerThan: number | null;
  readonly due: number | null;
  readonly error: string;
  readonly actions: readonly ActionPart[] | null;
  readonly plan: PodPlan | null;
  /** The newest. */
  readonly call: LaneCall | null;
  /** The newest few, newest first. */
  readonly calls: readonly LaneCall[];
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
/** The activity of a pod in the strip. */
export type Heat = 'waiting' | 'working' | 'running' | 'failing' | 'ending' | 'done';

/** Pods in the order in which they came; those that only have a past go last and then vanish with the sweep. */
export function laneOrder(state: NodeState): string[] {
  let there: Set<string> | null = null;
  const order: string[] = [];
  for (const uid of Object.keys(state.pods)) {
    const p = state.pods[uid] as PodView;
    const works = p.worker && p.worker.state !== 'removed' && p.worker.state !== 'finished';
    if (!p.desired && !works) {
      there ??= withSandbox(state);
      if (!there.has(uid)) continue;
    }
    order.push(uid);
  }
  return order;
}
function withSandbox(state: NodeState): Set<string> {
  const there = new Set<string>();
  for (const id of Object.keys(state.sandboxes)) {
    const s = state.sandboxes[id] as SandboxView;
    if (s.state !== 'removed') there.add(s.uid);
  }
  return there;
}

/** `index` is of the same state; a caller with several lanes makes it once. */
export function lanePart(state: NodeState, uid: string, index: LaneIndex = laneIndex(state)): LanePart | null {
  const pod = state.pods[uid];
  if (!pod) return null;
  const { worker } = pod;
  const tracks = stepTracks(
    pod.steps,
    worker?.working ?? false,
    worker?.workType ?? 'sync',
    useSession.getState().info?.era,
  );
  const sandbox = sandboxGlyph(state, uid, index);
  const shown = new Set(sandbox?.containers.map((c) => c.name));
  const calls = (index.calls.get(uid) ?? []).map((c) => ({
    seq: c.seq,
    method: c.method,
    since: c.since,
    took: c.took,
    error: c.error,
  }));
  return {
    uid,
    pod: shortPod(pod.pod),
    twin: index.twins.has(pod.pod),
    desired: pod.desired,
    phase: pod.phase,
    reason: pod.reason,
    state: worker?.state ?? '',
    pending: worker?.pending ?? '',
    pendingField: pendingField(useSession.getState().info?.era) ?? '',
    overwrites: worker?.overwrites ?? 0,
    working: worker?.working ?? false,
    workType: worker?.workType ?? 'sync',
    newerThan: worker?.waitsForNewerThan ?? null,
    due: worker?.due ?? null,
    error: worker?.lastError ?? '',
    ...tracks,
    actions: actionParts(pod.actions),
    plan: planOf(pod.actions),
    call: calls[0] ?? null,
    calls,
    sandbox,
    waiting: Object.values(pod.backoffs)
      .filter((b) => b.active && b.until > state.time && !(b.of === 'crash-loop' && shown.has(b.container)))
      .map((b) => ({ container: b.container, of: b.of, delay: b.delay, until: b.until })),
    heat: heatOf(pod, sandbox?.state ?? null),
  };
}

export function heatOf(pod: PodView, sandbox: SandboxView['state'] | null): Heat {
  const { worker } = pod;
  if (!worker) return 'waiting';
  if (worker.state === 'finished' || worker.state === 'removed' || worker.state === 'terminated') return 'done';
  if (worker.state === 'terminating') return 'ending';
  if (worker.lastError !== '') return 'failing';
  if (worker.working) return 'working';
  return pod.phase === 'Running' && sandbox === 'ready' ? 'running' : 'waiting';
}

function sandboxGlyph(state: NodeState, uid: string, index: LaneIndex): SandboxGlyph | null {
  const best = index.sandboxes.get(uid);
  if (!best) return null;
  const backoffs = state.pods[uid]?.backoffs ?? {};
  return {
    id: best.id,
    state: best.state,
    attempt: best.attempt,
    ip: best.ip,
    containers: (index.containers.get(best.id) ?? []).map((c) => {
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
