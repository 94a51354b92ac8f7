/**
 * What the Everything level adds around the Loop, which stays where it is: above it what the loop hangs on and the
 * parts that look after the node, to its left what the node and the API server tell each other, to its right what goes
 * on beside it.
 */
import { LANES, NODES } from './geometry.js';
import { bottom, type Kind, type Rect, right, type Wire } from './geometry-paths.js';

const BAND: Pick<Rect, 'y' | 'h'> = { y: -262, h: 212 };
/** Above that: the parts that start one after the other, and those with most to show. */
const TOP: Pick<Rect, 'y' | 'h'> = { y: -518, h: 232 };
const LEFT: Pick<Rect, 'x' | 'w'> = { x: -336, w: 300 };
const GOROUTINES_X = right(LANES) + 36;
const SIDE_X = GOROUTINES_X + 380 + 24;
const side = (y: number, h: number): Rect => ({ x: SIDE_X, y, w: 300, h });

export const EXTRAS = {
  node: { ...LEFT, y: TOP.y, h: 470 },
  managers: { x: 0, w: 726, ...TOP },
  volumes: { x: LANES.x, w: 490, ...TOP },
  cgroups: { x: LANES.x + 510, w: 324, ...TOP },
  eviction: { x: GOROUTINES_X, w: SIDE_X + 300 - GOROUTINES_X, ...TOP },
  startup: { x: 0, w: 234, ...BAND },
  runtimeUp: { x: 276, w: 274, ...BAND },
  queue: { x: 568, w: 158, ...BAND },
  caches: { x: LANES.x, w: 250, ...BAND },
  backoffs: { x: LANES.x + 274, w: 232, ...BAND },
  images: { x: NODES.cri.x, w: 304, ...BAND },
  goroutines: { x: GOROUTINES_X, y: BAND.y, w: 380, h: bottom(NODES.cri) - BAND.y },
  containerGC: side(BAND.y, 136),
  deletor: side(-110, 100),
  logs: side(6, 100),
  allocation: side(122, 118),
  deadline: side(256, 118),
  oom: side(390, 112),
  stats: side(518, 112),
  absent: side(646, 166),
  apiServer: { ...LEFT, y: NODES.file.y, h: 496 },
  lease: { ...LEFT, y: NODES.events.y, h: 112 },
  shutdown: { ...LEFT, y: NODES.events.y + 128, h: NODES.events.h - 128 },
} as const satisfies Record<string, Rect>;
export type ExtraKey = keyof typeof EXTRAS;
export const EXTRA_KEYS = Object.keys(EXTRAS) as ExtraKey[];

export const EXTRA_KIND: Readonly<Record<ExtraKey, Kind>> = {
  node: 'actual',
  managers: 'decision',
  volumes: 'desired',
  cgroups: 'actual',
  eviction: 'decision',
  startup: 'decision',
  runtimeUp: 'time',
  queue: 'time',
  caches: 'actual',
  backoffs: 'time',
  images: 'message',
  goroutines: 'decision',
  containerGC: 'time',
  deletor: 'time',
  logs: 'time',
  allocation: 'time',
  deadline: 'time',
  oom: 'actual',
  stats: 'time',
  absent: 'desired',
  apiServer: 'desired',
  lease: 'time',
  shutdown: 'decision',
};

export const EVERYTHING_WORLD: Rect = {
  x: LEFT.x,
  y: TOP.y - 4,
  w: SIDE_X + 300 - LEFT.x,
  h: bottom(NODES.cri) - TOP.y + 4,
};

const upper = BAND.y + BAND.h;
const straight = (id: string, kind: Wire['kind'], x: number, from: number, to: number, text?: string): Wire => ({
  id,
  kind,
  points: [
    { x, y: from },
    { x, y: to },
  ],
  ...(text ? { label: { text, x: x + 8, y: (from + to) / 2 - 12 } } : {}),
});

/** Between the top and the band below it, where labels of what passes through stand. */
const upmost = TOP.y + TOP.h;
const passing = (id: string, kind: Wire['kind'], x: number, from: number, to: number, text: string): Wire => ({
  ...straight(id, kind, x, from, to),
  label: { text, x: x + 8, y: upmost + 7 },
});
const along = (id: string, kind: Wire['kind'], y: number, from: number, to: number): Wire => ({
  id,
  kind,
  points: [
    { x: from, y },
    { x: to, y },
  ],
});
const server = right(EXTRAS.apiServer);

/** The Loop's wire that another takes the place of: here the API server is more than a source. */
export const REPLACED = 'status-api';

export const EXTRA_WIRES: readonly Wire[] = [
  passing('volumes-workers', 'actual', right(EXTRAS.caches) + 12, upmost, LANES.y, 'WaitForAttachAndMount'),
  passing('workers-cgroups', 'actual', right(EXTRAS.backoffs) + 19, LANES.y, upmost, 'EnsureExists'),
  along('apiServer-api', 'desired', NODES.api.y + NODES.api.h / 2, server, NODES.api.x),
  along('status-apiServer', 'actual', NODES.status.y + 124, NODES.status.x, server),
  {
    id: 'events-apiServer',
    kind: 'message',
    points: [
      { x: NODES.events.x, y: NODES.events.y + 22 },
      { x: server + 18, y: NODES.events.y + 22 },
      { x: server + 18, y: bottom(EXTRAS.apiServer) - 20 },
      { x: server, y: bottom(EXTRAS.apiServer) - 20 },
    ],
  },
  straight(
    'node-apiServer',
    'actual',
    LEFT.x + LEFT.w / 2,
    bottom(EXTRAS.node),
    EXTRAS.apiServer.y,
    'PATCH nodes/status',
  ),
  straight('lease-apiServer', 'time', LEFT.x + LEFT.w / 2, EXTRAS.lease.y, bottom(EXTRAS.apiServer), 'PUT leases'),
  straight('runtimeUp-select', 'time', right(NODES.select) - 3, upper, NODES.select.y, 'runtimeState'),
  straight('queue-handlers', 'time', right(NODES.handlers) - 18, upper, NODES.handlers.y, 'getPodsToSync'),
  {
    ...straight('caches-workers', 'actual', right(EXTRAS.caches) - 14, upper, LANES.y),
    // To its left: what comes down from the volumes is on its right.
    label: { text: 'GetNewerThan', x: right(EXTRAS.caches) - 104, y: (upper + LANES.y) / 2 - 12 },
  },
  straight('workers-backoffs', 'time', right(EXTRAS.backoffs) - 40, LANES.y, upper),
  straight('runtime-images', 'message', right(EXTRAS.images) - 212, LANES.y, upper, 'EnsureImageExists'),
  {
    id: 'workers-queue',
    kind: 'time',
    points: [
      { x: LANES.x + 110, y: LANES.y },
      { x: LANES.x + 110, y: upper + 18 },
      { x: LANES.x - 12, y: upper + 18 },
      { x: LANES.x - 12, y: upper - 24 },
      { x: right(EXTRAS.queue), y: upper - 24 },
    ],
  },
];
