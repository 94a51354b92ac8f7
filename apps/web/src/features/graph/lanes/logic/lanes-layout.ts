/**
 * How pods share the lanes' box: one has all of it, a few are tall, more are denser, and many fold into a strip with
 * one cell each. Which of these it is depends on their number alone, so nothing jumps while a run goes on.
 */
import { LANES, type Rect } from '../../geometry/geometry.js';

/** `full` to `line`: lanes, from all that there is to one line. `cells` and `dense`: the strip. */
export type Density = 'full' | 'half' | 'row' | 'compact' | 'line' | 'cells' | 'dense';

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
}

const AUTHORED: readonly { readonly upTo: number; readonly density: Density; readonly rows: number }[] = [
  { upTo: 1, density: 'full', rows: 1 },
  { upTo: 2, density: 'half', rows: 2 },
  { upTo: 3, density: 'row', rows: 3 },
  { upTo: 4, density: 'row', rows: 4 },
  { upTo: 5, density: 'row', rows: 5 },
  { upTo: 7, density: 'compact', rows: 7 },
  { upTo: 8, density: 'compact', rows: 8 },
  { upTo: 10, density: 'line', rows: 10 },
  { upTo: 12, density: 'line', rows: 12 },
];
const STRIP = { header: 26, footer: 22 } as const;
const CELLS = { columns: 4, rows: 10 } as const;
const DENSE = { columns: 7, rows: 16 } as const;

/** Most pods that have lanes; more of them fold. */
export const MOST_LANES = 12;

export function lanesLayout(count: number, area: Pick<Rect, 'h'> = LANES): LanesLayout {
  const lane = AUTHORED.find((a) => count <= a.upTo);
  if (lane)
    return {
      density: lane.density,
      folded: false,
      columns: 1,
      rows: lane.rows,
      height: area.h / lane.rows,
      header: 0,
      footer: 0,
    };
  const few = count <= CELLS.columns * CELLS.rows;
  const grid = few ? CELLS : DENSE;
  return {
    density: few ? 'cells' : 'dense',
    folded: true,
    ...grid,
    ...STRIP,
    height: (area.h - STRIP.header - STRIP.footer) / grid.rows,
  };
}

/** Height of the lane that a cell unfolds into, under the cell's row. */
export const UNFOLDED = LANES.h / 2;

export interface LanePlace extends Rect {
  readonly folded: boolean;
}

/**
 * Where the pod at `index` of `count` is, in the world; kept inside the box where it is scrolled away. `open`: position
 * of the pod whose cell is unfolded, -1 for none. `scrolled`: how far the rows are.
 */
export function placeInLanes(index: number, count: number, scrolled = 0, open = -1, area: Rect = LANES): LanePlace {
  const layout = lanesLayout(count, area);
  const { columns, height, header, folded } = layout;
  const row = Math.floor(index / columns);
  const openRow = open < 0 ? Number.POSITIVE_INFINITY : Math.floor(open / columns);
  const unfolded = folded && index === open;
  const top = header + (unfolded ? (row + 1) * height : row * height + (row > openRow ? UNFOLDED : 0)) - scrolled;
  const h = unfolded ? UNFOLDED : height;
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
