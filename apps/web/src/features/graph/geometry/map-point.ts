/** A place on the map that holds in every arrangement that has its box: a pointer that another page shows, too. */
import type { Box } from './geometry-levels.js';

/** The place relative to a box: 0 and 1 are its edges; between boxes it is beyond them. */
export interface MapPoint {
  readonly box: string;
  readonly x: number;
  readonly y: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const beyond = (at: number, from: number, length: number) => Math.max(from - at, 0, at - from - length);
const rounded = (n: number) => Math.round(n * 1000) / 1000;

/** Returns a place of the world relative to the nearest box; null if there are no boxes. */
export function mapPointAt(at: Place, boxes: readonly Pick<Box, 'id' | 'rect'>[]): MapPoint | null {
  const distance = ({ rect }: Pick<Box, 'rect'>) =>
    Math.hypot(beyond(at.x, rect.x, rect.w), beyond(at.y, rect.y, rect.h));
  const [first, ...others] = boxes;
  if (!first) return null;
  const { id, rect } = others.reduce((best, box) => (distance(box) < distance(best) ? box : best), first);
  return { box: id, x: rounded((at.x - rect.x) / rect.w), y: rounded((at.y - rect.y) / rect.h) };
}

/** Returns the same place in the world of these boxes; null if its box is not among them. */
export function placeOfPoint({ box, x, y }: MapPoint, boxes: readonly Pick<Box, 'id' | 'rect'>[]): Place | null {
  const rect = boxes.find(({ id }) => id === box)?.rect;
  return rect ? { x: rect.x + x * rect.w, y: rect.y + y * rect.h } : null;
}
