/**
 * The Loop's arrangements for less room: the lanes are below the channels, and the way back between the two, so that
 * the ring is read from the upper left to the right, down to the lanes, and up again.
 */
import {
  desiredWires,
  HEADING,
  intoChannel,
  type Loop,
  labelled,
  line,
  type Point,
  type Rect,
  throughTheLoop,
  type Wire,
} from './geometry.js';
import { bottom, right } from './geometry-paths.js';

interface StackedSizes {
  readonly sources: number;
  readonly config: number;
  readonly feed: number;
  readonly channels: number;
  readonly select: number;
  readonly handlers: number;
  readonly gap: number;
  /** Widths of the boxes between: the rest is the PLEG's. `cri` and `events` have a row of their own if 0. */
  readonly status: number;
  readonly probes: number;
  readonly cri: number;
  /** Widths in a lane; the rest is the node's. */
  readonly worker: number;
  readonly kuberuntime: number;
  readonly call: number;
  readonly width: number;
  /** Heights: channels, boxes between, lanes, and the last row, 0 if there is none. */
  readonly upper: number;
  readonly between: number;
  readonly lanes: number;
  readonly lower: number;
}
const FEED_GUTTER = 44;
const LANE_GUTTER = 22;

function stacked(s: StackedSizes): Loop {
  const top = HEADING;
  const own = s.lower > 0;
  const configX = s.sources + 8;
  const left = configX + s.config;
  const channels = { x: left + s.feed, y: top, w: s.channels, h: s.upper };
  const select = { x: right(channels) + s.gap, y: top, w: s.select, h: s.upper };
  const handlers = { x: right(select) + s.gap, y: top, w: s.handlers, h: s.upper };
  const busX = right(handlers) + 8;
  const fileH = s.upper - 2 * 46;
  const source = (y: number, h: number): Rect => ({ x: 0, y, w: s.sources, h });
  const mid = top + s.upper + FEED_GUTTER;
  const box = (x: number, w: number): Rect => ({ x, y: mid, w, h: s.between });
  // If the CRI has a row of its own below the lanes, its wire to the PLEG runs to the right of them.
  const edge = own ? s.width - 12 : s.width;
  const corridor = s.status + 8;
  const probes = box(s.status + 16, s.probes);
  const plegX = right(probes) + 16;
  const lanes = { x: 14, y: mid + s.between + LANE_GUTTER, w: edge - 14, h: s.lanes };
  const low = bottom(lanes) + 18;
  const criX = s.width - s.cri;
  const pleg = box(plegX, (own ? edge : criX - 16) - plegX);
  const half = Math.round((edge - 14) / 2);
  const nodes: Loop['nodes'] = {
    file: source(top, fileH - 8),
    http: source(top + fileH, 42),
    api: source(top + fileH + 50, 42),
    podConfig: { x: configX, y: top, w: s.config, h: s.upper },
    channels,
    select,
    handlers,
    lanes,
    status: box(0, s.status),
    probes,
    pleg,
    cri: own ? { x: edge - half, y: low, w: half, h: s.lower } : box(criX, s.cri),
    events: own
      ? { x: 0, y: low, w: edge - half - 14, h: s.lower }
      : { x: busX + 12, y: top, w: s.width - busX - 12, h: s.upper },
  };
  const node = lanes.w - s.worker - s.kuberuntime - s.call;
  const columns = {
    worker: { x: 0, w: s.worker },
    kuberuntime: { x: s.worker, w: s.kuberuntime },
    cri: { x: s.worker + s.kuberuntime, w: s.call },
    node: { x: lanes.w - node, w: node },
  };
  const track = (n: number) => top + s.upper + 6 + n * 7;
  const feed = (n: number) => channels.x - 6 - n * 6;
  const busTrack = track(4.5);
  const bus: Point[] = [
    { x: busX, y: 0 },
    { x: busX, y: busTrack },
    { x: corridor, y: busTrack },
    { x: corridor, y: lanes.y - 7 },
    { x: 5, y: lanes.y - 7 },
  ];
  const entry = lanes.y + 16;
  const first = throughTheLoop(nodes, busX);
  const handlersEnd = nodes.handlers.y + s.upper - s.upper / 12;
  const statusX = s.status - 24;
  const cacheX = Math.min(
    right(pleg) - 30,
    lanes.x + s.worker - 24 > pleg.x + 20 ? lanes.x + s.worker - 24 : pleg.x + 40,
  );
  const plegY = mid + 26;
  const nodeX = own ? lanes.x + columns.node.x + node / 2 : criX + s.cri / 2;
  const probeY = bottom(pleg) - 12;
  const wires: Wire[] = [
    ...desiredWires(nodes),
    intoChannel('pleg-plegCh', nodes, 1, feed(0), [pleg.x + 20, mid], [pleg.x + 20, track(0)], [feed(0), track(0)]),
    ...(['livenessManager', 'readinessManager', 'startupManager'] as const).map((key, i) => {
      const up = probes.x + 14 + (2 - i) * 14;
      return intoChannel(
        `probes-${key}`,
        nodes,
        3 + i,
        feed(1 + i),
        [up, mid],
        [up, track(1 + i)],
        [feed(1 + i), track(1 + i)],
      );
    }),
    ...first,
    {
      ...line('bus-down', 'desired', [busX, handlersEnd], ...bus.slice(1).map((p) => [p.x, p.y] as const)),
      plain: true,
    },
    line('bus-workers', 'desired', [5, lanes.y - 7], [5, entry], [lanes.x, entry]),
    own
      ? labelled(line('node-cri', 'actual', [nodeX, bottom(lanes)], [nodeX, low]), 'List…', nodeX + 8, low - 9)
      : line('node-cri', 'actual', [nodeX, lanes.y], [nodeX, bottom(nodes.cri)]),
    own
      ? line(
          'cri-pleg',
          'actual',
          [right(nodes.cri), low + 20],
          [s.width - 4, low + 20],
          [s.width - 4, plegY],
          [right(pleg), plegY],
        )
      : line('cri-pleg', 'actual', [criX, plegY], [right(pleg), plegY]),
    labelled(
      line('pleg-cache', 'actual', [cacheX, bottom(pleg)], [cacheX, lanes.y]),
      'cache',
      cacheX + 7,
      lanes.y - LANE_GUTTER / 2 - 2,
    ),
    line('node-probes', 'actual', [pleg.x, probeY], [right(probes), probeY]),
    line('workers-status', 'actual', [statusX, lanes.y], [statusX, bottom(nodes.status)]),
    line('status-api', 'actual', [24, mid], [24, bottom(nodes.api)]),
  ];
  return {
    world: { x: 0, y: 0, w: s.width, h: own ? low + s.lower : bottom(lanes) },
    nodes,
    headings: [
      { key: 'desired', x: 0, y: 0 },
      { key: 'channels', x: channels.x, y: 0 },
      { key: 'select', x: select.x - 4, y: 0 },
      { key: 'handlers', x: handlers.x, y: 0 },
    ],
    wires,
    columns,
    workerAbove: 0,
    bus,
  };
}

/** Next to a panel, in a high window. */
export const LOOP_STACKED = stacked({
  sources: 92,
  config: 98,
  feed: 34,
  channels: 256,
  select: 36,
  handlers: 144,
  gap: 14,
  status: 172,
  probes: 150,
  cri: 160,
  worker: 330,
  kuberuntime: 222,
  call: 130,
  width: 898,
  upper: 248,
  between: 130,
  lanes: 208,
  lower: 0,
});
/** Next to a panel, in a low window. */
export const LOOP_SMALL = stacked({
  sources: 80,
  config: 94,
  feed: 32,
  channels: 196,
  select: 30,
  handlers: 134,
  gap: 10,
  status: 150,
  probes: 126,
  cri: 156,
  worker: 250,
  kuberuntime: 186,
  call: 122,
  width: 742,
  upper: 190,
  between: 94,
  lanes: 118,
  lower: 0,
});
/** Between two panels. */
export const LOOP_UPRIGHT = stacked({
  sources: 76,
  config: 92,
  feed: 30,
  channels: 168,
  select: 28,
  handlers: 126,
  gap: 9,
  status: 146,
  probes: 130,
  cri: 0,
  worker: 194,
  kuberuntime: 126,
  call: 112,
  width: 558,
  upper: 208,
  between: 104,
  lanes: 152,
  lower: 104,
});

/**
 * The arrangement for a narrow screen, read by scrolling down: sources, the loop, the lanes with the worker above the
 * other columns, and the way back along the left edge.
 */
function tall(): Loop {
  const width = 366;
  const x = 30;
  const end = width - 12;
  const w = end - x;
  const top = HEADING;
  const third = (i: number): Rect => ({ x: x + i * 110, y: top, w: 102, h: 62 });
  const podConfig = { x, y: bottom(third(0)) + 14, w, h: 62 };
  const row1 = bottom(podConfig) + 34;
  const channels = { x, y: row1, w: 162, h: 256 };
  const select = { x: right(channels) + 10, y: row1, w: 28, h: channels.h };
  const handlers = { x: right(select) + 10, y: row1, w: end - right(select) - 10 - 8, h: channels.h };
  const busX = right(handlers) + 5;
  const lanes = { x, y: bottom(channels) + 24, w, h: 300 };
  const row3 = bottom(lanes) + 24;
  const left = 156;
  const probes = { x, y: row3, w: left, h: 104 };
  const cri = { x: x + left + 16, y: row3, w: w - left - 16, h: 104 };
  const pleg = { x, y: row3 + 104 + 18, w, h: 116 };
  const row5 = bottom(pleg) + 16;
  const nodes: Loop['nodes'] = {
    file: third(0),
    http: third(1),
    api: third(2),
    podConfig,
    channels,
    select,
    handlers,
    lanes,
    probes,
    cri,
    pleg,
    events: { x, y: row5, w: left, h: 110 },
    status: { x: cri.x, y: row5, w: cri.w, h: 110 },
  };
  const columns = {
    worker: { x: 0, w },
    kuberuntime: { x: 0, w: 110 },
    cri: { x: 110, w: 112 },
    node: { x: 222, w: w - 222 },
  };
  const down = (id: string, kind: Wire['kind'], at: number, from: number, to: number) =>
    line(id, kind, [at, from], [at, to]);
  const bus: Point[] = [
    { x: busX, y: 0 },
    { x: busX, y: lanes.y - 10 },
    { x: x - 6, y: lanes.y - 10 },
  ];
  const entry = lanes.y + 16;
  const feed = (n: number) => x - 10 - n * 5;
  const y0 = channels.y + channels.h / 16;
  const apiX = width - 1;
  const cacheX = x + left + 8;
  const wires: Wire[] = [
    ...(['file', 'http', 'api'] as const).map((key) =>
      down(`${key}-podConfig`, 'desired', nodes[key].x + 51, bottom(nodes[key]), podConfig.y),
    ),
    line(
      'podConfig-configCh',
      'desired',
      [x + 24, bottom(podConfig)],
      [x + 24, row1 - 24],
      [feed(0), row1 - 24],
      [feed(0), y0],
      [x, y0],
    ),
    intoChannel('pleg-plegCh', nodes, 1, feed(1), [x, pleg.y + 30], [feed(1), pleg.y + 30]),
    ...(['livenessManager', 'readinessManager', 'startupManager'] as const).map((key, i) => {
      const y = probes.y + 30 + i * 14;
      return intoChannel(`probes-${key}`, nodes, 3 + i, feed(1.5 + i * 0.8), [x, y], [feed(1.5 + i * 0.8), y]);
    }),
    ...throughTheLoop(nodes, busX),
    {
      ...line(
        'bus-down',
        'desired',
        [busX, bottom(handlers) - handlers.h / 12],
        ...bus.slice(1).map((p) => [p.x, p.y] as const),
      ),
      plain: true,
    },
    line('bus-workers', 'desired', [x - 6, lanes.y - 10], [x - 6, entry], [x, entry]),
    labelled(down('node-cri', 'actual', end - 40, bottom(lanes), row3), 'List…', end - 34, row3 - 12),
    down('cri-pleg', 'actual', end - 60, bottom(cri), pleg.y),
    labelled(down('pleg-cache', 'actual', cacheX, pleg.y, bottom(lanes)), 'cache', cacheX + 6, row3 - 12),
    down('node-probes', 'actual', x + 60, bottom(lanes), row3),
    line(
      'workers-status',
      'actual',
      [end, bottom(lanes) - 20],
      [end + 5, bottom(lanes) - 20],
      [end + 5, row5 + 40],
      [right(nodes.status), row5 + 40],
    ),
    line(
      'status-api',
      'actual',
      [right(nodes.status), row5 + 22],
      [apiX, row5 + 22],
      [apiX, top + 30],
      [right(nodes.api), top + 30],
    ),
  ];
  return {
    world: { x: 0, y: 0, w: width, h: row5 + 110 },
    nodes,
    headings: [
      { key: 'desired', x, y: 0 },
      { key: 'channels', x: x + 34, y: row1 - 18 },
      { key: 'select', x: select.x - 4, y: row1 - 18 },
      { key: 'handlers', x: handlers.x, y: row1 - 18 },
    ],
    wires,
    columns,
    workerAbove: 0.45,
    bus,
  };
}
export const LOOP_TALL: Loop = tall();
