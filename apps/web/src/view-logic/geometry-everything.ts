/**
 * What the Everything level adds around the Loop, which stays where it is: above it what the loop hangs on, to its right what
 * goes on beside it.
 */
import { LANES, NODES } from './geometry.js';
import { type Kind, type Rect, right, type Wire } from './geometry-paths.js';

const BAND: Pick<Rect, 'y' | 'h'> = { y: -286, h: 236 };
const GOROUTINES_X = 1680;
const SIDE_X = 2110;
const side = (y: number, h: number): Rect => ({ x: SIDE_X, y, w: 330, h });

export const EXTRAS = {
  startup: { x: 0, w: 258, ...BAND },
  runtimeUp: { x: 300, w: 284, ...BAND },
  queue: { x: 606, w: 168, ...BAND },
  caches: { x: 806, w: 254, ...BAND },
  backoffs: { x: 1084, w: 228, ...BAND },
  images: { x: 1336, w: 304, ...BAND },
  events: { x: GOROUTINES_X, w: 400, ...BAND },
  goroutines: { x: GOROUTINES_X, y: 0, w: 400, h: 790 },
  containerGC: side(-286, 150),
  deletor: side(-116, 104),
  logs: side(8, 104),
  allocation: side(132, 104),
  deadline: side(256, 104),
  eviction: side(380, 104),
  volumes: side(504, 92),
  absent: side(616, 174),
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
  events: 'message',
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

export const EVERYTHING_WORLD: Rect = { x: 0, y: -290, w: SIDE_X + 330, h: 290 + 790 };

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
  straight('runtimeUp-select', 'time', NODES.select.x + 46, upper, NODES.select.y, 'runtimeState'),
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
      { x: LANES.x - 16, y: upper + 18 },
      { x: LANES.x - 16, y: upper - 24 },
      { x: right(EXTRAS.queue), y: upper - 24 },
    ],
  },
  {
    id: 'workers-events',
    kind: 'message',
    points: [
      { x: right(LANES), y: LANES.y + 30 },
      { x: right(LANES) + 20, y: LANES.y + 30 },
      { x: right(LANES) + 20, y: upper - 24 },
      { x: EXTRAS.events.x, y: upper - 24 },
    ],
  },
];

