/**
 * What the Everything level adds around the Loop, which stays where it is: above it what the loop hangs on, to its right what
 * goes on beside it.
 */
import { LANES, NODES } from './geometry.js';
import { bottom, type Kind, type Rect, right, type Wire } from './geometry-paths.js';

const BAND: Pick<Rect, 'y' | 'h'> = { y: -262, h: 212 };
const GOROUTINES_X = right(LANES) + 36;
const SIDE_X = GOROUTINES_X + 380 + 24;
const side = (y: number, h: number): Rect => ({ x: SIDE_X, y, w: 300, h });

export const EXTRAS = {
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
  eviction: side(390, 112),
  volumes: side(518, 112),
  absent: side(646, 166),
} as const satisfies Record<string, Rect>;
export type ExtraKey = keyof typeof EXTRAS;
export const EXTRA_KEYS = Object.keys(EXTRAS) as ExtraKey[];

export const EXTRA_KIND: Readonly<Record<ExtraKey, Kind>> = {
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
  eviction: 'time',
  volumes: 'desired',
  absent: 'desired',
};

export const EVERYTHING_WORLD: Rect = {
  x: 0,
  y: BAND.y - 4,
  w: SIDE_X + 300,
  h: bottom(NODES.cri) - BAND.y + 4,
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

export const EXTRA_WIRES: readonly Wire[] = [
  straight('runtimeUp-select', 'time', right(NODES.select) - 3, upper, NODES.select.y, 'runtimeState'),
  straight('queue-handlers', 'time', right(NODES.handlers) - 18, upper, NODES.handlers.y, 'getPodsToSync'),
  straight('caches-workers', 'actual', right(EXTRAS.caches) - 14, upper, LANES.y, 'GetNewerThan'),
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
