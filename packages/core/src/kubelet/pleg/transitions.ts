import type { RuntimeContainer, RuntimePod, State } from '../container/types.js';
import type { KubeletParts } from '../parts/types.js';
import type { PodLifeCycleEventType } from './types.js';

/** upstream: pkg/kubelet/pleg/generic.go plegContainerState */
export type PlegContainerState = 'running' | 'exited' | 'unknown' | 'non-existent';

/** A container, or sandbox, that is in another state than in the list before. */
export interface Transition {
  readonly id: string;
  readonly name: string;
  readonly sandbox: boolean;
  readonly old: PlegContainerState;
  readonly new: PlegContainerState;
}

export interface PlegEvent {
  readonly id: string;
  readonly type: PodLifeCycleEventType;
  readonly data: string;
  /** The transition that caused it; null for PodSync. */
  readonly transition: Transition | null;
}

/** Created counts as unknown (fidelity 1:P02). upstream: convertState */
const convertState = (state: State): PlegContainerState => (state === 'created' ? 'unknown' : state);

/** upstream: generateEvents, the event types for one change */
export function eventTypes(old: PlegContainerState, now: PlegContainerState): PodLifeCycleEventType[] {
  if (old === now) return [];
  switch (now) {
    case 'running':
      return ['ContainerStarted'];
    case 'exited':
      return ['ContainerDied'];
    case 'unknown':
      return ['ContainerChanged'];
    case 'non-existent':
      // A container that was seen exited has been reported as died.
      return old === 'exited' ? ['ContainerRemoved'] : ['ContainerDied', 'ContainerRemoved'];
  }
}

/**
 * Returns the changes between two listings of a pod (either may be missing), in upstream's order: the old listing's
 * containers and sandboxes, then what only the new one has. Sandboxes count as containers (fidelity 1:P03).
 * upstream: getContainersFromPods, computeEvents
 */
export function podEvents(
  uid: string,
  oldPod: RuntimePod | null,
  pod: RuntimePod | null,
): { transitions: Transition[]; events: PlegEvent[] } {
  // Most pods are as they were at most times.
  if (oldPod && pod && sameStates(oldPod.containers, pod.containers) && sameStates(oldPod.sandboxes, pod.sandboxes))
    return { transitions: [], events: [] };
  const before = states(oldPod);
  const after = states(pod);
  const transitions: Transition[] = [];
  const events: PlegEvent[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(id);
    const is = after.get(id);
    const old = was ? convertState(was.container.state) : 'non-existent';
    const now = is ? convertState(is.container.state) : 'non-existent';
    if (old === now) continue;
    const entry = (is ?? was) as Entry;
    const transition: Transition = { id, name: entry.container.name, sandbox: entry.sandbox, old, new: now };
    transitions.push(transition);
    for (const type of eventTypes(old, now)) events.push({ id: uid, type, data: id, transition });
  }
  return { transitions, events };
}

/** The same with the events of a replaced part; transitions are facts and remain. */
export function podEventsBy(
  part: NonNullable<KubeletParts['plegEvents']>,
  uid: string,
  oldPod: RuntimePod | null,
  pod: RuntimePod | null,
): { transitions: Transition[]; events: PlegEvent[] } {
  const { transitions } = podEvents(uid, oldPod, pod);
  const events = part(uid, oldPod, pod).map(({ type, data }) => ({
    id: uid,
    type,
    data,
    transition: transitions.find((t) => t.id === data) ?? null,
  }));
  return { transitions, events };
}

interface Entry {
  readonly container: RuntimeContainer;
  readonly sandbox: boolean;
}

function sameStates(a: readonly RuntimeContainer[], b: readonly RuntimeContainer[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as RuntimeContainer;
    const y = b[i] as RuntimeContainer;
    if (x !== y && (x.id.id !== y.id.id || x.state !== y.state)) return false;
  }
  return true;
}

function states(pod: RuntimePod | null): Map<string, Entry> {
  const map = new Map<string, Entry>();
  if (!pod) return map;
  for (const container of pod.containers) map.set(container.id.id, { container, sandbox: false });
  for (const container of pod.sandboxes)
    if (!map.has(container.id.id)) map.set(container.id.id, { container, sandbox: true });
  return map;
}
