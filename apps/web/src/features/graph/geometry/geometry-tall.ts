/** The Loop's arrangement for a phone. */
import {
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
