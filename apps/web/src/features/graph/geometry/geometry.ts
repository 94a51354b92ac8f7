/**
 * The layout of the Loop level. Positions are authored, in world pixels, and never change: nodes, wires and the tokens
 * that travel along them are all drawn from here. The smallest letters are 11 px high at a zoom of 1. A phone has an
 * arrangement of its own (`geometry-tall.ts`).
 */
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { bottom, type Kind, type Point, type Rect, right, type Wire } from './geometry-paths.js';

export type { Kind, Point, Rect, Wire, WireKind } from './geometry-paths.js';
export { pathOf, pointAt } from './geometry-paths.js';

export const NODE_KIND = {
  file: 'desired',
  http: 'desired',
  api: 'desired',
  podConfig: 'desired',
  channels: 'message',
  select: 'decision',
  handlers: 'decision',
  lanes: 'desired',
  status: 'actual',
  events: 'message',
  probes: 'actual',
  pleg: 'actual',
  cri: 'message',
} as const satisfies Record<string, Kind>;
export type NodeKey = keyof typeof NODE_KIND;
export const NODE_KEYS = Object.keys(NODE_KIND) as NodeKey[];

export type LaneColumn = 'worker' | 'kuberuntime' | 'cri' | 'node';
/** A heading, and the begin of its line. */
export interface Heading {
  readonly key: 'desired' | 'channels' | 'select' | 'handlers' | 'workers' | 'kuberuntime' | 'cri' | 'node';
  readonly x: number;
  readonly y: number;
}

/** One arrangement of the Loop. */
export interface Loop {
  readonly world: Rect;
  readonly nodes: Readonly<Record<NodeKey, Rect>>;
  /** Set only if the kubelet that runs has a pod killer. */
  readonly podKiller?: Rect;
  readonly headings: readonly Heading[];
  /** All wires that are always drawn. */
  readonly wires: readonly Wire[];
  /** Columns of a pod's lane: the begin and the width of each. */
  readonly columns: Readonly<Record<LaneColumn, { readonly x: number; readonly w: number }>>;
  /**
   * The share of a lane's height that its worker takes when it is above the other columns; 0 when it is next to them.
   */
  readonly workerAbove: number;
  /** The way from the handlers to the lanes' left edge: from the bus, down to the middle of a lane. */
  readonly bus: readonly Point[];
}

/** Height of a heading's line. */
export const HEADING = 20;
/** The gap between two handlers, the same as in their style sheet. */
const HANDLER_GAP = 6;
/** Distance of the line that calls travel from the lower edge of a lane's cell. */
const CALL_LINE = 13;

const share = (r: Rect, i: number, n: number): number => r.y + (r.h / n) * (i + 0.5);
export const channelRect = ({ nodes: { channels: c } }: Loop, i: number): Rect => {
  const h = c.h / CHANNELS.length;
  return { x: c.x, y: c.y + i * h, w: c.w, h };
};
export const handlerRect = ({ nodes: { handlers } }: Loop, i: number): Rect => {
  const h = (handlers.h + HANDLER_GAP) / HANDLERS.length;
  return { x: handlers.x, y: handlers.y + i * h, w: handlers.w, h: h - HANDLER_GAP };
};
const handlerY = (handlers: Rect, i: number): number => share(handlers, i, HANDLERS.length);

/** A column of a lane. */
export function columnRect(loop: Loop, lane: Rect, column: LaneColumn): Rect {
  const { x, w } = loop.columns[column];
  const above = lane.h * loop.workerAbove;
  const at = { x: lane.x + x, w };
  if (above === 0) return { ...at, y: lane.y, h: lane.h };
  return column === 'worker' ? { ...at, y: lane.y, h: above } : { ...at, y: lane.y + above, h: lane.h - above };
}

/** Returns the way from a handler to a pod's lane, which is drawn only while something travels it. */
export function handlerToLane({ nodes, bus }: Loop, handler: number, laneAtY: number): Point[] {
  const y = handlerY(nodes.handlers, handler);
  const [first, ...rest] = bus;
  const last = rest[rest.length - 1] ?? first;
  if (!first || !last) return [];
  return [
    { x: right(nodes.handlers), y },
    { x: first.x, y },
    ...rest,
    { x: last.x, y: laneAtY },
    { x: nodes.lanes.x, y: laneAtY },
  ];
}

/** Across a lane, from kuberuntime through CRI to the pod's sandbox; below the call's name. */
export function laneToNode(loop: Loop, lane: Rect): Point[] {
  const cell = columnRect(loop, lane, 'cri');
  const y = bottom(cell) - CALL_LINE;
  return [
    { x: cell.x + 4, y },
    { x: right(cell) - 4, y },
  ];
}

/** A fixed wire by id. */
export const wireOf = (loop: Loop, id: string): Wire | undefined => loop.wires.find((w) => w.id === id);

export const line = (id: string, kind: Wire['kind'], ...points: readonly (readonly [number, number])[]): Wire => ({
  id,
  kind,
  points: points.map(([x, y]) => ({ x, y })),
});
export const labelled = (wire: Wire, text: string, x: number, y: number): Wire => ({ ...wire, label: { text, x, y } });

/** Wires that are the same in all arrangements: through the channels, the select and the handlers to the bus. */
export function throughTheLoop(nodes: Loop['nodes'], busX: number): Wire[] {
  const { channels, select, handlers } = nodes;
  const wires: Wire[] = [];
  CHANNELS.forEach((key, i) => {
    const y = share(channels, i, CHANNELS.length);
    wires.push(line(`${key}-select`, 'message', [right(channels), y], [select.x, y]));
  });
  HANDLERS.forEach((name, i) => {
    const y = handlerY(handlers, i);
    wires.push(line(`select-${name}`, 'decision', [right(select), y], [handlers.x, y]));
    // The handlers hand pods to their workers over one bus.
    wires.push({ ...line(`${name}-workers`, 'desired', [right(handlers), y], [busX, y]), plain: true });
  });
  const [first, last] = [handlerY(handlers, 0), handlerY(handlers, HANDLERS.length - 1)];
  wires.push({ ...line('bus', 'desired', [busX, first], [busX, last]), plain: true });
  return wires;
}

/** Makes a wire from the producers' side into a channel, over a track on the channels' left. */
export function intoChannel(
  id: string,
  nodes: Loop['nodes'],
  channel: number,
  feed: number,
  ...way: readonly (readonly [number, number])[]
): Wire {
  const y = share(nodes.channels, channel, CHANNELS.length);
  return line(id, 'actual', ...way, [feed, y], [nodes.channels.x, y]);
}

/** The wires from the sources to PodConfig, which is next to them, and from PodConfig to the channels. */
export function desiredWires(nodes: Loop['nodes']): Wire[] {
  const { podConfig, channels } = nodes;
  const y0 = share(channels, 0, CHANNELS.length);
  return [
    ...(['file', 'http', 'api'] as const).map((key) => {
      const y = nodes[key].y + nodes[key].h / 2;
      return line(`${key}-podConfig`, 'desired', [right(nodes[key]), y], [podConfig.x, y]);
    }),
    line('podConfig-configCh', 'desired', [right(podConfig), y0], [channels.x, y0]),
  ];
}

interface WideSizes {
  /** The widths of the columns, from the left; `feed` is the gutter before the channels. */
  readonly sources: number;
  readonly config: number;
  readonly feed: number;
  readonly channels: number;
  readonly select: number;
  readonly handlers: number;
  readonly worker: number;
  readonly kuberuntime: number;
  readonly cri: number;
  readonly node: number;
  /** Between channels, select and handlers. */
  readonly gap: number;
  /** Height of the upper row, of the gutter below it, and of the lower row. */
  readonly upper: number;
  readonly gutter: number;
  readonly lower: number;
}

/** The ring as one row, with the way back below it. */
function wide(s: WideSizes): Loop {
  const top = HEADING;
  const source = (y: number, h: number): Rect => ({ x: 0, y, w: s.sources, h });
  const configX = s.sources + 12;
  const left = configX + s.config;
  const channels = { x: left + s.feed, y: top, w: s.channels, h: s.upper };
  const select = { x: right(channels) + s.gap, y: top, w: s.select, h: s.upper };
  const handlers = { x: right(select) + s.gap, y: top, w: s.handlers, h: s.upper };
  const lanes = { x: right(handlers) + 20, y: top, w: s.worker + s.kuberuntime + s.cri + s.node, h: s.upper };
  const low = top + s.upper + s.gutter;
  const sourcesH = Math.round(s.upper * 0.475);
  const fileH = sourcesH - 2 * 46;
  const pleg = { x: lanes.x, y: low, w: Math.round(lanes.w * 0.6), h: s.lower };
  const criX = right(pleg) + 20;
  const statusY = top + sourcesH + 26;
  const nodes: Loop['nodes'] = {
    file: source(top, fileH - 8),
    http: source(top + fileH, 42),
    api: source(top + fileH + 50, 42),
    podConfig: { x: configX, y: top, w: s.config, h: sourcesH },
    channels,
    select,
    handlers,
    lanes,
    status: { x: 0, y: statusY, w: left, h: low - 16 - statusY },
    events: { x: 0, y: low, w: left, h: s.lower },
    probes: { x: channels.x, y: low, w: right(handlers) - channels.x, h: s.lower },
    pleg,
    cri: { x: criX, y: low, w: right(lanes) - criX, h: s.lower },
  };
  const columns = {
    worker: { x: 0, w: s.worker },
    kuberuntime: { x: s.worker, w: s.kuberuntime },
    cri: { x: s.worker + s.kuberuntime, w: s.cri },
    node: { x: s.worker + s.kuberuntime + s.cri, w: s.node },
  };
  // Tracks of the gutter below the channels, from the top, and of the one on their left, from the right.
  const track = (n: number) => bottom(lanes) + 9 + n * 8;
  const feed = (n: number) => channels.x - 8 - n * 8;
  const busX = right(handlers) + 10;
  const entry = handlerY(handlers, 0) + 20;
  const nodeX = lanes.x + columns.node.x + s.node / 2;
  const cacheX = lanes.x + s.worker - 8;
  // To the right of the words of a lane's marks.
  const statusX = lanes.x + 96;
  const plegY = pleg.y + 30;
  const probeY = bottom(pleg) - 14;
  const wires: Wire[] = [
    ...desiredWires(nodes),
    labelled(
      intoChannel(
        'pleg-plegCh',
        nodes,
        1,
        feed(0),
        [pleg.x + 24, pleg.y],
        [pleg.x + 24, track(1)],
        [feed(0), track(1)],
      ),
      'PodLifecycleEvent',
      nodes.probes.x + 80,
      track(1) + 11,
    ),
    ...(['livenessManager', 'readinessManager', 'startupManager'] as const).map((key, i) => {
      const up = nodes.probes.x + 20 + (2 - i) * 18;
      return intoChannel(
        `probes-${key}`,
        nodes,
        3 + i,
        feed(1 + i),
        [up, nodes.probes.y],
        [up, track(2 + i)],
        [feed(1 + i), track(2 + i)],
      );
    }),
    ...throughTheLoop(nodes, busX),
    line('bus-workers', 'desired', [busX, entry], [lanes.x, entry]),
    labelled(
      line('node-cri', 'actual', [nodeX, bottom(lanes)], [nodeX, low]),
      'List…',
      nodeX + 8,
      bottom(lanes) + s.gutter / 2,
    ),
    line('cri-pleg', 'actual', [criX, plegY], [right(pleg), plegY]),
    // The PLEG writes into the cache that the workers wait for.
    labelled(
      line('pleg-cache', 'actual', [cacheX, low], [cacheX, bottom(lanes)]),
      'cache',
      cacheX + 8,
      bottom(lanes) + s.gutter / 2,
    ),
    line('node-probes', 'actual', [pleg.x, probeY], [right(nodes.probes), probeY]),
    labelled(
      line('workers-status', 'actual', [statusX, bottom(lanes)], [statusX, track(0)], [left, track(0)]),
      'SetPodStatus',
      statusX + 8,
      bottom(lanes) + 11,
    ),
    line('status-api', 'actual', [40, statusY], [40, bottom(nodes.api)]),
  ];
  return {
    world: { x: 0, y: 0, w: right(lanes), h: low + s.lower },
    nodes,
    headings: [
      { key: 'desired', x: 0, y: 0 },
      { key: 'channels', x: channels.x, y: 0 },
      { key: 'select', x: select.x, y: 0 },
      { key: 'handlers', x: handlers.x, y: 0 },
      { key: 'workers', x: lanes.x, y: 0 },
      { key: 'kuberuntime', x: lanes.x + columns.kuberuntime.x, y: 0 },
      { key: 'cri', x: lanes.x + columns.cri.x, y: 0 },
      { key: 'node', x: lanes.x + columns.node.x, y: 0 },
    ],
    wires,
    columns,
    workerAbove: 0,
    bus: [{ x: busX, y: 0 }],
  };
}

/**
 * The Loop: as high and as wide as a window of 1280x720 has room for, so that it is read as a whole there in letters of
 * 11 px, and in larger ones where there is more room.
 */
export const LOOP = wide({
  sources: 84,
  config: 94,
  feed: 36,
  channels: 152,
  select: 32,
  handlers: 132,
  gap: 12,
  worker: 198,
  kuberuntime: 150,
  cri: 112,
  node: 110,
  upper: 326,
  gutter: 46,
  lower: 104,
});
