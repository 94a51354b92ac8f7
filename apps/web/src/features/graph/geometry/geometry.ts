/**
 * Where things stand on the Loop level. Positions are authored, in world pixels, and never change while a run goes on:
 * nodes, wires and the tokens that travel them are all drawn from here.
 */
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { bottom, type Point, type Rect, right, type Wire } from './geometry-paths.js';

export type { Kind, Point, Rect, Wire, WireKind } from './geometry-paths.js';
export { lengthOf, pathOf, pointAt } from './geometry-paths.js';

export const WORLD: Rect = { x: 0, y: 0, w: 1584, h: 812 };

export const TOP = 34;
export const ROW = 60;
export const LANES: Rect = { x: 750, y: TOP, w: 834, h: ROW * 8 };
/** Widths inside a pod's lane: worker, kuberuntime, CRI, node. */
export const LANE_COLUMNS = { worker: 292, kuberuntime: 206, cri: 128, node: 208 } as const;

const BOTTOM = 578;
const BOTTOM_H = 234;

export const NODES = {
  file: { x: 0, y: TOP, w: 114, h: 112 },
  http: { x: 0, y: 156, w: 114, h: 48 },
  api: { x: 0, y: 214, w: 114, h: 48 },
  podConfig: { x: 132, y: TOP, w: 102, h: 228 },
  channels: { x: 276, y: TOP, w: 210, h: ROW * 8 },
  select: { x: 504, y: TOP, w: 46, h: ROW * 8 },
  handlers: { x: 568, y: TOP, w: 158, h: ROW * 8 },
  lanes: LANES,
  status: { x: 0, y: 296, w: 234, h: 258 },
  events: { x: 0, y: BOTTOM, w: 234, h: BOTTOM_H },
  probes: { x: 276, y: BOTTOM, w: 450, h: BOTTOM_H },
  pleg: { x: 750, y: BOTTOM, w: 506, h: BOTTOM_H },
  cri: { x: 1280, y: BOTTOM, w: 304, h: BOTTOM_H },
} as const satisfies Record<string, Rect>;
export type NodeKey = keyof typeof NODES;

/** Headings of the columns, on the line above them. */
export const HEADINGS: readonly {
  readonly key: 'desired' | 'channels' | 'select' | 'handlers' | 'workers' | 'kuberuntime' | 'cri' | 'node';
  readonly x: number;
}[] = [
  { key: 'desired', x: 0 },
  { key: 'channels', x: NODES.channels.x },
  { key: 'select', x: NODES.select.x },
  { key: 'handlers', x: NODES.handlers.x },
  { key: 'workers', x: LANES.x },
  { key: 'kuberuntime', x: LANES.x + LANE_COLUMNS.worker },
  { key: 'cri', x: LANES.x + LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime },
  { key: 'node', x: LANES.x + LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime + LANE_COLUMNS.cri },
];

export const channelY = (index: number): number => TOP + ROW * index + ROW / 2;
const HANDLER_H = NODES.handlers.h / HANDLERS.length;
export const handlerY = (index: number): number => TOP + HANDLER_H * index + HANDLER_H / 2;

/** Below the channels runs a gutter through which events come back; its tracks, from the top. */
const track = (n: number): number => TOP + ROW * 8 + 10 + n * 9;
/** Left of the channels, from where producers feed them. */
const feed = (n: number): number => NODES.channels.x - 8 - n * 9;

function fixedWires(): Wire[] {
  const pc = NODES.podConfig;
  const wires: Wire[] = [];
  for (const key of ['file', 'http', 'api'] as const) {
    const r = NODES[key];
    const y = r.y + r.h / 2;
    wires.push({
      id: `${key}-podConfig`,
      kind: 'desired',
      points: [
        { x: right(r), y },
        { x: pc.x, y },
      ],
    });
  }
  const y0 = channelY(0);
  wires.push({
    id: 'podConfig-configCh',
    kind: 'desired',
    points: [
      { x: right(pc), y: y0 },
      { x: NODES.channels.x, y: y0 },
    ],
  });
  const y1 = channelY(1);
  wires.push({
    id: 'pleg-plegCh',
    kind: 'actual',
    points: [
      { x: NODES.pleg.x + 24, y: NODES.pleg.y },
      { x: NODES.pleg.x + 24, y: track(1) },
      { x: feed(0), y: track(1) },
      { x: feed(0), y: y1 },
      { x: NODES.channels.x, y: y1 },
    ],
    label: { text: 'PodLifecycleEvent', x: NODES.pleg.x + 32, y: bottom(LANES) + 38 },
  });
  for (const [i, key] of (['livenessManager', 'readinessManager', 'startupManager'] as const).entries()) {
    const y = channelY(3 + i);
    const up = NODES.probes.x + 20 + (2 - i) * 20;
    wires.push({
      id: `probes-${key}`,
      kind: 'actual',
      points: [
        { x: up, y: NODES.probes.y },
        { x: up, y: track(2 + i) },
        { x: feed(1 + i), y: track(2 + i) },
        { x: feed(1 + i), y },
        { x: NODES.channels.x, y },
      ],
    });
  }
  for (let i = 0; i < CHANNELS.length; i++) {
    wires.push({
      id: `${CHANNELS[i]}-select`,
      kind: 'message',
      points: [
        { x: right(NODES.channels), y: channelY(i) },
        { x: NODES.select.x, y: channelY(i) },
      ],
    });
  }
  for (let i = 0; i < HANDLERS.length; i++) {
    wires.push({
      id: `select-${HANDLERS[i]}`,
      kind: 'decision',
      points: [
        { x: right(NODES.select), y: handlerY(i) },
        { x: NODES.handlers.x, y: handlerY(i) },
      ],
    });
  }
  // The handlers hand pods to their workers over one bus.
  const bus = right(NODES.handlers) + 11;
  for (let i = 0; i < HANDLERS.length; i++) {
    wires.push({
      id: `${HANDLERS[i]}-workers`,
      kind: 'desired',
      plain: true,
      points: [
        { x: right(NODES.handlers), y: handlerY(i) },
        { x: bus, y: handlerY(i) },
      ],
    });
  }
  wires.push({
    id: 'bus',
    kind: 'desired',
    plain: true,
    points: [
      { x: bus, y: handlerY(0) },
      { x: bus, y: handlerY(HANDLERS.length - 1) },
    ],
  });
  wires.push({
    id: 'bus-workers',
    kind: 'desired',
    points: [
      { x: bus, y: handlerY(0) + 24 },
      { x: LANES.x, y: handlerY(0) + 24 },
    ],
  });
  const criX = LANES.x + LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime + LANE_COLUMNS.cri + LANE_COLUMNS.node / 2;
  wires.push({
    id: 'node-cri',
    kind: 'actual',
    points: [
      { x: criX, y: bottom(LANES) },
      { x: criX, y: NODES.cri.y },
    ],
    label: { text: 'List…', x: criX + 8, y: bottom(LANES) + 28 },
  });
  const py = NODES.pleg.y + 36;
  wires.push({
    id: 'cri-pleg',
    kind: 'actual',
    points: [
      { x: NODES.cri.x, y: py },
      { x: right(NODES.pleg), y: py },
    ],
  });
  // What the PLEG saw goes into the cache that the workers wait for.
  const cx = LANES.x + LANE_COLUMNS.worker - 60;
  wires.push({
    id: 'pleg-cache',
    kind: 'actual',
    points: [
      { x: cx, y: NODES.pleg.y },
      { x: cx, y: bottom(LANES) },
    ],
    label: { text: 'cache', x: cx + 8, y: bottom(LANES) + 28 },
  });
  const qy = NODES.probes.y + NODES.probes.h - 14;
  wires.push({
    id: 'node-probes',
    kind: 'actual',
    points: [
      { x: NODES.pleg.x, y: qy },
      { x: right(NODES.probes), y: qy },
    ],
  });
  wires.push({
    id: 'workers-status',
    kind: 'actual',
    points: [
      { x: LANES.x + 60, y: bottom(LANES) },
      { x: LANES.x + 60, y: track(0) },
      { x: right(NODES.status), y: track(0) },
    ],
    label: { text: 'SetPodStatus', x: LANES.x + 68, y: bottom(LANES) + 12 },
  });
  wires.push({
    id: 'status-api',
    kind: 'actual',
    points: [
      { x: NODES.status.x + 40, y: NODES.status.y },
      { x: NODES.status.x + 40, y: bottom(NODES.api) },
    ],
  });
  return wires;
}

/** All wires that are always drawn. */
export const WIRES: readonly Wire[] = fixedWires();
const byId = new Map(WIRES.map((w) => [w.id, w]));

/** A fixed wire by id. */
export function wire(id: string): Wire | undefined {
  return byId.get(id);
}

/** From a handler to a pod's lane: drawn only while something travels it. */
export function handlerToLane(handler: number, laneAtY: number): Point[] {
  const x0 = right(NODES.handlers);
  const mid = x0 + 11;
  return [
    { x: x0, y: handlerY(handler) },
    { x: mid, y: handlerY(handler) },
    { x: mid, y: laneAtY },
    { x: LANES.x, y: laneAtY },
  ];
}

/** Across a lane, from kuberuntime through CRI to the pod's sandbox; below the call's name. */
export function laneToNode(laneAtY: number, laneHeight: number): Point[] {
  const x0 = LANES.x + LANE_COLUMNS.worker + LANE_COLUMNS.kuberuntime;
  const y = laneAtY + laneHeight / 2 - CALL_LINE;
  return [
    { x: x0 + 4, y },
    { x: x0 + LANE_COLUMNS.cri - 4, y },
  ];
}
/** Distance of that line from the lane's lower edge. */
export const CALL_LINE = 14;
