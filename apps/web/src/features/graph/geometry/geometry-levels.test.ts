import { describe, expect, it } from 'vitest';
import { NODES } from './geometry.js';
import { type Arrangement, arrangementFor, LAYOUTS, levelFor, rectOf } from './geometry-levels.js';
import { inside, onEdge, overlap } from './geometry-paths.js';

const ALL = Object.keys(LAYOUTS) as Arrangement[];

describe.each(ALL)('the arrangement %s', (key) => {
  const { world, boxes, wires } = LAYOUTS[key];
  it('keeps its boxes in the world and apart', () => {
    expect(new Set(boxes.map((b) => b.id)).size).toBe(boxes.length);
    for (const [i, a] of boxes.entries()) {
      expect(inside(a.rect, world), a.id).toBe(true);
      for (const b of boxes.slice(i + 1)) expect(overlap(a.rect, b.rect), `${a.id} over ${b.id}`).toBe(false);
    }
  });
  it('has wires of their own names that run straight, inside the world', () => {
    expect(new Set(wires.map((w) => w.id)).size).toBe(wires.length);
    for (const w of wires)
      for (const [i, b] of w.points.entries()) {
        expect(inside({ ...b, w: 0, h: 0 }, world), `${w.id} ${i}`).toBe(true);
        const a = w.points[i - 1];
        if (a) expect(a.x === b.x || a.y === b.y, `${w.id} ${i}`).toBe(true);
      }
  });
  it('ends each wire at a box', () => {
    for (const w of wires) {
      const last = w.points[w.points.length - 1];
      const first = w.points[0];
      // The bus between handlers and lanes is made of pieces that end at each other.
      if (!first || !last || w.id.startsWith('bus') || w.plain) continue;
      expect(
        boxes.some((b) => onEdge(first, b.rect)),
        `${w.id} begins`,
      ).toBe(true);
      expect(
        boxes.some((b) => onEdge(last, b.rect)),
        `${w.id} ends`,
      ).toBe(true);
    }
  });
  it('runs no wire through a box', () => {
    for (const w of wires)
      for (const [i, b] of w.points.entries()) {
        const a = w.points[i - 1];
        if (!a) continue;
        const line = { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(a.x - b.x), h: Math.abs(a.y - b.y) };
        const thick = { x: line.x - 0.5, y: line.y - 0.5, w: line.w + 1, h: line.h + 1 };
        for (const box of boxes) {
          const core = { x: box.rect.x + 2, y: box.rect.y + 2, w: box.rect.w - 4, h: box.rect.h - 4 };
          expect(overlap(thick, core), `${w.id} through ${box.id}`).toBe(false);
        }
      }
  });
});

describe('levels', () => {
  it('keep the Loop where it is when more is shown around it', () => {
    for (const [id, rect] of Object.entries(NODES)) expect(rectOf('everything', id)).toEqual(rect);
  });
  it('are a ring: from the desired state around to it again', () => {
    for (const key of ['story', 'story-narrow'] as const) {
      const next = new Map<string, string[]>();
      for (const w of LAYOUTS[key].wires) {
        const [a, b] = w.id.split('-') as [string, string];
        next.set(a, [...(next.get(a) ?? []), b]);
      }
      const seen = new Set<string>();
      const walk = (at: string): void => {
        if (seen.has(at)) return;
        seen.add(at);
        for (const to of next.get(at) ?? []) walk(to);
      };
      walk('desired');
      expect(seen.size).toBe(LAYOUTS[key].boxes.length);
      expect(next.get('status')).toContain('desired');
    }
  });
  it('start with the Story where the screen is narrow, and keep what was chosen', () => {
    expect(levelFor(null, true)).toBe('story');
    expect(levelFor(null, false)).toBe('loop');
    expect(levelFor('everything', true)).toBe('everything');
    expect(arrangementFor('story', true)).toBe('story-narrow');
    expect(arrangementFor('loop', true)).toBe('loop');
    expect(rectOf('loop', 'nothing')).toBeNull();
  });
});
