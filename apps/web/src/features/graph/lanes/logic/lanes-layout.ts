/**
 * Divides the lanes' box among pods: one has all of it, a few are tall, more are denser, and many fold into a strip
 * with one cell each. Which of these it is depends on their number and the box alone, so nothing jumps while a run goes
 * on.
 */
import type { Rect } from '../../geometry/geometry.js';

/** `full` to `line`: lanes, from everything to one line. `cells` and `dense`: the strip. */
export type Density = 'full' | 'half' | 'row' | 'compact' | 'line' | 'cells' | 'dense';

/** The density of a lane; cells of the strip are not lanes. */
export type LaneDensity = Exclude<Density, 'cells' | 'dense'>;

export interface LanesLayout {
  readonly density: Density;
  /** Pods are cells of the strip. */
  readonly folded: boolean;
  readonly columns: number;
  /** Rows that fit; more of them scroll. */
  readonly rows: number;
  /** Height of a lane or cell, world pixels. */
  readonly height: number;
  /** Above the rows: the strip's bar. Below them: its line about one pod. */
  readonly header: number;
  readonly footer: number;
  /** Height of the lane that a cell unfolds into, under the cell's row; world pixels. */
  readonly unfolded: number;
  readonly unfoldedDensity: LaneDensity;
}

/** Lanes that share the box, by the number of pods: in steps, so that not each pod that comes changes all of them. */
const ROWS = [1, 2, 3, 4, 5, 7, 8, 10, 12] as const;
const LEAST_LANE = 34;
/** The least height of each density, world pixels. */
const LEAST: readonly (readonly [LaneDensity, number])[] = [
  ['full', 300],
  ['half', 188],
  ['row', 78],
  ['compact', 54],
  ['line', LEAST_LANE],
];
const densityOf = (height: number): LaneDensity => LEAST.find(([, least]) => height >= least)?.[0] ?? 'line';
const STRIP = { header: 26, footer: 22 } as const;
/** The least size of a cell with two lines, and of one with its name only: still high enough to be pressed. */
const CELL = { w: 165, h: 34 } as const;
const DENSE = { w: 84, h: 24 } as const;

/** The lanes' box. `share`: the worker's part of a lane's height, if it is above the other columns. */
export interface Area extends Pick<Rect, 'w' | 'h'> {
  readonly share?: number;
}

/** Most pods that have lanes; more of them fold. */
export const mostLanes = (area: Area): number =>
  ROWS.findLast((rows) => (area.h / rows) * (area.share ?? 1) >= LEAST_LANE) ?? 1;

export function lanesLayout(count: number, area: Area): LanesLayout {
  const share = area.share ?? 1;
  const unfolded = Math.max(area.h / 2, 86 / share);
  const open = { unfolded, unfoldedDensity: densityOf(unfolded * share) };
  if (count <= mostLanes(area)) {
    const rows = ROWS.find((r) => count <= r) ?? 1;
    const height = area.h / rows;
    return {
      density: densityOf(height * share),
      folded: false,
      columns: 1,
      rows,
      height,
      header: 0,
      footer: 0,
      ...open,
    };
  }
  const room = area.h - STRIP.header - STRIP.footer;
  const grid = (cell: typeof CELL | typeof DENSE) => ({
    columns: Math.max(2, Math.floor(area.w / cell.w)),
    rows: Math.max(1, Math.floor(room / cell.h)),
  });
  const few = grid(CELL);
  const cells = count <= few.columns * few.rows;
  const { columns, rows } = cells ? few : grid(DENSE);
  const density = cells ? 'cells' : 'dense';
  return { density, folded: true, columns, rows, ...STRIP, height: room / rows, ...open };
}

export interface LanePlace extends Rect {
  readonly folded: boolean;
}

/**
 * The place of the pod at `index` of `count`, in the world; clamped to the box if it is scrolled out of it. `open`:
 * index of the pod whose cell is unfolded, -1 for none. `scrolled`: how far the rows are scrolled.
 */
export function placeInLanes(index: number, count: number, area: Rect & Area, scrolled = 0, open = -1): LanePlace {
  const layout = lanesLayout(count, area);
  const { columns, height, header, folded, unfolded: opened } = layout;
  const row = Math.floor(index / columns);
  const openRow = open < 0 ? Number.POSITIVE_INFINITY : Math.floor(open / columns);
  const unfolded = folded && index === open;
  const top = header + (unfolded ? (row + 1) * height : row * height + (row > openRow ? opened : 0)) - scrolled;
  const h = unfolded ? opened : height;
  const w = unfolded ? area.w : area.w / columns;
  const y = Math.min(Math.max(0, top), area.h - Math.min(h, 8));
  return { x: area.x + (unfolded ? 0 : (index % columns) * w), y: area.y + y, w, h, folded: folded && !unfolded };
}

/** The cell that an arrow key leads to, in a grid of `count` cells row by row; the same one at an edge. */
export function cellAfter(key: string, index: number, count: number, columns: number): number {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, index - 1);
    case 'ArrowRight':
      return Math.min(last, index + 1);
    case 'ArrowUp':
      return index >= columns ? index - columns : index;
    case 'ArrowDown':
      return index + columns <= last ? index + columns : index;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return index;
  }
}
