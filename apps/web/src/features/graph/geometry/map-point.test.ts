import { describe, expect, it } from 'vitest';
import { LAYOUTS } from './geometry-levels.js';
import { mapPointAt, placeOfPoint } from './map-point.js';

const { boxes } = LAYOUTS.loop;
const rectOf = (id: string, all = boxes) => all.find((b) => b.id === id)?.rect ?? { x: 0, y: 0, w: 1, h: 1 };

describe('a point of the map', () => {
  it('is relative to the box that it lies in, and comes back to the same place', () => {
    const { x, y, w, h } = rectOf('pleg');
    const point = mapPointAt({ x: x + w / 4, y: y + h / 2 }, boxes);
    expect(point).toEqual({ box: 'pleg', x: 0.25, y: 0.5 });
    expect(point && placeOfPoint(point, boxes)).toEqual({ x: x + w / 4, y: y + h / 2 });
  });

  it('lies in the same box in another arrangement', () => {
    const point = { box: 'channels', x: 0.5, y: 0.25 };
    const tall = LAYOUTS['loop-tall'].boxes;
    const { x, y, w, h } = rectOf('channels', tall);
    expect(placeOfPoint(point, tall)).toEqual({ x: x + w / 2, y: y + h / 4 });
    expect(placeOfPoint(point, LAYOUTS.story.boxes)).toBeNull();
  });

  it('is beyond the edges of the nearest box, where there is none', () => {
    const own = [
      { id: 'a', rect: { x: 0, y: 0, w: 100, h: 100 } },
      { id: 'b', rect: { x: 200, y: 0, w: 100, h: 100 } },
    ];
    expect(mapPointAt({ x: 120, y: 50 }, own)).toEqual({ box: 'a', x: 1.2, y: 0.5 });
    expect(mapPointAt({ x: 160, y: 50 }, own)).toEqual({ box: 'b', x: -0.4, y: 0.5 });
    expect(mapPointAt({ x: 0, y: 0 }, [])).toBeNull();
  });
});
