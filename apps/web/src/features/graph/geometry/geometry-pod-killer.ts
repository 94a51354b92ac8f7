/**
 * The Loop of kubelets that kill pods in goroutines apart from the pod workers: each arrangement gets a box for the pod
 * killer, which takes its space from one neighbour. Everything else keeps its place.
 */

import { HANDLERS } from '../../../run/loop.js';
import { handlerRect, type Loop, line } from './geometry.js';
import { bottom, type Point, type Rect, right, type Wire } from './geometry-paths.js';

/** Handlers that ask it to kill pods: by deletePod, and in housekeeping. */
export const KILLING_HANDLERS = ['HandlePodRemoves', 'HandlePodCleanups'] as const;
/** The distance between the wire to the workers and the one to the pod killer at their handler. */
const BESIDE = 7;

const leaving = (loop: Loop, name: (typeof KILLING_HANDLERS)[number]): number => {
  const { y, h } = handlerRect(loop, HANDLERS.indexOf(name));
  return Math.round(y + h / 2) + BESIDE;
};
const withWires = (loop: Loop, podKiller: Rect, wires: readonly Wire[]): Loop => ({
  ...loop,
  podKiller,
  wires: [...loop.wires.filter(({ id }) => !wires.some((w) => w.id === id)), ...wires],
});
const kuberuntimeX = ({ nodes: { lanes }, columns: { kuberuntime } }: Loop): number =>
  lanes.x + kuberuntime.x + Math.round(kuberuntime.w * 0.4);

/** Below the handlers, next to the probe workers; the node's messages to those pass below the box. */
export function rightOfProbes(loop: Loop): Loop {
  const { nodes } = loop;
  const { probes, handlers, lanes, pleg } = nodes;
  const w = Math.round(probes.w / 2) - 6;
  const podKiller = { x: right(probes) - w, y: probes.y, w, h: probes.h - 14 };
  const narrower = { ...probes, w: probes.w - w - 12 };
  const edge = right(handlers);
  const between = bottom(handlers) + 5;
  // Between the labels at the lanes and those at the boxes below.
  const up = bottom(handlers) + 23;
  const cacheLabelY = pleg.y - 12;
  const probeY = bottom(probes) - 7;
  const runtimeX = kuberuntimeX(loop);
  const wires = loop.wires.map((w) =>
    w.id === 'pleg-cache' && w.label ? { ...w, label: { ...w.label, y: cacheLabelY } } : w,
  );
  return withWires({ ...loop, wires, nodes: { ...nodes, probes: narrower } }, podKiller, [
    line(
      'HandlePodRemoves-podKiller',
      'message',
      [edge, leaving(loop, 'HandlePodRemoves')],
      [edge + 5, leaving(loop, 'HandlePodRemoves')],
      [edge + 5, between],
      [edge - 30, between],
      [edge - 30, podKiller.y],
    ),
    line('HandlePodCleanups-podKiller', 'message', [edge - 60, bottom(handlers)], [edge - 60, podKiller.y]),
    line(
      'podKiller-runtime',
      'desired',
      [edge - 12, podKiller.y],
      [edge - 12, up],
      [runtimeX, up],
      [runtimeX, bottom(lanes)],
    ),
    line('node-probes', 'actual', [pleg.x, probeY], [right(narrower), probeY]),
  ]);
}

/** Adds a row of its own between the handlers and the lanes; everything below it moves down. */
export function aboveLanes(loop: Loop): Loop {
  const { nodes, world, bus } = loop;
  const { handlers, channels } = nodes;
  const edge = right(handlers);
  const y = bottom(handlers) + 22;
  const podKiller = { x: channels.x, y, w: edge - 6 - channels.x, h: 86 };
  const by = bottom(podKiller) - bottom(handlers);
  const lower = <T extends Point>(p: T): T => (p.y > bottom(handlers) ? { ...p, y: p.y + by } : p);
  const moved: Loop = {
    ...loop,
    world: { ...world, h: world.h + by },
    nodes: Object.fromEntries(Object.entries(nodes).map(([id, r]) => [id, lower(r)])) as Loop['nodes'],
    wires: loop.wires.map((w) => ({ ...w, points: w.points.map(lower), ...(w.label && { label: lower(w.label) }) })),
    bus: bus.map(lower),
  };
  const removesY = leaving(loop, 'HandlePodRemoves');
  const runtimeX = kuberuntimeX(moved);
  return withWires(moved, podKiller, [
    line(
      'HandlePodRemoves-podKiller',
      'message',
      [edge, removesY],
      [edge + 2.5, removesY],
      [edge + 2.5, y - 12],
      [edge - 24, y - 12],
      [edge - 24, y],
    ),
    line('HandlePodCleanups-podKiller', 'message', [edge - 54, bottom(handlers)], [edge - 54, y]),
    line('podKiller-runtime', 'desired', [runtimeX, bottom(podKiller)], [runtimeX, moved.nodes.lanes.y]),
  ]);
}
