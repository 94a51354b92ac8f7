/** Which part of the world the graph shows. */
import { type Rect, WORLD } from './geometry.js';

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}
interface Size {
  readonly w: number;
  readonly h: number;
}

const PAD = 14;
/** Below this, text cannot be read: rather show a part. A narrow screen shows a part in any case, then large enough for fingers. */
export const readable = (size: Size): number => (size.w < 760 ? 0.85 : 0.62);
const LARGEST = 2.2;

/** The whole world where it can be read, else its beginning at the smallest readable size. */
export function fitViewport(size: Size): Viewport {
  const whole = Math.min((size.w - 2 * PAD) / WORLD.w, (size.h - 2 * PAD) / WORLD.h);
  const zoom = Math.min(LARGEST, Math.max(readable(size), whole));
  const place = (room: number, length: number) => (length * zoom + 2 * PAD <= room ? (room - length * zoom) / 2 : PAD);
  return { x: place(size.w, WORLD.w), y: place(size.h, WORLD.h), zoom };
}

/** Whether the whole world can be shown in a size at which it can be read. */
export function showsWhole(size: Size): boolean {
  return WORLD.w * readable(size) + 2 * PAD <= size.w && WORLD.h * readable(size) + 2 * PAD <= size.h;
}

/** The viewport moved just as far as `rect` needs to be seen; null when it is. A rect larger than the view shows its beginning. */
export function keepInSight(viewport: Viewport, size: Size, rect: Rect): Viewport | null {
  const shift = (offset: number, from: number, length: number, room: number): number => {
    const a = from * viewport.zoom + offset;
    const b = (from + length) * viewport.zoom + offset;
    if (a >= 0 && b <= room) return offset;
    if (b - a > room - 2 * PAD) return a < 0 || a > room / 2 ? PAD - from * viewport.zoom : offset;
    return a < 0 ? offset - a + PAD : offset - (b - room) - PAD;
  };
  const x = shift(viewport.x, rect.x, rect.w, size.w);
  const y = shift(viewport.y, rect.y, rect.h, size.h);
  return Math.abs(x - viewport.x) < 1 && Math.abs(y - viewport.y) < 1 ? null : { x, y, zoom: viewport.zoom };
}
