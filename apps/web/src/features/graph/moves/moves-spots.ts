/**
 * The places in the graph of records and of goroutines, on each level. Pure: callers pass in the state of the run.
 */
import { type GoroutineView, type NodeState, type Place, placeOf, type TraceRecord } from '@syncloop/core/trace';
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

/** Returns the place at which a goroutine works; null for one without a place of its own. */
export function spotOfGoroutine(g: GoroutineView | undefined): Spot | null {
  return g?.place ? spotAt(g.place.at, g.place.uid || g.uid) : null;
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
      return handlerSpot(record.fn) ?? spotAt(placeOf(record), record.uid ?? '');
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

/** Returns the Story's box for a spot; null for one that the Story leaves out. */
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

/** A pod's lane, or its one cell if many are folded. */
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
