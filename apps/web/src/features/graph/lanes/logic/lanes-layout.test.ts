import { describe, expect, it } from 'vitest';
import { LOOP } from '../../geometry/geometry.js';
import { LOOP_TALL } from '../../geometry/geometry-tall.js';
import { cellAfter, lanesLayout as layoutIn, mostLanes, placeInLanes as placeIn } from './lanes-layout.js';

const LANES = LOOP.nodes.lanes;
const MOST_LANES = mostLanes(LANES);
const lanesLayout = (count: number) => layoutIn(count, LANES);
const UNFOLDED = lanesLayout(1).unfolded;
const placeInLanes = (index: number, count: number, scrolled = 0, open = -1) =>
  placeIn(index, count, LANES, scrolled, open);
const bottom = LANES.y + LANES.h;

describe('the lanes’ box', () => {
  it('is used as a whole: lanes never reach over it, and one pod has all of it', () => {
    expect(lanesLayout(1)).toMatchObject({ density: 'full', height: LANES.h, folded: false });
    for (let n = 1; n <= MOST_LANES; n++) {
      const { height, rows } = lanesLayout(n);
      expect(rows).toBeGreaterThanOrEqual(n);
      expect(n * height).toBeLessThanOrEqual(LANES.h + 1e-9);
    }
  });
  it('gets denser with more pods, never the other way', () => {
    const order = ['full', 'half', 'row', 'compact', 'line', 'cells', 'dense'];
    let before = 0;
    for (let n = 1; n <= 200; n++) {
      const at = order.indexOf(lanesLayout(n).density);
      expect(at).toBeGreaterThanOrEqual(before);
      before = at;
    }
    expect(lanesLayout(MOST_LANES).folded).toBe(false);
    expect(lanesLayout(MOST_LANES + 1).folded).toBe(true);
  });
  it('has room for more than half the pods of a full node without scrolling, each high enough to be pressed', () => {
    const { columns, rows, height, header, footer } = lanesLayout(110);
    expect(columns * rows).toBeGreaterThanOrEqual(60);
    expect(height).toBeGreaterThanOrEqual(24);
    expect(header + footer + rows * height).toBeCloseTo(LANES.h);
  });
});

describe.each(Object.entries({ LOOP, LOOP_TALL }))('the lanes’ box of %s', (_, { nodes: { lanes }, workerAbove }) => {
  const area = { ...lanes, share: workerAbove || 1 };
  it('has lanes that are high enough to be read, and cells that are large enough to be pressed', () => {
    expect(mostLanes(area)).toBeGreaterThanOrEqual(3);
    for (let n = 1; n <= mostLanes(area); n++) {
      const { height, rows } = layoutIn(n, area);
      expect(height * area.share).toBeGreaterThanOrEqual(34);
      expect(rows).toBeGreaterThanOrEqual(n);
    }
    for (const n of [mostLanes(area) + 1, 40, 110]) {
      const { height, columns, folded } = layoutIn(n, area);
      expect(folded).toBe(true);
      expect(height).toBeGreaterThanOrEqual(24);
      expect(area.w / columns).toBeGreaterThanOrEqual(80);
    }
  });
});

describe('the place of a pod', () => {
  it('is its lane', () => {
    expect(placeInLanes(1, 2)).toEqual({
      x: LANES.x,
      y: LANES.y + LANES.h / 2,
      w: LANES.w,
      h: LANES.h / 2,
      folded: false,
    });
  });
  it('is its cell, row by row', () => {
    const { columns, height, header } = lanesLayout(110);
    const first = placeInLanes(0, 110);
    const below = placeInLanes(columns, 110);
    expect(first).toMatchObject({ x: LANES.x, y: LANES.y + header, folded: true });
    expect(below.x).toBe(first.x);
    expect(below.y - first.y).toBeCloseTo(height);
    expect(placeInLanes(1, 110).x - first.x).toBeCloseTo(LANES.w / columns);
  });
  it('makes room under the row of the pod that is unfolded', () => {
    const { columns, height, header } = lanesLayout(110);
    const open = columns + 2;
    expect(placeInLanes(open, 110, 0, open)).toMatchObject({ folded: false, h: UNFOLDED, w: LANES.w });
    expect(placeInLanes(open, 110, 0, open).y).toBeCloseTo(LANES.y + header + 2 * height);
    expect(placeInLanes(open + 1, 110, 0, open)).toEqual(placeInLanes(open + 1, 110));
    expect(placeInLanes(2 * columns, 110, 0, open).y).toBeCloseTo(LANES.y + header + 2 * height + UNFOLDED);
  });
  it('is kept inside the box where it is scrolled out of sight', () => {
    for (const scrolled of [0, 400, 5000])
      for (const index of [0, 60, 249]) {
        const { y } = placeInLanes(index, 250, scrolled);
        expect(y).toBeGreaterThanOrEqual(LANES.y);
        expect(y).toBeLessThanOrEqual(bottom);
      }
  });
});

describe('arrow keys in the strip', () => {
  it('move to the neighbour and stay at the edges', () => {
    const go = (key: string, at: number) => cellAfter(key, at, 10, 4);
    expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((k) => go(k, 5))).toEqual([
      4, 6, 1, 9, 0, 9, 5,
    ]);
    expect([go('ArrowLeft', 0), go('ArrowUp', 3), go('ArrowRight', 9), go('ArrowDown', 7)]).toEqual([0, 3, 9, 7]);
  });
});
