import { describe, expect, it } from 'vitest';
import { LAYOUTS } from './geometry/geometry-levels.js';
import { wordPlace } from './marks-node.js';

describe('the words of marks', () => {
  const map = { world: { x: 0, y: -100, w: 1000, h: 500 }, headings: [{ key: 'workers', x: 100, y: 0 }] } as const;
  it('stand above a box, on the lower edge below a heading, and across a slim box', () => {
    expect(wordPlace({ x: 100, y: 18, w: 400, h: 60 }, map)).toBe('edge');
    expect(wordPlace({ x: 100, y: 180, w: 400, h: 60 }, map)).toBeUndefined();
    expect(wordPlace({ x: 600, y: 18, w: 400, h: 60 }, map)).toBeUndefined();
    expect(wordPlace({ x: 600, y: 180, w: 100, h: 60 }, map)).toBe('narrow');
    expect(wordPlace({ x: 600, y: -100, w: 400, h: 60 }, map)).toBe('edge');
    expect(wordPlace({ x: 100, y: 18, w: 30, h: 60 }, map)).toBe('slim');
  });
  it('hide no heading of the map', () => {
    const { headings, boxes } = LAYOUTS.loop;
    for (const { x, y } of headings) {
      const under = boxes.filter(({ rect }) => rect.y > y && rect.y < y + 30 && rect.x <= x && x < rect.x + rect.w);
      for (const { id, rect } of under) expect(wordPlace(rect, LAYOUTS.loop), id).toBeDefined();
    }
    expect(headings.length).toBeGreaterThan(5);
  });
});
