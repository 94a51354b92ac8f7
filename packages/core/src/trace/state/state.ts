import type { Json, Micros, RecordOf, Seq } from '../records.js';
import { type APIView, copyAPI, initialAPI } from './api.js';
import type { SourceState } from './config.js';
import { type EvictionView, initialEviction } from './eviction.js';
import {
  type ChannelState,
  copyChannel,
  copyGoroutine,
  type GoroutineView,
  initialLoop,
  type LoopState,
} from './kernel.js';
import { emptyMap, mapValues, shallow } from './maps.js';
import { copyNode, initialNode, type NodeView } from './node.js';
import { copyPod, type PodView } from './pods.js';
import {
  type ContainerView,
  type CRIView,
  copyCRI,
  copyPleg,
  initialCRI,
  initialPleg,
  initialRuntime,
  type PlegView,
  type RuntimeView,
  type SandboxView,
} from './runtime.js';
import { initialStartup, type StartupViews } from './startup.js';

/**
 * The node as the records tell it, at one moment. Keys are ids as text. Plain JSON: it can be hashed, sent and
 * compared. Its maps have no prototype, for uids and names come from outside; after a trip as JSON, `cloneState` makes
 * them so again.
 */
export interface NodeState {
  /** Last record folded in, and its time. */
  seq: Seq;
  time: Micros;
  channels: Record<string, ChannelState>;
  goroutines: Record<string, GoroutineView>;
  processes: Record<string, RecordOf<'process'>['state']>;
  /** Process that started last: what is made outside any goroutine is taken to be its own. */
  startedLast: string;
  /**
   * The runtime tells its own facts (a mock): sandboxes, containers and images are those, not what the kubelet
   * observed.
   */
  actual: boolean;
  /** The calls that the kubelet has begun its work with. */
  startup: StartupViews;
  loop: LoopState;
  sources: Record<string, SourceState>;
  /** By uid: everything that is or was lately known of a pod. */
  pods: Record<string, PodView>;
  /** By id, what is (mock) or what was last observed (real runtime). */
  sandboxes: Record<string, SandboxView>;
  containers: Record<string, ContainerView>;
  images: Record<string, { image: string; state: string; error?: string }>;
  pleg: PlegView;
  cri: CRIView;
  runtime: RuntimeView;
  node: NodeView;
  eviction: EvictionView;
  api: APIView;
  /** The cgroups that the kubelet created, with their settings, by path: bytes, shares, microseconds. */
  cgroups: Record<string, Readonly<Record<string, Json>>>;
  /** Newest last, bounded. */
  events: RecordOf<'kube-event'>[];
  /** `nextSweep`: of a large state, the records after which it is swept again. */
  counts: { records: number; iterations: number; selects: number; nextSweep?: number };
}

/** The state before the first record. */
export function initialState(): NodeState {
  return {
    seq: 0,
    time: 0,
    channels: emptyMap(),
    goroutines: emptyMap(),
    processes: emptyMap(),
    startedLast: '',
    actual: false,
    startup: initialStartup(),
    loop: initialLoop(),
    sources: emptyMap(),
    pods: emptyMap(),
    sandboxes: emptyMap(),
    containers: emptyMap(),
    images: emptyMap(),
    pleg: initialPleg(),
    cri: initialCRI(),
    runtime: initialRuntime(),
    node: initialNode(),
    eviction: initialEviction(),
    api: initialAPI(),
    cgroups: emptyMap(),
    events: [],
    counts: { records: 0, iterations: 0, selects: 0 },
  };
}

/**
 * Returns a copy that later folding into either does not touch. Values from records (items, statuses) are shared: they
 * never change.
 */
export function cloneState(state: NodeState): NodeState {
  return {
    seq: state.seq,
    time: state.time,
    channels: mapValues(state.channels, copyChannel),
    goroutines: mapValues(state.goroutines, copyGoroutine),
    processes: mapValues(state.processes, (p) => p),
    startedLast: state.startedLast,
    actual: state.actual,
    // Recordings of earlier versions have none.
    startup: mapValues(state.startup ?? initialStartup(), shallow),
    loop: { ...state.loop },
    sources: mapValues(state.sources, shallow),
    pods: mapValues(state.pods, copyPod),
    sandboxes: mapValues(state.sandboxes, shallow),
    containers: mapValues(state.containers, shallow),
    images: mapValues(state.images, shallow),
    pleg: copyPleg(state.pleg),
    cri: copyCRI(state.cri),
    runtime: { ...state.runtime },
    node: copyNode(state.node),
    eviction: { ...state.eviction },
    api: copyAPI(state.api),
    cgroups: mapValues(state.cgroups, shallow),
    events: [...state.events],
    counts: { ...state.counts },
  };
}
