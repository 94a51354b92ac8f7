/**
 * The places in the graph of records and of goroutines, on each level. Pure: callers pass in the state of the run.
 */
import { type NodeState, type Place, placeOf, type TraceRecord } from '@syncloop/core/trace';
import { uidOfCall } from '../../../run/calls.js';
import { CHANNELS, type ChannelKey, handlerIndex, keyOfChannel } from '../../../run/loop.js';
import { POD_KILLING_CHANNEL } from '../../../run/pod-killer.js';
import { channelRect, columnRect, handlerRect, type NodeKey } from '../geometry/geometry.js';
import type { ExtraKey } from '../geometry/geometry-everything.js';
import { type Arrangement, LAYOUTS, rectOf } from '../geometry/geometry-levels.js';
import type { Rect } from '../geometry/geometry-paths.js';
import type { StoryBox } from '../geometry/geometry-story.js';

export type LaneColumn = 'all' | 'worker' | 'runtime' | 'call' | 'node';
export type Spot =
  | { readonly at: 'box'; readonly id: Exclude<NodeKey, 'channels' | 'handlers' | 'lanes'> | ExtraKey | 'podKiller' }
  | { readonly at: 'channel'; readonly key: ChannelKey }
  | { readonly at: 'handler'; readonly index: number }
  | { readonly at: 'lane'; readonly uid: string; readonly column: LaneColumn };

const box = (id: Extract<Spot, { at: 'box' }>['id']): Spot => ({ at: 'box', id });
const lane = (uid: string, column: LaneColumn): Spot => ({ at: 'lane', uid, column });

/** Goroutines by the beginning of their names. */
const GOROUTINES: readonly (readonly [RegExp, Spot])[] = [
  [/^syncLoop/, box('select')],
  [/^mux /, box('podConfig')],
  [/^sourceFile/, box('file')],
  [/^source(HTTP|URL)/i, box('http')],
  [/^sourceApiserver/, box('api')],
  [/PLEG$/i, box('pleg')],
  [/^statusManager/, box('status')],
  [/^probe /, box('probes')],
  // What it starts for each pod works in the pod's lane.
  [/^podKiller$/, box('podKiller')],
  [/^updateRuntimeUp/, box('runtimeUp')],
  [/^(imageGC|imageDetector|imageCache|processImagePullRequests|pullImage)/, box('images')],
  [/^containerGC/, box('containerGC')],
  [
    /^(desiredStateOfWorldPopulator|volumeReconciler|volume_(un)?mount|verify_controller_attached_volume)$/,
    box('volumes'),
  ],
  [/^((configmap|secret) recycleIdleWatch|token cleanup)$/, box('volumes')],
  [/^podContainerDeletor/, box('deletor')],
  [/^containerLogManager/, box('logs')],
  [/^allocationManager/, box('allocation')],
  [/^evictionManager/, box('eviction')],
  [/^resourceAnalyzer/, box('stats')],
  [/^oomWatcher/, box('oom')],
  [/^(nodeShutdownManager|shutdown(Pod|Group))/, box('shutdown')],
  [/^(qosContainerManager|enforceNodeAllocatable|destroy pod cgroup)/, box('cgroups')],
  [
    /^(devicePlugin(Registration|Client)|Register$|resourceUpdates|plugin(Manager|Watcher|Reconciler)|(un)?registerPlugin)/,
    box('devices'),
  ],
  [/^(nodeStatus|fastStatusUpdateOnce)$/, box('node')],
  [/^nodeLease$/, box('lease')],
  [/^eventBroadcaster/, box('events')],
  [/^informer /, box('apiServer')],
  [/^(kubelet$|fastStaticPodsRegistration|initializeCSINode$)/, box('startup')],
];

/** The place at which a goroutine works; null for one that has no place of its own. */
export function spotOfGoroutine(state: NodeState, name: string): Spot | null {
  for (const [test, spot] of GOROUTINES) if (test.test(name)) return spot;
  const full = name.match(/\S+\/\S+/)?.[0];
  if (!full) return null;
  // `podWorker default/web`, `killContainer default/web/app`: the newest pod of that name.
  const pod = Object.values(state.pods).findLast((p) => full === p.pod || full.startsWith(`${p.pod}/`));
  return pod ? lane(pod.uid, name.startsWith('podWorker') ? 'worker' : 'runtime') : null;
}

/**
 * The place of a record; null if it has none. The declaration of its kind defines it, except for messages, calls and
 * functions: their place depends on the channel, the caller or the pod.
 */
export function spotOf(state: NodeState, record: TraceRecord): Spot | null {
  switch (record.kind) {
    case 'send':
    case 'receive': {
      const name = state.channels[record.chan]?.name ?? '';
      const key = keyOfChannel(name);
      if (key) return { at: 'channel', key };
      if (name === POD_KILLING_CHANNEL) return box('podKiller');
      const uid = workerOf(state, name);
      return uid === '' ? null : lane(uid, 'worker');
    }
    case 'select':
      return record.g === state.loop.g ? box('select') : null;
    case 'enter': {
      if (record.g === state.loop.g) {
        return handlerSpot(record.fn);
      }
      return AT_CALL[record.fn] ?? null;
    }
    case 'call-step':
      return record.fn === 'startContainer' ? lane(record.uid ?? '', 'runtime') : handlerSpot(record.fn);
    case 'cri-call':
    case 'cri-return': {
      const uid = uidOfCall(state, record);
      return uid === '' ? box('cri') : lane(uid, 'call');
    }
    default:
      return spotAt(placeOf(record), 'uid' in record ? (record.uid ?? '') : '');
  }
}
function handlerSpot(fn: string): Spot | null {
  const index = handlerIndex(fn);
  return index < 0 ? null : { at: 'handler', index };
}
function spotAt(place: Place | null, uid: string): Spot | null {
  switch (place) {
    case null:
      return null;
    case 'pod/worker':
      return lane(uid, 'worker');
    case 'pod/runtime':
      return lane(uid, 'runtime');
    case 'pod/node':
      return lane(uid, 'node');
    default:
      return box(place);
  }
}
const AT_CALL: Readonly<Record<string, Spot>> = {
  RunKubelet: box('startup'),
  initializeModules: box('startup'),
  initializeRuntimeDependentModules: box('startup'),
  updateRuntimeUp: box('runtimeUp'),
  'Containers/GarbageCollect': box('containerGC'),
  'Images/GarbageCollect': box('images'),
  rotateLogs: box('logs'),
  syncBatch: box('status'),
  'devicePlugin.Allocate': box('devices'),
  'devicePlugin.GetPreferredAllocation': box('devices'),
  'devicePlugin.PreStartContainer': box('devices'),
  'deviceManager.PluginListAndWatchReceiver': box('devices'),
};

/** The pod behind a worker's own channel, `podUpdates NAMESPACE/NAME`; '' for other channels. */
function workerOf(state: NodeState, channel: string): string {
  if (!channel.startsWith('podUpdates ')) return '';
  const name = channel.slice('podUpdates '.length);
  return Object.values(state.pods).findLast((p) => p.pod === name)?.uid ?? '';
}

const STORY_OF: Readonly<Partial<Record<string, StoryBox>>> = {
  file: 'desired',
  http: 'desired',
  api: 'desired',
  podConfig: 'desired',
  select: 'choice',
  status: 'status',
  podKiller: 'workers',
  probes: 'pleg',
  pleg: 'pleg',
  cri: 'node',
};

/** The box of the Story that a spot belongs to; null for what the Story leaves out. */
export function storyBoxOf(spot: Spot): StoryBox | null {
  switch (spot.at) {
    case 'channel':
      return 'inputs';
    case 'handler':
      return 'handler';
    case 'lane':
      return spot.column === 'node' || spot.column === 'call' ? 'node' : 'workers';
    case 'box':
      return STORY_OF[spot.id] ?? null;
  }
}

const COLUMN = { worker: 'worker', runtime: 'kuberuntime', call: 'cri', node: 'node' } as const;

/** A pod's lane, or its one cell where many are folded. */
export interface LaneRect extends Rect {
  readonly folded: boolean;
}

/** The rectangle of a spot on a level; null if that level does not show it. `laneOf`: null for a pod without a lane. */
export function rectOfSpot(
  arrangement: Arrangement,
  spot: Spot,
  laneOf: (uid: string) => LaneRect | null,
): Rect | null {
  const { loop } = LAYOUTS[arrangement];
  if (!loop) {
    const id = storyBoxOf(spot);
    return id && rectOf(arrangement, `story-${id}`);
  }
  switch (spot.at) {
    case 'box':
      return rectOf(arrangement, spot.id);
    case 'channel':
      return channelRect(loop, CHANNELS.indexOf(spot.key));
    case 'handler':
      return handlerRect(loop, spot.index);
    case 'lane': {
      const whole = laneOf(spot.uid);
      if (!whole) return null;
      const { x, y, w, h } = whole;
      return whole.folded || spot.column === 'all' ? { x, y, w, h } : columnRect(loop, whole, COLUMN[spot.column]);
    }
  }
}
