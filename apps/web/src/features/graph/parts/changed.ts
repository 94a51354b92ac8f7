/**
 * Returns what each part shows, as one text per place: two stops are compared by it. Pure; computed only when the run
 * stands still.
 */
import type { NodeState } from '@syncloop/core/trace';
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { lanePart } from '../lanes/logic/lanes.js';
import { laneIndex } from '../lanes/logic/lanes-index.js';
import type { Spot } from '../moves/moves-spots.js';
import {
  channelPart,
  criPart,
  handlersPart,
  plegPart,
  podConfigPart,
  probeRows,
  sourcePart,
  statusRows,
} from './parts.js';
import { backoffRows, cacheRows, eventRows, workQueue } from './parts-everything.js';
import { apiView, cgroupRows, devicesView, managerRows, nodeView, signalRows, volumesView } from './parts-node.js';
import { podKillerPart } from './parts-pod-killer.js';

export interface Shown {
  readonly spot: Spot;
  /** Equal if the part shows the same. */
  readonly text: string;
}
type Snapshot = ReadonlyMap<string, Shown>;

type BoxId = Extract<Spot, { at: 'box' }>['id'];

/** The contents of boxes, without clocks and counts, which always change. */
const BOXES: { readonly [K in BoxId]?: (state: NodeState) => unknown } = {
  file: (s) => sourcePart(s, 'file'),
  http: (s) => sourcePart(s, 'http'),
  api: (s) => sourcePart(s, 'api'),
  podConfig: podConfigPart,
  status: statusRows,
  events: (s) => eventRows(s, 8),
  probes: (s) => probeRows(s).map(({ time: _, ...row }) => row),
  podKiller: (s) => {
    const { items, kills } = podKillerPart(s, () => undefined);
    return [items.map((i) => i.seq), kills.map((k) => k.id)];
  },
  pleg: (s) => plegPart(s).rows,
  cri: (s) => criPart(s).rows,
  queue: workQueue,
  caches: cacheRows,
  backoffs: backoffRows,
  images: (s) => s.images,
  managers: managerRows,
  node: nodeView,
  apiServer: (s) => ({ ...apiView(s, 6) }),
  lease: (s) => s.node.lease,
  volumes: volumesView,
  eviction: signalRows,
  cgroups: cgroupRows,
  devices: (s) => devicesView(s).rows,
  runtimeUp: (s) => s.runtime,
};

/** Makes a snapshot. `uids`: pods whose lanes are in sight. */
export function snapshot(state: NodeState, uids: readonly string[]): Snapshot {
  const out = new Map<string, Shown>();
  const add = (spot: Spot, value: unknown) =>
    out.set(JSON.stringify(spot), { spot, text: JSON.stringify(value) ?? '' });
  for (const [id, view] of Object.entries(BOXES)) add({ at: 'box', id: id as BoxId }, view(state));
  for (const key of CHANNELS) {
    const { items, count, chosen, exists } = channelPart(state, key);
    add({ at: 'channel', key }, [items.map((i) => i.seq), count, chosen, exists]);
  }
  const { running, args } = handlersPart(state);
  for (const index of HANDLERS.keys()) add({ at: 'handler', index }, running === index ? args : null);
  const index = laneIndex(state);
  for (const uid of uids) {
    const part = lanePart(state, uid, index);
    if (!part) continue;
    const { phase, reason, state: worker, pending, working, newerThan, due, error, sync } = part;
    add({ at: 'lane', uid, column: 'worker' }, [phase, reason, worker, pending, working, newerThan, due, error, sync]);
    add({ at: 'lane', uid, column: 'runtime' }, [part.actions, part.plan, part.runtime, part.start]);
    add({ at: 'lane', uid, column: 'call' }, part.calls);
    add({ at: 'lane', uid, column: 'node' }, [part.sandbox, part.waiting]);
  }
  return out;
}

/**
 * Places that show something else than before. What was not in sight before has not changed: it only came into sight.
 */
export function changedSpots(before: Snapshot, now: Snapshot): readonly Spot[] {
  const out: Spot[] = [];
  for (const [key, { spot, text }] of now) {
    const was = before.get(key);
    if (was ? was.text !== text : spot.at === 'lane' && text !== EMPTY_LANE) out.push(spot);
  }
  return out;
}
const EMPTY_LANE = '[]';
