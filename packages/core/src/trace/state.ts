import type {
  EvictionSignal,
  Json,
  Micros,
  ObservedContainer,
  ProbeType,
  RecordOf,
  Seq,
  UpdateType,
  Wait,
  WorkerState,
} from './records.js';
import { initialEviction } from './reduce-eviction.js';

/**
 * The node as the records tell it, at one moment. Keys are ids as text. Plain JSON: it can be hashed, sent and compared.
 * Its maps have no prototype, for uids and names come from outside; after a trip as JSON, `cloneState` makes them so again.
 */
export interface NodeState {
  /** Last record folded in, and its time. */
  seq: Seq;
  time: Micros;
  channels: Record<string, ChannelState>;
  goroutines: Record<string, GoroutineView>;
  processes: Record<string, 'started' | 'stopped' | 'killed'>;
  /** Process that started last: what is made outside any goroutine is taken to be its own. */
  startedLast: string;
  /** The runtime tells its own facts (a mock): sandboxes, containers and images are those, not what the kubelet observed. */
  actual: boolean;
  loop: LoopState;
  sources: Record<string, SourceState>;
  /** By uid: everything that is or was lately known of a pod. */
  pods: Record<string, PodView>;
  /** By id, what is (mock) or what was last observed (real runtime). */
  sandboxes: Record<string, SandboxView>;
  containers: Record<string, ContainerView>;
  images: Record<string, { image: string; state: string; error?: string }>;
  pleg: { relists: number; lastRelist: Micros; lastSeq: Seq; transitions: PlegTransition[] };
  cri: { inFlight: Record<string, CRICallView>; calls: number; errors: number; recent: CRICallView[] };
  runtime: { errors: readonly string[]; networkError: string; backoff: Micros };
  node: NodeView;
  eviction: EvictionView;
  /** Requests to the API server: by id those under way and the open watches; `recent` newest last, bounded. */
  api: {
    inFlight: Record<string, APIRequestView>;
    watches: Record<string, { id: number; resource: string; namespace: string; since: Micros }>;
    requests: number;
    errors: number;
    recent: APIRequestView[];
  };
  /** What the kubelet made and set, by path: bytes, shares, microseconds. */
  cgroups: Record<string, Readonly<Record<string, Json>>>;
  /** Newest last, bounded. */
  events: RecordOf<'kube-event'>[];
  counts: { records: number; iterations: number; selects: number };
}

/** What the eviction manager saw and did last. */
export interface EvictionView {
  signals: readonly EvictionSignal[];
  /** The node's, as it has them now. */
  conditions: readonly string[];
  /** What it acted for last, '' before. */
  resource: string;
  /** The first to go first. */
  ranked: readonly { pod: string; uid: string; priority: number; usage?: number; request: number }[];
  /** Whom it evicted last. */
  victim: {
    pod: string;
    uid: string;
    message: string;
    state: 'dying' | 'dead' | 'gone';
    error: string;
    since: Micros;
  } | null;
  /** How many it evicted. */
  evictions: number;
}

/** What the kubelet says of its node, and which of its parts run. */
export interface NodeView {
  /** By name. */
  managers: Record<string, { name: string; state: 'started' | 'stopped' | 'failed'; detail: string; since: Micros }>;
  /** By type. */
  conditions: Record<string, { type: string; status: string; reason: string; message: string; since: Micros }>;
  /** '' until it said anything. */
  name: string;
  addresses: readonly { readonly type: string; readonly address: string }[];
  capacity: { readonly [resource: string]: string };
  allocatable: { readonly [resource: string]: string };
  /** With an API server only. */
  registered: boolean;
  /** Times that the status was sent, and the last of them; null before. */
  reports: number;
  lastReport: Micros | null;
  /** Null before the first. */
  lease: { renewals: number; lastRenewal: Micros; lastError: string } | null;
}
export interface ChannelState {
  id: number;
  name: string;
  cap: number;
  closed: boolean;
  /** Oldest first. */
  items: { seq: Seq; item: Json }[];
  /** Goroutines that wait to receive, and to send. */
  receivers: number[];
  senders: { g: number; item: Json }[];
  sent: number;
  received: number;
  /** Process that it belongs to, '' when none is known. */
  process: string;
  /** Last operation on it. */
  lastTime: Micros;
}
export interface GoroutineView {
  id: number;
  name: string;
  process: string;
  state: 'runnable' | 'waiting' | 'dead';
  wait: Wait | null;
  since: Micros;
  /** Named calls, outermost first. */
  stack: { seq: Seq; fn: string; args: Json }[];
  /** Pod whose worker it is, '' for other goroutines. */
  uid: string;
}
export interface LoopState {
  /** Goroutine that runs syncLoop, 0 before. */
  g: number;
  phase: 'off' | 'waiting' | 'handling' | 'backoff';
  iteration: number;
  /** Channel names in select order, those ready and the one taken at the last select; positions into `cases`. */
  cases: string[];
  ready: number[];
  chosen: number;
  chosenSeq: Seq;
  /** Handler that runs now, '' when none. */
  handler: string;
  handlerArgs: Json;
}
export interface SourceState {
  source: string;
  pods: { pod: string; uid: string }[];
  seen: boolean;
  ready: boolean;
  errors: readonly string[];
}
export interface StepView {
  fn: string;
  n: number;
  name: string;
  container: string;
  seq: Seq;
  time: Micros;
}
export interface PodView {
  uid: string;
  pod: string;
  /** In the desired set: the config has it. */
  desired: boolean;
  source: string;
  worker: WorkerView | null;
  phase: string;
  reason: string;
  status: Json;
  statusVersion: number;
  /** Last computePodActions. */
  actions: Json;
  /** Steps of the current (or last) sync, in the order taken. */
  steps: StepView[];
  cache: {
    time: Micros;
    sandboxes: readonly ObservedContainer[];
    containers: readonly ObservedContainer[];
    error: string;
  } | null;
  backoffs: Record<string, { of: string; container: string; delay: Micros; until: Micros; active: boolean }>;
  probes: Record<
    string,
    {
      container: string;
      probeType: ProbeType;
      outcome: string;
      output: string;
      run: number;
      threshold: number;
      result: string;
      time: Micros;
    }
  >;
  /** By name: what the pod's containers mount, as far as anything was done about it. */
  volumes: Record<string, VolumeView>;
  lastSeq: Seq;
  lastTime: Micros;
}
export interface VolumeView {
  volume: string;
  plugin: string;
  /** `uncertain`: it may be mounted, or half. */
  state: 'waiting' | 'mounting' | 'mounted' | 'unmounting' | 'uncertain';
  /** Of the last try, '' where it worked. */
  error: string;
  failures: number;
  time: Micros;
}
export interface WorkerView {
  state: WorkerState;
  /** Update that waits in the one slot, null when none. */
  pending: UpdateType | null;
  overwrites: number;
  working: boolean;
  workType: 'sync' | 'terminating' | 'terminated';
  /** Set while it waits in GetNewerThan. */
  waitsForNewerThan: Micros | null;
  /** Next time from the work queue, null when not queued. */
  due: Micros | null;
  lastError: string;
  syncs: number;
}
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

/** A map whose keys come from outside: nothing is inherited, `__proto__` is a key like any other. */
export function emptyMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** A request to the API server. `code` is 0 until an answer came, and where none did; `took` null while it is under way. */
export interface APIRequestView {
  id: number;
  seq: Seq;
  verb: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  since: Micros;
  took: Micros | null;
  code: number;
  error: string;
}
export const initialAPI = (): NodeState['api'] => ({
  inFlight: emptyMap(),
  watches: emptyMap(),
  requests: 0,
  errors: 0,
  recent: [],
});

/** Before a kubelet has said anything. */
export const initialNode = (): NodeView => ({
  managers: emptyMap(),
  conditions: emptyMap(),
  name: '',
  addresses: [],
  capacity: {},
  allocatable: {},
  registered: false,
  reports: 0,
  lastReport: null,
  lease: null,
});

/** Before the first record. */
export function initialState(): NodeState {
  return {
    seq: 0,
    time: 0,
    channels: emptyMap(),
    goroutines: emptyMap(),
    processes: emptyMap(),
    startedLast: '',
    actual: false,
    loop: {
      g: 0,
      phase: 'off',
      iteration: 0,
      cases: [],
      ready: [],
      chosen: -1,
      chosenSeq: 0,
      handler: '',
      handlerArgs: null,
    },
    sources: emptyMap(),
    pods: emptyMap(),
    sandboxes: emptyMap(),
    containers: emptyMap(),
    images: emptyMap(),
    pleg: { relists: 0, lastRelist: 0, lastSeq: 0, transitions: [] },
    cri: { inFlight: emptyMap(), calls: 0, errors: 0, recent: [] },
    runtime: { errors: [], networkError: '', backoff: 0 },
    node: initialNode(),
    eviction: initialEviction(),
    api: initialAPI(),
    cgroups: emptyMap(),
    events: [],
    counts: { records: 0, iterations: 0, selects: 0 },
  };
}

const mapValues = <T>(map: Readonly<Record<string, T>>, copy: (value: T) => T): Record<string, T> => {
  const out = emptyMap<T>();
  for (const key of Object.keys(map)) out[key] = copy(map[key] as T);
  return out;
};
const shallow = <T extends object>(value: T): T => ({ ...value });

/** A copy that later folding into either does not touch. What records brought (items, statuses) is shared: it never changes. */
export function cloneState(state: NodeState): NodeState {
  return {
    seq: state.seq,
    time: state.time,
    channels: mapValues(state.channels, (c) => ({
      ...c,
      items: [...c.items],
      receivers: [...c.receivers],
      senders: [...c.senders],
    })),
    goroutines: mapValues(state.goroutines, (g) => ({ ...g, stack: [...g.stack] })),
    processes: mapValues(state.processes, (p) => p),
    startedLast: state.startedLast,
    actual: state.actual,
    loop: { ...state.loop },
    sources: mapValues(state.sources, shallow),
    pods: mapValues(state.pods, (p) => ({
      ...p,
      worker: p.worker && { ...p.worker },
      steps: [...p.steps],
      backoffs: mapValues(p.backoffs, shallow),
      probes: mapValues(p.probes, shallow),
      volumes: mapValues(p.volumes, shallow),
    })),
    sandboxes: mapValues(state.sandboxes, shallow),
    containers: mapValues(state.containers, shallow),
    images: mapValues(state.images, shallow),
    pleg: { ...state.pleg, transitions: state.pleg.transitions.map(shallow) },
    cri: { ...state.cri, inFlight: mapValues(state.cri.inFlight, shallow), recent: [...state.cri.recent] },
    runtime: { ...state.runtime },
    node: {
      ...state.node,
      managers: mapValues(state.node.managers, shallow),
      conditions: mapValues(state.node.conditions, shallow),
      lease: state.node.lease && { ...state.node.lease },
    },
    eviction: { ...state.eviction },
    api: {
      ...state.api,
      inFlight: mapValues(state.api.inFlight, shallow),
      watches: mapValues(state.api.watches, shallow),
      recent: [...state.api.recent],
    },
    cgroups: mapValues(state.cgroups, shallow),
    events: [...state.events],
    counts: { ...state.counts },
  };
}
