import type { ContainerView, GoroutineView, Micros, NodeState, PodView, SandboxView, Wait } from '../../trace/index.js';

/** The node at one moment as one reads it: what belongs together is together, in a fixed order, ids as names. */
export interface NodeSnapshot {
  readonly seq: number;
  readonly time: Micros;
  readonly loop: { readonly phase: string; readonly iteration: number; readonly handler: string };
  readonly sources: readonly { readonly source: string; readonly ready: boolean; readonly pods: readonly string[] }[];
  readonly channels: readonly ChannelSnapshot[];
  readonly goroutines: readonly GoroutineSnapshot[];
  readonly pods: readonly PodSnapshot[];
  /** Sandboxes and containers of pods that the node does not know (any more). */
  readonly orphans: readonly SandboxSnapshot[];
  readonly images: readonly { readonly image: string; readonly state: string }[];
  readonly cri: readonly {
    readonly seq: number;
    readonly method: string;
    readonly uid: string;
    readonly age: Micros;
  }[];
  readonly runtime: NodeState['runtime'];
}
export interface ChannelSnapshot {
  readonly id: number;
  readonly name: string;
  readonly len: number;
  readonly cap: number;
  readonly closed: boolean;
  /** Names of the goroutines that wait. */
  readonly receivers: readonly string[];
  readonly senders: readonly string[];
}
export interface GoroutineSnapshot {
  readonly id: number;
  readonly name: string;
  readonly process: string;
  readonly state: GoroutineView['state'];
  /** `receive plegCh`, `sleep until 12000000`, `lock podLock`; '' while it does not wait. */
  readonly wait: string;
  /** How long it is in this state. */
  readonly age: Micros;
  /** Outermost first. */
  readonly stack: readonly string[];
}
export interface SandboxSnapshot extends SandboxView {
  readonly containers: readonly ContainerView[];
}
export interface PodSnapshot {
  readonly uid: string;
  readonly pod: string;
  readonly desired: boolean;
  readonly source: string;
  readonly phase: string;
  readonly statusVersion: number;
  readonly worker: PodView['worker'];
  readonly cache: PodView['cache'];
  /** Newest first. */
  readonly sandboxes: readonly SandboxSnapshot[];
  /** `left`: what remains of it, 0 when it is over. */
  readonly backoffs: readonly (PodView['backoffs'][string] & { readonly left: Micros })[];
  readonly probes: readonly PodView['probes'][string][];
}

/** The parts are shared with the state: to keep it while the state grows, copy it. */
export function snapshotNode(state: NodeState): NodeSnapshot {
  const { seq, time, loop } = state;
  const name = (g: number): string => state.goroutines[g]?.name ?? `goroutine ${g}`;
  const sandboxes = sandboxesByPod(state);
  const pods = Object.values(state.pods)
    .sort((a, b) => order(a.pod, b.pod) || order(a.uid, b.uid))
    .map((pod) => podSnapshot(pod, sandboxes.get(pod.uid) ?? [], time));
  return {
    seq,
    time,
    loop: { phase: loop.phase, iteration: loop.iteration, handler: loop.handler },
    sources: Object.values(state.sources)
      .sort((a, b) => order(a.source, b.source))
      .map((s) => ({ source: s.source, ready: s.ready, pods: s.pods.map((p) => p.pod) })),
    channels: Object.values(state.channels)
      .sort((a, b) => a.id - b.id)
      .map((c) => ({
        id: c.id,
        name: c.name,
        len: c.items.length,
        cap: c.cap,
        closed: c.closed,
        receivers: c.receivers.map(name),
        senders: c.senders.map((s) => name(s.g)),
      })),
    goroutines: Object.values(state.goroutines)
      .sort((a, b) => a.id - b.id)
      .map((g) => ({
        id: g.id,
        name: g.name,
        process: g.process,
        state: g.state,
        wait: g.wait ? waitText(g.wait, state) : '',
        age: time - g.since,
        stack: g.stack.map((f) => f.fn),
      })),
    pods,
    orphans: [...sandboxes].filter(([uid]) => !Object.hasOwn(state.pods, uid)).flatMap(([, list]) => list),
    images: Object.values(state.images)
      .sort((a, b) => order(a.image, b.image))
      .map((i) => ({ image: i.image, state: i.state })),
    cri: Object.values(state.cri.inFlight)
      .sort((a, b) => a.seq - b.seq)
      .map((c) => ({ seq: c.seq, method: c.method, uid: c.uid, age: time - c.since })),
    runtime: state.runtime,
  };
}

function podSnapshot(pod: PodView, sandboxes: readonly SandboxSnapshot[], now: Micros): PodSnapshot {
  const { uid, desired, source, phase, statusVersion, worker, cache } = pod;
  return {
    uid,
    pod: pod.pod,
    desired,
    source,
    phase,
    statusVersion,
    worker,
    cache,
    sandboxes,
    backoffs: Object.keys(pod.backoffs)
      .sort()
      .map((key) => {
        const b = pod.backoffs[key] as PodView['backoffs'][string];
        return { ...b, left: b.active ? Math.max(0, b.until - now) : 0 };
      }),
    probes: Object.keys(pod.probes)
      .sort()
      .map((key) => pod.probes[key] as PodView['probes'][string]),
  };
}

/** Containers whose sandbox is gone are in one of that id, removed. */
function sandboxesByPod(state: NodeState): Map<string, SandboxSnapshot[]> {
  const inside = new Map<string, ContainerView[]>();
  for (const container of Object.values(state.containers)) push(inside, container.sandbox, container);
  const out = new Map<string, SandboxSnapshot[]>();
  for (const list of inside.values()) list.sort((a, b) => order(a.name, b.name) || a.attempt - b.attempt);
  for (const sandbox of Object.values(state.sandboxes))
    push(out, sandbox.uid, { ...sandbox, containers: inside.get(sandbox.id) ?? [] });
  for (const [id, containers] of inside) {
    const [first] = containers;
    if (!first || Object.hasOwn(state.sandboxes, id)) continue;
    const pod = Object.hasOwn(state.pods, first.uid) ? (state.pods[first.uid]?.pod ?? '') : '';
    push(out, first.uid, {
      id,
      uid: first.uid,
      pod,
      attempt: 0,
      state: 'removed',
      ip: '',
      since: first.since,
      containers,
    });
  }
  for (const list of out.values()) list.sort((a, b) => b.attempt - a.attempt || b.since - a.since);
  return out;
}

function waitText(on: Wait, state: NodeState): string {
  if (on.until !== undefined) return `${on.op} until ${on.until}`;
  const chans = on.chans?.map((id) => (id === 0 ? 'nil' : (state.channels[id]?.name ?? `chan ${id}`))) ?? [];
  return [on.op, ...(on.name === undefined ? [] : [on.name]), chans.join(', ')].filter((s) => s !== '').join(' ');
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
