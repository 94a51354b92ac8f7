/** Points, boxes and the wires between them: the elements of every level of the graph. World pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type WireKind = 'desired' | 'actual' | 'message' | 'decision' | 'time';
export type Kind = WireKind | 'failure';
/** The six kinds, in the order of the legend. */
export const KINDS: readonly Kind[] = ['desired', 'actual', 'message', 'decision', 'time', 'failure'];

export interface Wire {
  readonly id: string;
  readonly kind: WireKind;
  readonly points: readonly Point[];
  /** Without an arrow at its end. */
  readonly plain?: boolean;
  /** The kubelet's own name for its traffic, and where that is drawn. */
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

/** Half the height of a label's letters, and the width of one. */
const LABEL_HALF = 6;
const LABEL_LETTER = 6.63;
/** The place of a label's letters: `x` is where they begin, `y` the middle of their line. */
export const labelRect = ({ text, x, y }: NonNullable<Wire['label']>): Rect => ({
  x,
  y: y - LABEL_HALF,
  w: text.length * LABEL_LETTER,
  h: 2 * LABEL_HALF - 1,
});

export const right = (r: Rect): number => r.x + r.w;
export const bottom = (r: Rect): number => r.y + r.h;
export const overlap = (a: Rect, b: Rect): boolean =>
  a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a);
export const inside = (a: Rect, b: Rect): boolean =>
  a.x >= b.x && a.y >= b.y && right(a) <= right(b) && bottom(a) <= bottom(b);
/** Returns true on the edge of a box, where a wire may begin or end. */
export function onEdge(p: Point, r: Rect): boolean {
  const x = p.x >= r.x && p.x <= right(r);
  const y = p.y >= r.y && p.y <= bottom(r);
  return (x && (p.y === r.y || p.y === bottom(r))) || (y && (p.x === r.x || p.x === right(r)));
}

export function lengthOf(points: readonly Point[]): number {
  let total = 0;
  for (let i = 1; i < points.length; i++) total += segment(points[i - 1] as Point, points[i] as Point);
  return total;
}
const segment = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

/** The point at `fraction` (0..1) of the way along a path. */
export function pointAt(points: readonly Point[], fraction: number): Point {
  const first = points[0] ?? { x: 0, y: 0 };
  if (fraction <= 0 || points.length < 2) return first;
  let left = lengthOf(points) * Math.min(1, fraction);
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1] as Point;
    const b = points[i] as Point;
    const d = segment(a, b);
    if (left <= d || i === points.length - 1) {
      const f = d === 0 ? 1 : Math.min(1, left / d);
      return { x: a.x + (b.x - a.x) * f, y: a.y + (b.y - a.y) * f };
    }
    left -= d;
  }
  return first;
}

/** An SVG path along the points, corners rounded. */
export function pathOf(points: readonly Point[], radius = 6): string {
  const first = points[0];
  if (!first) return '';
  let d = `M${first.x} ${first.y}`;
  for (let i = 1; i < points.length; i++) {
    const at = points[i] as Point;
    const next = points[i + 1];
    if (!next) {
      d += `L${at.x} ${at.y}`;
      continue;
    }
    const before = points[i - 1] as Point;
    const r = Math.min(radius, segment(before, at) / 2, segment(at, next) / 2);
    const from = toward(at, before, r);
    const to = toward(at, next, r);
    d += `L${from.x} ${from.y}Q${at.x} ${at.y} ${to.x} ${to.y}`;
  }
  return d;
}
function toward(from: Point, to: Point, by: number): Point {
  const d = segment(from, to) || 1;
  return { x: from.x + ((to.x - from.x) / d) * by, y: from.y + ((to.y - from.y) / d) * by };
}
