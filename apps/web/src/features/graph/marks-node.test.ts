import { describe, expect, it } from 'vitest';
import { CHANNELS, HANDLERS } from '../../run/loop.js';
import { channelRect, handlerRect } from './geometry/geometry.js';
import { type Arrangement, LAYOUTS, type Layout } from './geometry/geometry-levels.js';
import { bottom, labelRect, overlap, type Rect, right, type Wire } from './geometry/geometry-paths.js';
import { wordPlace } from './marks-node.js';

const ALL = Object.keys(LAYOUTS) as Arrangement[];

/** The places that marks have: boxes, handlers and channels. */
const markable = ({ boxes, loop }: Layout): readonly { readonly id: string; readonly rect: Rect }[] => [
  ...boxes,
  ...(loop ? HANDLERS.map((id, i) => ({ id, rect: handlerRect(loop, i) })) : []),
  ...(loop ? CHANNELS.map((id, i) => ({ id, rect: channelRect(loop, i) })) : []),
];

/** The words of a box's marks as styles/tools.css places them, as wide as they are in any language. */
function wordsOf(r: Rect, layout: Layout): readonly Rect[] {
  const here = { w: 48, h: 15 };
  const next = { w: 43, h: 15 };
  switch (wordPlace(r, layout)) {
    case undefined:
      return [
        { x: r.x + 4, y: r.y - 17, ...here },
        { x: r.x + 66, y: r.y - 13, ...next },
      ];
    case 'edge':
      return [
        { x: r.x - 2, y: bottom(r) - 5, ...here },
        { x: r.x + 50, y: bottom(r) - 7, ...next },
      ];
    case 'narrow':
      return [
        { x: r.x - 2, y: bottom(r) - 5, ...here },
        { x: right(r) - 45, y: bottom(r) - 12, ...next },
      ];
    case 'slim':
      return [{ x: r.x - 2, y: bottom(r) + 2, ...here }];
  }
}
const framed = (r: Rect): Rect => ({ x: r.x - 5, y: r.y - 5, w: r.w + 10, h: r.h + 10 });
const labels = ({ wires }: Layout) => wires.flatMap(({ id, label }) => (label ? [{ id, rect: labelRect(label) }] : []));
const segments = ({ points }: Wire): readonly Rect[] =>
  points.slice(1).map((b, i) => {
    const a = points[i] ?? b;
    return {
      x: Math.min(a.x, b.x) - 1,
      y: Math.min(a.y, b.y) - 1,
      w: Math.abs(a.x - b.x) + 2,
      h: Math.abs(a.y - b.y) + 2,
    };
  });

describe('the words of marks', () => {
  const label = { text: 'SetPodStatus', x: 620, y: 270 };
  const map = {
    world: { x: 0, y: -100, w: 1000, h: 500 },
    headings: [{ key: 'workers', x: 100, y: 0 }],
    wires: [{ id: 'a', kind: 'actual', points: [], label }],
  } as const;
  it('stand above a box, on the lower edge below a heading or a label, and across a slim box', () => {
    expect(wordPlace({ x: 100, y: 18, w: 400, h: 60 }, map)).toBe('edge');
    expect(wordPlace({ x: 100, y: 180, w: 400, h: 60 }, map)).toBeUndefined();
    expect(wordPlace({ x: 600, y: 18, w: 400, h: 60 }, map)).toBeUndefined();
    expect(wordPlace({ x: 600, y: 180, w: 100, h: 60 }, map)).toBe('narrow');
    expect(wordPlace({ x: 600, y: -100, w: 400, h: 60 }, map)).toBe('edge');
    expect(wordPlace({ x: 100, y: 18, w: 30, h: 60 }, map)).toBe('slim');
    expect(wordPlace({ x: 600, y: 280, w: 400, h: 60 }, map)).toBe('edge');
    expect(wordPlace({ x: 100, y: 280, w: 400, h: 60 }, map)).toBeUndefined();
  });
  it.each(ALL)('hide no heading and no label of a wire: %s', (key) => {
    const layout = LAYOUTS[key];
    const texts = [
      ...labels(layout),
      // Its letters, of which the shortest heading has four.
      ...layout.headings.map(({ key: id, x, y }) => ({ id, rect: { x, y: y + 3, w: 24, h: 10 } })),
    ];
    const hidden = markable(layout).flatMap((box) =>
      wordsOf(box.rect, layout).flatMap((word) =>
        texts.filter(({ rect }) => overlap(word, rect)).map(({ id }) => `${box.id} over ${id}`),
      ),
    );
    expect(hidden).toEqual([]);
  });
  it('are tried where there are labels and headings', () => {
    expect(ALL.filter((key) => labels(LAYOUTS[key]).length > 0)).toHaveLength(7);
    expect(LAYOUTS.loop.headings.length).toBeGreaterThan(5);
  });
});

describe.each(ALL)('a label in the arrangement %s', (key) => {
  const layout = LAYOUTS[key];
  it('touches no box, not even its frame, no wire and no other label', () => {
    const touched = labels(layout).flatMap(({ id, rect }) => [
      ...layout.boxes.filter((b) => overlap(framed(b.rect), rect)).map((b) => `${id}: ${b.id}`),
      ...layout.wires.filter((w) => segments(w).some((s) => overlap(s, rect))).map((w) => `${id}: wire ${w.id}`),
      ...labels(layout)
        .filter((other) => other.id !== id && overlap(other.rect, rect))
        .map((o) => `${id}: label ${o.id}`),
    ]);
    expect(touched).toEqual([]);
  });
});
