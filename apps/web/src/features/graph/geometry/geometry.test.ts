import { describe, expect, it } from 'vitest';
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import {
  channelY,
  handlerToLane,
  handlerY,
  LANES,
  laneToNode,
  lengthOf,
  NODES,
  pathOf,
  pointAt,
  type Rect,
  WIRES,
  WORLD,
  wire,
} from './geometry.js';

const overlap = (a: Rect, b: Rect) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('the graph is authored', () => {
  it('keeps all parts in the world and apart from each other', () => {
    const rects = Object.entries(NODES);
    for (const [name, r] of rects) {
      expect(r.x >= WORLD.x && r.y >= WORLD.y && r.x + r.w <= WORLD.w && r.y + r.h <= WORLD.h, name).toBe(true);
      for (const [other, s] of rects) if (other !== name) expect(overlap(r, s), `${name} over ${other}`).toBe(false);
    }
  });
  it('has wires with their own ids that run straight up, down or along', () => {
    expect(new Set(WIRES.map((w) => w.id)).size).toBe(WIRES.length);
    for (const w of WIRES) {
      for (let i = 1; i < w.points.length; i++) {
        const a = w.points[i - 1];
        const b = w.points[i];
        expect(a?.x === b?.x || a?.y === b?.y, w.id).toBe(true);
      }
    }
  });
  it('has a wire from every channel to the select and from the select to every handler', () => {
    for (const [i, c] of CHANNELS.entries()) expect(wire(`${c}-select`)?.points[0]?.y).toBe(channelY(i));
    for (const [i, h] of HANDLERS.entries()) expect(wire(`select-${h}`)?.points[0]?.y).toBe(handlerY(i));
  });
});

describe('lanes', () => {
  it('are reached from every handler, and reach the node', () => {
    const middle = LANES.y + 60;
    for (let i = 0; i < HANDLERS.length; i++) {
      const path = handlerToLane(i, middle);
      expect(path[0]).toEqual({ x: NODES.handlers.x + NODES.handlers.w, y: handlerY(i) });
      expect(path[path.length - 1]).toEqual({ x: LANES.x, y: middle });
    }
    const [from, to] = laneToNode(middle, 120);
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
