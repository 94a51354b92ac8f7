import { describe, expect, it } from 'vitest';
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { channelRect, columnRect, handlerRect, handlerToLane, type Loop, laneToNode, wireOf } from './geometry.js';
import { LAYOUTS, plainOf, withPodKiller } from './geometry-levels.js';
import { inside, lengthOf, onEdge, overlap, pathOf, pointAt, type Rect } from './geometry-paths.js';

const core = ({ x, y, w, h }: Rect): Rect => ({ x: x + 1, y: y + 1, w: w - 2, h: h - 2 });

const LOOPS = (['loop', 'loop-tall'] as const).flatMap((key) => [key, withPodKiller(key)]);

describe.each(LOOPS)('the arrangement %s of the Loop', (key) => {
  const loop = LAYOUTS[key].loop as Loop;
  const { nodes } = loop;
  it('has a wire from every channel to the select and from the select to every handler', () => {
    for (const [i, c] of CHANNELS.entries()) {
      const { y, h } = channelRect(loop, i);
      expect(wireOf(loop, `${c}-select`)?.points[0]?.y).toBeCloseTo(y + h / 2);
    }
    for (const [i, h] of HANDLERS.entries()) {
      const [from, to] = wireOf(loop, `select-${h}`)?.points ?? [];
      expect(from && onEdge(from, nodes.select)).toBe(true);
      expect(to && onEdge(to, handlerRect(loop, i))).toBe(true);
    }
  });
  it('has its channels and handlers in their boxes, apart from each other', () => {
    for (const [rects, box] of [
      [CHANNELS.map((_, i) => channelRect(loop, i)), nodes.channels],
      [HANDLERS.map((_, i) => handlerRect(loop, i)), nodes.handlers],
    ] as const)
      for (const [i, r] of rects.entries()) {
        expect(inside(core(r), box)).toBe(true);
        for (const other of rects.slice(i + 1)) expect(overlap(core(r), core(other))).toBe(false);
      }
  });
  it('has the same wires as every other', () => {
    const ids = (l: Loop) =>
      l.wires
        .map((w) => w.id)
        .filter((id) => id !== 'bus-down')
        .sort();
    const first = plainOf(key) === key ? 'loop' : 'loop+podKiller';
    expect(ids(loop)).toEqual(ids(LAYOUTS[first].loop as Loop));
  });
  it('reaches each lane from every handler, straight and around other boxes', () => {
    const middle = nodes.lanes.y + 60;
    for (let i = 0; i < HANDLERS.length; i++) {
      const path = handlerToLane(loop, i, middle);
      expect(path[0] && onEdge(path[0], handlerRect(loop, i))).toBe(true);
      expect(path[path.length - 1]).toEqual({ x: nodes.lanes.x, y: middle });
      for (const [j, b] of path.entries()) {
        const a = path[j - 1];
        if (!a) continue;
        expect(a.x === b.x || a.y === b.y, `${i} ${j}`).toBe(true);
        const line = { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(a.x - b.x), h: Math.abs(a.y - b.y) };
        for (const [id, rect] of Object.entries({ ...nodes, ...(loop.podKiller && { killer: loop.podKiller }) }))
          expect(overlap({ ...line, w: line.w + 0.5, h: line.h + 0.5 }, core(rect)), `${j} through ${id}`).toBe(false);
      }
    }
  });
  it('divides a lane into its columns, and lets calls travel within theirs', () => {
    const { lanes } = nodes;
    const columns = (['worker', 'kuberuntime', 'cri', 'node'] as const).map((c) => columnRect(loop, lanes, c));
    for (const [i, r] of columns.entries()) {
      expect(inside(core(r), lanes)).toBe(true);
      for (const other of columns.slice(i + 1)) expect(overlap(core(r), core(other))).toBe(false);
    }
    expect(columns.reduce((sum, r) => sum + r.w * r.h, 0)).toBeCloseTo(lanes.w * lanes.h);
    const [from, to] = laneToNode(loop, lanes);
    expect(from?.y).toBe(to?.y);
    expect((to?.x ?? 0) > (from?.x ?? 0)).toBe(true);
  });
});

describe('paths', () => {
  const corner = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 30 },
  ];
  it('are measured and walked', () => {
    expect(lengthOf(corner)).toBe(40);
    expect(pointAt(corner, 0)).toEqual({ x: 0, y: 0 });
    expect(pointAt(corner, 0.25)).toEqual({ x: 10, y: 0 });
    expect(pointAt(corner, 0.5)).toEqual({ x: 10, y: 10 });
    expect(pointAt(corner, 1)).toEqual({ x: 10, y: 30 });
    expect(pointAt(corner, 7)).toEqual({ x: 10, y: 30 });
    expect(pointAt([], 0.5)).toEqual({ x: 0, y: 0 });
    expect(pointAt([{ x: 3, y: 4 }], 0.5)).toEqual({ x: 3, y: 4 });
  });
  it('are drawn with rounded corners', () => {
    expect(pathOf(corner, 4)).toBe('M0 0L6 0Q10 0 10 4L10 30');
    expect(pathOf([])).toBe('');
  });
});
