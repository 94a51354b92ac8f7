/** The part of a world that the graph shows. */
import { type Layout, type Level, padding, wholeZoom } from './geometry-levels.js';
import type { Rect } from './geometry-paths.js';

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}
export interface Size {
  readonly w: number;
  readonly h: number;
}
type World = Pick<Layout, 'world' | 'smallest' | 'largest'>;

/**
 * Returns the whole world if it can be read, else its beginning at the smallest readable size. It begins at the upper
 * edge, so that it stays there when a line comes below the graph.
 */
export function fitViewport(size: Size, layout: World): Viewport {
  const { world, largest, smallest } = layout;
  const p = padding(size);
  const zoom = Math.min(largest, Math.max(smallest, wholeZoom(size, world)));
  const whole = world.w * zoom + 2 * p <= size.w + 1;
  const x = (whole ? (size.w - world.w * zoom) / 2 : p) - world.x * zoom;
  return { x, y: p - world.y * zoom, zoom };
}

/** Zooms, as shares of the one that fits, beyond which a level gives way to another. */
const OPENS = 1.4;
const SUMMED_UP = 0.85;

/**
 * Returns the level that a zoom of the user leads to: nearer the Story opens into the Loop; farther away the Loop is a
 * part of Everything, which the Story sums up.
 *
 * @param fitted the zoom that fits the level into the stage
 */
export function levelAtZoom(level: Level, zoom: number, fitted: number): Level {
  if (level === 'story') return zoom > fitted * OPENS ? 'loop' : level;
  if (zoom >= fitted * SUMMED_UP) return level;
  return level === 'loop' ? 'everything' : 'story';
}

/**
 * Returns the view after the stage has got another size: the same part at the same zoom, if that is still the zoom that
 * fits, moved so far that no room is wasted; else the world is fitted again.
 */
export function settledViewport(viewport: Viewport, size: Size, layout: World): Viewport {
  const fitted = fitViewport(size, layout);
  if (Math.abs(viewport.zoom - fitted.zoom) > 0.001) return fitted;
  const { world } = layout;
  const p = padding(size);
  const { zoom } = fitted;
  const within = (at: number, begin: number, from: number, length: number, room: number) =>
    length * zoom + 2 * p <= room + 1 ? begin : Math.min(begin, Math.max(at, room - p - (from + length) * zoom));
  return {
    x: within(viewport.x, fitted.x, world.x, world.w, size.w),
    y: within(viewport.y, fitted.y, world.y, world.h, size.h),
    zoom,
  };
}

/** True if the whole world can be shown in a size at which it can be read. */
export const showsWhole = (size: Size, { world, smallest }: World): boolean => wholeZoom(size, world) >= smallest;

/**
 * The viewport moved just as far as `rect` needs to be seen; null when it is. A rect larger than the view shows its
 * beginning.
 */
export function keepInSight(viewport: Viewport, size: Size, rect: Rect): Viewport | null {
  const p = padding(size);
  const shift = (offset: number, from: number, length: number, room: number): number => {
    const a = from * viewport.zoom + offset;
    const b = (from + length) * viewport.zoom + offset;
    if (a >= 0 && b <= room) return offset;
    if (b - a > room - 2 * p) return a < 0 || a > room / 2 ? p - from * viewport.zoom : offset;
    return a < 0 ? offset - a + p : offset - (b - room) - p;
  };
  const x = shift(viewport.x, rect.x, rect.w, size.w);
  const y = shift(viewport.y, rect.y, rect.h, size.h);
  return Math.abs(x - viewport.x) < 1 && Math.abs(y - viewport.y) < 1 ? null : { x, y, zoom: viewport.zoom };
}

/** Returns the part of the world that a viewport shows. */
export function shown(viewport: Viewport, size: Size): Rect {
  const { x, y, zoom } = viewport;
  return { x: -x / zoom, y: -y / zoom, w: size.w / zoom, h: size.h / zoom };
}

/** The viewport with a point of the world in its middle. */
export function centredOn(viewport: Viewport, size: Size, at: { readonly x: number; readonly y: number }): Viewport {
  const { zoom } = viewport;
  return { x: size.w / 2 - at.x * zoom, y: size.h / 2 - at.y * zoom, zoom };
}
