import { describe, expect, it } from 'vitest';
import { LOOP } from './geometry.js';
import { LAYOUTS } from './geometry-levels.js';
import { centredOn, fitViewport, keepInSight, levelAtZoom, settledViewport, shown, showsWhole } from './viewport.js';

const NODES = LOOP.nodes;
const { loop, everything, story } = LAYOUTS;
const narrow = LAYOUTS['story-narrow'];

describe('the view', () => {
  it('shows the whole where it can be read, from the upper edge', () => {
    const size = { w: 1920, h: 1000 };
    for (const layout of [loop, story, everything]) {
      const v = fitViewport(size, layout);
      const { world } = layout;
      expect((world.x + world.w / 2) * v.zoom + v.x).toBeCloseTo(size.w / 2);
      expect(world.y * v.zoom + v.y).toBeCloseTo(14);
      expect((world.y + world.h) * v.zoom + v.y).toBeLessThanOrEqual(size.h);
    }
  });
  it('shows the upright Story over the full width of a phone', () => {
    for (const size of [
      { w: 390, h: 540 },
      { w: 430, h: 640 },
    ]) {
      const v = fitViewport(size, narrow);
      expect(v.x).toBeGreaterThanOrEqual(0);
      expect(v.x + narrow.world.w * v.zoom).toBeLessThanOrEqual(size.w);
      expect(v.zoom).toBeGreaterThanOrEqual(1);
    }
  });
  it('never gets too small to read, on a phone least of all', () => {
    const phone = { w: 360, h: 500 };
    expect(fitViewport(phone, loop).zoom).toBe(loop.smallest);
    expect(fitViewport({ w: 800, h: 400 }, loop).zoom).toBe(loop.smallest);
    expect(fitViewport(phone, loop).x).toBeGreaterThan(0);
  });
  it('leads from level to level: nearer opens, farther away sums up', () => {
    expect(levelAtZoom('story', 1.5, 1.2)).toBe('story');
    expect(levelAtZoom('story', 1.8, 1.2)).toBe('loop');
    expect(levelAtZoom('loop', 3, 1.1)).toBe('loop');
    expect(levelAtZoom('loop', 1, 1.1)).toBe('loop');
    expect(levelAtZoom('loop', 0.9, 1.1)).toBe('everything');
    expect(levelAtZoom('everything', 0.9, 0.6)).toBe('everything');
    expect(levelAtZoom('everything', 0.5, 0.6)).toBe('story');
    // A level that has just been fitted stays.
    for (const level of ['story', 'loop', 'everything'] as const) expect(levelAtZoom(level, 0.8, 0.8)).toBe(level);
  });
  it('knows where it can show the whole', () => {
    expect(showsWhole({ w: 1440, h: 720 }, loop)).toBe(true);
    expect(showsWhole({ w: 390, h: 600 }, loop)).toBe(false);
    expect(showsWhole({ w: 390, h: 600 }, narrow)).toBe(true);
  });
  it('does not grow without end on large screens', () => {
    expect(fitViewport({ w: 7680, h: 4320 }, loop).zoom).toBe(loop.largest);
  });
  it('stays where it is while what happens is in sight', () => {
    const size = { w: 1920, h: 1000 };
    expect(keepInSight(fitViewport(size, loop), size, NODES.pleg)).toBeNull();
  });
  it('moves just so far that what happens is in sight', () => {
    const size = { w: 600, h: 400 };
    const from = fitViewport(size, loop);
    const to = keepInSight(from, size, NODES.cri);
    expect(to?.zoom).toBe(from.zoom);
    const left = NODES.cri.x * from.zoom + (to?.x ?? 0);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + NODES.cri.w * from.zoom).toBeLessThanOrEqual(size.w);
    expect(keepInSight(to ?? from, size, NODES.cri)).toBeNull();
  });
  it('keeps what it shows when the stage gets another size', () => {
    const from = fitViewport({ w: 600, h: 400 }, loop);
    const there = keepInSight(from, { w: 600, h: 400 }, NODES.cri) ?? from;
    expect(settledViewport(there, { w: 580, h: 380 }, loop)).toEqual(there);
    // As much larger as the stage gets, the map comes back from beyond its edge.
    const larger = settledViewport(there, { w: 1000, h: 500 }, loop);
    expect(larger.zoom).toBe(there.zoom);
    expect((loop.world.x + loop.world.w) * larger.zoom + larger.x).toBeCloseTo(1000 - 14);
    // Where all of it has room, it is fitted.
    expect(settledViewport(there, { w: 1366, h: 732 }, loop)).toEqual(fitViewport({ w: 1366, h: 732 }, loop));
  });
  it('can be told by what it shows, and moved to a point', () => {
    const size = { w: 600, h: 400 };
    const v = centredOn({ x: 3, y: 4, zoom: 2 }, size, { x: 100, y: 50 });
    expect(shown(v, size)).toEqual({ x: -50, y: -50, w: 300, h: 200 });
  });
});
