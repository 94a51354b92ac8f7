import { describe, expect, it } from 'vitest';
import { LOOP } from './geometry.js';
import {
  ARRANGEMENTS,
  type Arrangement,
  LAYOUTS,
  levelFor,
  plainOf,
  rectOf,
  shapeOf,
  wholeZoom,
  withPodKiller,
} from './geometry-levels.js';
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

describe.each(['loop', 'loop-tall', 'everything'] as const)('the pod killer in the arrangement %s', (key) => {
  const plain = LAYOUTS[key];
  const killer = LAYOUTS[withPodKiller(key)];
  const ids = (l: typeof plain) => l.wires.map((w) => w.id).sort();
  it('adds its box and wires to those that there are', () => {
    expect(plainOf(withPodKiller(key))).toBe(key);
    expect(plain.boxes.map((b) => b.id)).not.toContain('podKiller');
    expect(killer.boxes.map((b) => b.id).filter((id) => !plain.boxes.some((b) => b.id === id))).toEqual(['podKiller']);
    expect(ids(killer)).toEqual(
      [...ids(plain), 'HandlePodCleanups-podKiller', 'HandlePodRemoves-podKiller', 'podKiller-runtime'].sort(),
    );
  });
  it('takes room from one other box at most, and leaves the width of the world', () => {
    const same = (id: string) => JSON.stringify(rectOf(key, id)) === JSON.stringify(rectOf(withPodKiller(key), id));
    const moved = plain.boxes.map((b) => b.id).filter((id) => !same(id));
    // Only on a phone, where the page is scrolled, it has a row of its own.
    if (key !== 'loop-tall') expect(moved).toHaveLength(1);
    expect(killer.world.w).toBe(plain.world.w);
    if (key !== 'loop-tall') expect(killer.world).toEqual(plain.world);
    const box = killer.boxes.find((b) => b.id === 'podKiller')?.rect;
    expect(box?.w).toBeGreaterThanOrEqual(120);
    expect(box?.h).toBeGreaterThanOrEqual(80);
  });
});

describe('levels', () => {
  it('have a Story without a pod killer', () => {
    for (const key of Object.values(ARRANGEMENTS.story)) expect(withPodKiller(key)).toBe(key);
  });
  it('keep the Loop where it is when more is shown around it', () => {
    for (const [id, rect] of Object.entries(LOOP.nodes)) expect(rectOf('everything', id)).toEqual(rect);
  });
  it('are a ring: from the desired state around to it again', () => {
    for (const key of Object.values(ARRANGEMENTS.story)) {
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
    expect(levelFor(null, 'narrow')).toBe('story');
    expect(levelFor(null, 'usual')).toBe('loop');
    expect(levelFor('everything', 'narrow')).toBe('everything');
    expect(rectOf('loop', 'nothing')).toBeNull();
  });
});

/** Stages without the tools' row (CSS px): windows, next to open panels, and what there is whole at a zoom of 1. */
const STAGES = [
  ['1440x900', 1366, 732, ['story', 'loop']],
  ['1440x900 with a panel on the left', 1006, 732, ['story']],
  ['1440x900 with the inspector', 946, 732, ['story']],
  ['1280x720', 1206, 552, ['story', 'loop']],
  ['1280x720 with the inspector', 786, 552, ['story']],
  ['a phone', 390, 560, ['story-narrow']],
  ['a window at a zoom of 200 %', 720, 166, ['story-flat']],
] as const;

describe('where things stand', () => {
  it('is decided by the shape of the window alone', () => {
    expect([shapeOf(1440, 900), shapeOf(1024, 768), shapeOf(390, 844), shapeOf(720, 450)]).toEqual([
      'usual',
      'usual',
      'narrow',
      'low',
    ]);
  });
  it.each(STAGES)('can be read as a whole: %s', (_, w, h, whole) => {
    for (const key of whole) expect(wholeZoom({ w, h }, LAYOUTS[key].world)).toBeGreaterThanOrEqual(1);
  });
});
