/** Finds the records that travel on the graph, and their wires: pure, so that it can be tested without a canvas. */
import { isListing, type RecordOf, type TraceRecord } from '@syncloop/core/trace';
import { type ChannelKey, HANDLERS, handlerIndex } from '../../../run/loop.js';
import { KILL, POD_KILLING_CHANNEL } from '../../../run/pod-killer.js';
import { handlerToLane, type Loop, laneToNode, type Point, type WireKind, wireOf } from '../geometry/geometry.js';
import { EXTRA_WIRES, REPLACED } from '../geometry/geometry-everything.js';
import { bottom } from '../geometry/geometry-paths.js';
import type { LanePlace } from '../lanes/logic/lanes-layout.js';

export type MoveKind = WireKind | 'failure';
export interface Move {
  /** The wire that it travels; moves along the same wire in one frame become one. */
  readonly key: string;
  readonly kind: MoveKind;
  readonly points: readonly Point[];
  /** Record that it shows; set when it is planned. */
  readonly seq?: number;
}

/** The context that places a record. */
export interface Places {
  readonly loopG: number;
  /** The arrangement of the Loop. */
  readonly loop: Loop;
  /** A pod's lane or its cell in the strip, null when it has none. */
  lane(uid: string): LanePlace | null;
  channel(id: number): ChannelKey | typeof POD_KILLING_CHANNEL | undefined;
  /** Pod of a call, '' if it is about none. */
  uidOf(call: { readonly uid?: string; readonly container?: string; readonly sandbox?: string }): string;
  /** The handler that ran last, for its calls to workers and to the pod killer. */
  readonly handler: string;
}

const PRODUCER: Readonly<Partial<Record<ChannelKey, string>>> = {
  configCh: 'podConfig-configCh',
  livenessManager: 'probes-livenessManager',
  readinessManager: 'probes-readinessManager',
  startupManager: 'probes-startupManager',
  containerManager: 'devices-containerManager',
};

const extra = new Map(EXTRA_WIRES.map((w) => [w.id, w]));

function alongIn(loop: Loop, id: string, kind?: MoveKind, back = false): Move[] {
  const w = wireOf(loop, id) ?? extra.get(id);
  if (!w) return [];
  return [{ key: back ? `${id}<` : id, kind: kind ?? w.kind, points: back ? [...w.points].reverse() : w.points }];
}

/** A call's hop across a lane; none if the lane is scrolled out of sight, or folded into the strip. */
function call(uid: string, kind: MoveKind, back: boolean, { lane, loop }: Places): Move[] {
  const place = uid === '' ? null : lane(uid);
  if (!place || place.folded) return [];
  const points = laneToNode(loop, place);
  const y = points[0]?.y ?? 0;
  if (y < loop.nodes.lanes.y || y > bottom(loop.nodes.lanes)) return [];
  return [{ key: `${back ? 'return' : 'call'}-${uid}`, kind, points: back ? [...points].reverse() : points }];
}

type Along = (id: string, kind?: MoveKind, back?: boolean) => Move[];

const POD_CGROUP = /\/pod[^/]+$/;

/**
 * The wires on which requests about a resource travel. The second one is for levels that have no box for the first.
 */
const SENDER: Readonly<Record<string, readonly string[]>> = {
  pods: ['status-apiServer', REPLACED],
  nodes: ['node-apiServer'],
  leases: ['lease-apiServer'],
  events: ['events-apiServer'],
};
/** Verbs that only read bring nothing to the server. */
const READS = new Set(['get', 'list', 'watch']);

/** A request that changes something goes to the API server; a failed one comes back. */
function request({ phase, verb, resource, error }: RecordOf<'api'>, along: Along): Move[] {
  const ids = (Object.hasOwn(SENDER, resource) && SENDER[resource]) || [];
  if (READS.has(verb)) return [];
  if (phase === 'request') return ids.flatMap((id) => along(id));
  return phase === 'response' && error !== undefined ? ids.flatMap((id) => along(id, 'failure', true)) : [];
}

const EXTRA_IDS = new Set(EXTRA_WIRES.map((w) => w.id));
const wireIdOf = (move: Move): string => move.key.replace(/<$/, '');
/** True if the Loop has a move's wire; those of the Everything level are its own. */
export const onLoop = (move: Move): boolean => !EXTRA_IDS.has(wireIdOf(move));
/** True if the Everything level has it. */
export const onEverything = (move: Move): boolean => wireIdOf(move) !== REPLACED;

export function movesOf(record: TraceRecord, places: Places): Move[] {
  const along: Along = (...way) => alongIn(places.loop, ...way);
  switch (record.kind) {
    case 'source':
      return [
        ...(record.source === 'api' ? along('apiServer-api') : []),
        ...along(`${record.source}-podConfig`, record.errors?.length ? 'failure' : 'desired'),
      ];
    case 'send': {
      const key = places.channel(record.chan);
      const id = key === POD_KILLING_CHANNEL ? `${places.handler}-podKiller` : key && PRODUCER[key];
      return id ? along(id) : [];
    }
    case 'select':
    case 'receive': {
      const chan = record.kind === 'receive' ? record.chan : (record.cases[record.chosen] ?? 0);
      const key = record.g === places.loopG ? places.channel(chan) : undefined;
      return key ? along(`${key}-select`) : [];
    }
    case 'goroutine-start':
      return KILL.test(record.name) ? along('podKiller-runtime') : [];
    case 'enter': {
      if (record.g !== places.loopG) return [];
      const i = handlerIndex(record.fn);
      return i < 0 ? [] : along(`select-${HANDLERS[i]}`);
    }
    case 'pod-update': {
      const lane = places.lane(record.uid);
      const i = handlerIndex(places.handler);
      if (!lane || i < 0) return [];
      return [
        {
          key: `update-${record.uid}`,
          kind: record.dropped === undefined ? 'desired' : 'decision',
          points: handlerToLane(places.loop, i, lane.y + lane.h / 2),
        },
      ];
    }
    case 'cri-call':
      return isListing(record.method) ? [] : call(places.uidOf(record), 'message', false, places);
    case 'cri-return':
      return isListing(record.method)
        ? []
        : call(places.uidOf(record), record.error ? 'failure' : 'actual', true, places);
    case 'relist':
      return [...along('node-cri'), ...along('cri-pleg')];
    case 'pleg-event':
      return along('pleg-plegCh', record.dropped ? 'failure' : undefined);
    case 'cache':
      return along('pleg-cache');
    case 'probe':
      return along('node-probes', record.outcome === 'success' ? 'actual' : 'failure');
    case 'status':
      return along('workers-status');
    // Wires of the Everything level only; the others leave them out.
    case 'runtime-state':
      return along('runtimeUp-select', record.errors.length > 0 ? 'failure' : 'time');
    case 'queue':
      return along('workers-queue');
    case 'backoff':
      return along('workers-backoffs');
    case 'volume':
      return record.phase === 'done' ? along('volumes-workers', record.error === undefined ? 'actual' : 'failure') : [];
    case 'cgroup':
      return POD_CGROUP.test(record.path) ? along('workers-cgroups') : [];
    case 'api':
      return request(record, along);
    default:
      return [];
  }
}

/** A token under way: seen from `start` (ms) for `length` ms. */
export interface Token extends Move {
  readonly start: number;
  readonly length: number;
}

export const HOP_MILLIS = 380;
/** More moves than this in one frame do not travel one by one: their wires flash. */
export const CROWD = 24;
export const FLASH_MILLIS = 140;

export interface Plan {
  readonly travel: readonly Token[];
  readonly flash: readonly Token[];
}

/**
 * Plans how one frame's moves look: few travel, one shortly after the other in the order in which they happened; many,
 * and all at high speed (`fast`), flash; with reduced motion all only mark their wire.
 */
export function plan(moves: readonly Move[], now: number, reduced: boolean, fast = false): Plan {
  const unique: Move[] = [];
  const seen = new Set<string>();
  for (const move of moves) {
    if (seen.has(move.key)) continue;
    seen.add(move.key);
    unique.push(move);
  }
  if (reduced || fast || unique.length > CROWD)
    return {
      travel: [],
      flash: unique.map((m) => ({ ...m, start: now, length: reduced ? HOP_MILLIS : FLASH_MILLIS })),
    };
  // All of a frame's hops end within the time of one and a half.
  const gap = unique.length > 1 ? Math.min(90, (HOP_MILLIS * 0.6) / (unique.length - 1)) : 0;
  return { travel: unique.map((m, i) => ({ ...m, start: now + i * gap, length: HOP_MILLIS - 100 })), flash: [] };
}
