/**
 * The parts that the Everything level adds around the Loop, which keeps its place. Above it: what the loop depends on,
 * and the parts that look after the node. To its left: the traffic between the node and the API server. To its right:
 * what runs at the same time. Below it: the steps within the handlers, housekeeping and the start of a container.
 */
import { intoChannel, LOOP } from './geometry.js';
import { bottom, type Kind, type Rect, right, type Wire } from './geometry-paths.js';

const NODES = LOOP.nodes;
const LANES = NODES.lanes;
/** The frame around the Loop: what is below and to the right of it begins here. */
const FRAME = { right: 1316, bottom: 666 } as const;
/** The strip above the lanes, from the left to the frame's right edge. */
const ABOVE: Pick<Rect, 'x' | 'w'> = { x: 642, w: FRAME.right - 642 };
const BAND: Pick<Rect, 'y' | 'h'> = { y: -236, h: 190 };
/** Below the loop: the steps within calls. */
const STEPS: Pick<Rect, 'y' | 'h'> = { y: FRAME.bottom + 20, h: 172 };
/** Above that: the parts that start one after the other, and those with most to show. */
const TOP: Pick<Rect, 'y' | 'h'> = { y: -468, h: 208 };
const MANAGERS_ABOVE = 76;
const LEFT: Pick<Rect, 'x' | 'w'> = { x: -304, w: 270 };
const GOROUTINES_X = FRAME.right + 32;
const SIDE_X = GOROUTINES_X + 340 + 22;
const side = (y: number, h: number): Rect => ({ x: SIDE_X, y, w: 270, h });
/** To the right of the wires to the workers. */
const BACKOFFS_X = ABOVE.x + 226;

export const EXTRAS = {
  node: { ...LEFT, y: TOP.y, h: 424 },
  // Run's parts need more lines than the boxes next to it have.
  managers: { x: 0, w: ABOVE.x - 20, y: TOP.y - MANAGERS_ABOVE, h: TOP.h + MANAGERS_ABOVE },
  volumes: { x: ABOVE.x, w: 390, ...TOP },
  cgroups: { x: ABOVE.x + 410, w: ABOVE.w - 410, ...TOP },
  eviction: { x: GOROUTINES_X, w: SIDE_X + 270 - GOROUTINES_X, ...TOP },
  startup: { x: 0, w: 204, ...BAND },
  runtimeUp: { x: 226, w: 230, ...BAND },
  queue: { x: 476, w: 136, ...BAND },
  caches: { x: ABOVE.x, w: 204, ...BAND },
  backoffs: { x: BACKOFFS_X, w: 188, ...BAND },
  images: { x: ABOVE.x + 452, w: ABOVE.w - 452, ...BAND },
  goroutines: { x: GOROUTINES_X, y: BAND.y, w: 340, h: bottom(NODES.lanes) - BAND.y },
  devices: { x: GOROUTINES_X, y: NODES.cri.y, w: 340, h: FRAME.bottom - NODES.cri.y },
  containerGC: side(BAND.y, 122),
  deletor: side(-100, 90),
  logs: side(4, 90),
  allocation: side(108, 104),
  deadline: side(226, 100),
  oom: side(340, 96),
  stats: side(450, 96),
  absent: side(560, FRAME.bottom - 560),
  apiServer: { ...LEFT, y: NODES.file.y, h: 420 },
  cleanups: { x: LEFT.x, w: 980, ...STEPS },
  handling: { x: LEFT.x + 1000, w: 660, ...STEPS },
  starting: { x: LEFT.x + 1680, w: SIDE_X + 270 - LEFT.x - 1680, ...STEPS },
  lease: { ...LEFT, y: 476, h: 86 },
  shutdown: { ...LEFT, y: 576, h: FRAME.bottom - 576 },
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
  devices: 'actual',
  absent: 'desired',
  apiServer: 'desired',
  lease: 'time',
  cleanups: 'time',
  handling: 'decision',
  starting: 'desired',
  shutdown: 'decision',
};

export const EVERYTHING_WORLD: Rect = {
  x: LEFT.x,
  y: TOP.y - MANAGERS_ABOVE - 4,
  w: SIDE_X + 300 - LEFT.x,
  h: STEPS.y + STEPS.h - TOP.y + MANAGERS_ABOVE + 8,
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

/** The same wire with its label at that height. */
const labelAt = (wire: Wire, y: number): Wire => ({ ...wire, ...(wire.label && { label: { ...wire.label, y } }) });

/** The band below the top: labels of wires that pass through it. */
const upmost = TOP.y + TOP.h;
const passing = (id: string, kind: Wire['kind'], x: number, from: number, to: number, text: string): Wire => ({
  ...straight(id, kind, x, from, to),
  label: { text, x: x + 8, y: upmost + 12 },
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

/** Devices to their channel: right above the lower row, and outside of the other wires into channels. */
const DEVICES_X = GOROUTINES_X + 12;
const TRACK = NODES.cri.y - 3;
const FEED = NODES.channels.x - 36;

export const EXTRA_WIRES: readonly Wire[] = [
  passing('volumes-workers', 'actual', right(EXTRAS.caches) + 12, upmost, LANES.y, 'WaitForAttachAndMount'),
  passing('workers-cgroups', 'actual', right(EXTRAS.backoffs) + 19, LANES.y, upmost, 'EnsureExists'),
  intoChannel('devices-containerManager', NODES, 6, FEED, [DEVICES_X, NODES.cri.y], [DEVICES_X, TRACK], [FEED, TRACK]),
  along('apiServer-api', 'desired', NODES.api.y + NODES.api.h / 2, server, NODES.api.x),
  along('status-apiServer', 'actual', NODES.status.y + 100, NODES.status.x, server),
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
  labelAt(
    straight('lease-apiServer', 'time', LEFT.x + LEFT.w / 2, EXTRAS.lease.y, bottom(EXTRAS.apiServer), 'PUT leases'),
    (EXTRAS.lease.y + bottom(EXTRAS.apiServer)) / 2,
  ),
  straight('runtimeUp-select', 'time', right(NODES.select) - 3, upper, NODES.select.y, 'runtimeState'),
  // Below the way from the workers to the queue.
  labelAt(
    straight('queue-handlers', 'time', right(NODES.handlers) - 18, upper, NODES.handlers.y, 'getPodsToSync'),
    -12,
  ),
  {
    ...straight('caches-workers', 'actual', right(EXTRAS.caches) - 14, upper, LANES.y),
    // The label is on its left: the wire from the volumes is on its right.
    label: { text: 'GetNewerThan', x: right(EXTRAS.caches) - 104, y: (upper + LANES.y) / 2 - 12 },
  },
  straight('workers-backoffs', 'time', right(EXTRAS.backoffs) - 40, LANES.y, upper),
  straight('runtime-images', 'message', right(EXTRAS.images) - 190, LANES.y, upper, 'EnsureImageExists'),
  {
    id: 'workers-queue',
    kind: 'time',
    points: [
      { x: LANES.x + 110, y: LANES.y },
      { x: LANES.x + 110, y: upper + 18 },
      { x: ABOVE.x - 10, y: upper + 18 },
      { x: ABOVE.x - 10, y: upper - 24 },
      { x: right(EXTRAS.queue), y: upper - 24 },
    ],
  },
];
