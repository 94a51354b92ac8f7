import { describe, expect, it } from 'vitest';
import { NODES, WORLD } from './geometry.js';
import { fitViewport, keepInSight, readable, showsWhole } from './viewport.js';

describe('the view', () => {
  it('shows the whole where it can be read, in the middle', () => {
    const size = { w: 1920, h: 1000 };
    const v = fitViewport(size);
    expect(v.zoom * WORLD.w + 2 * v.x).toBeCloseTo(size.w);
    expect(v.zoom * WORLD.h + 2 * v.y).toBeCloseTo(size.h);
  });
  it('never gets too small to read, on a phone least of all', () => {
    expect(fitViewport({ w: 360, h: 500 }).zoom).toBe(readable({ w: 360, h: 500 }));
    expect(readable({ w: 360, h: 500 })).toBeGreaterThan(readable({ w: 1400, h: 500 }));
    expect(fitViewport({ w: 360, h: 500 }).x).toBeGreaterThan(0);
  });
  it('knows where it can show the whole', () => {
    expect(showsWhole({ w: 1440, h: 600 })).toBe(true);
    expect(showsWhole({ w: 390, h: 600 })).toBe(false);
  });
  it('does not grow without end on large screens', () => {
    expect(fitViewport({ w: 7680, h: 4320 }).zoom).toBeLessThanOrEqual(2.2);
  });
  it('stays where it is while what happens is in sight', () => {
    const size = { w: 1920, h: 1000 };
    expect(keepInSight(fitViewport(size), size, NODES.pleg)).toBeNull();
  });
  it('moves just so far that what happens is in sight', () => {
    const size = { w: 600, h: 400 };
    const from = fitViewport(size);
    const to = keepInSight(from, size, NODES.cri);
    expect(to?.zoom).toBe(from.zoom);
    const left = NODES.cri.x * from.zoom + (to?.x ?? 0);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + NODES.cri.w * from.zoom).toBeLessThanOrEqual(size.w);
    expect(keepInSight(to ?? from, size, NODES.cri)).toBeNull();
  });
});
