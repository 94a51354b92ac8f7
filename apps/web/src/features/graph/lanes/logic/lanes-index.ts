/** The data that lanes need about each pod, gathered in one pass over the state. */
import {
  type ContainerView,
  type CRICallView,
  isListing,
  type NodeState,
  type SandboxView,
} from '@syncloop/core/trace';
import { uidOfCall } from '../../../../run/calls.js';

/** An index of the state by uid. It refers to the state, which goes on changing: valid for one publication. */
export interface LaneIndex {
  /** The newest sandbox that was not removed. */
  readonly sandboxes: ReadonlyMap<string, SandboxView>;
  /** The newest instance of each container by sandbox id, in the order of creation. */
  readonly containers: ReadonlyMap<string, readonly ContainerView[]>;
  /** Calls under way first, then those that changed something, newest first; at most `CALLS_SHOWN`. */
  readonly calls: ReadonlyMap<string, readonly CRICallView[]>;
  /** Names that several pods with a worker have: a changed static pod is a new pod. */
  readonly twins: ReadonlySet<string>;
}

export const CALLS_SHOWN = 12;

export function laneIndex(state: NodeState): LaneIndex {
  return { ...actual(state), calls: callsByPod(state), twins: twins(state) };
}

function actual(state: NodeState): Pick<LaneIndex, 'sandboxes' | 'containers'> {
  const sandboxes = new Map<string, SandboxView>();
  for (const id of Object.keys(state.sandboxes)) {
    const s = state.sandboxes[id] as SandboxView;
    if (s.state === 'removed') continue;
    const best = sandboxes.get(s.uid);
    if (!best || s.attempt > best.attempt || (s.attempt === best.attempt && s.since > best.since))
      sandboxes.set(s.uid, s);
  }
  const containers = new Map<string, ContainerView[]>();
  for (const id of Object.keys(state.containers)) {
    const c = state.containers[id] as ContainerView;
    if (c.state === 'removed') continue;
    let list = containers.get(c.sandbox);
    if (!list) {
      list = [];
      containers.set(c.sandbox, list);
    }
    const at = list.findIndex((other) => other.name === c.name);
    if (at < 0) list.push(c);
    else if (c.attempt > (list[at] as ContainerView).attempt) list[at] = c;
  }
  return { sandboxes, containers };
}

function callsByPod(state: NodeState): Map<string, CRICallView[]> {
  const calls = new Map<string, CRICallView[]>();
  const add = (c: CRICallView) => {
    const uid = uidOfCall(state, c);
    if (uid === '') return;
    const list = calls.get(uid);
    if (!list) calls.set(uid, [c]);
    else if (list.length < CALLS_SHOWN) list.push(c);
  };
  const open = Object.keys(state.cri.inFlight).map((key) => state.cri.inFlight[key] as CRICallView);
  for (const c of open.sort((a, b) => b.seq - a.seq)) add(c);
  const { recent } = state.cri;
  for (let i = recent.length - 1; i >= 0; i--) {
    const c = recent[i] as CRICallView;
    if (!isListing(c.method)) add(c);
  }
  return calls;
}

function twins(state: NodeState): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const uid of Object.keys(state.pods)) {
    const p = state.pods[uid];
    if (!p?.worker || p.worker.state === 'removed') continue;
    if (seen.has(p.pod)) twice.add(p.pod);
    seen.add(p.pod);
  }
  return twice;
}
