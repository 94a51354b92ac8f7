/** Draws the decisions of both runs below the timeline's bar: the real run's above, the twin's below. */
import type { PlacedPairs } from './logic/paired.js';
import type { Palette } from './palette.js';

/** Height of the whole, and of the row of one run, CSS px. */
export const PAIRED = 34;
export const PAIRED_ROW = PAIRED / 2;
const TICK = 8;

export function drawPaired(
  c: CanvasRenderingContext2D,
  { seen, twin, lines, differences }: PlacedPairs,
  { palette, width, present }: { readonly palette: Palette; readonly width: number; readonly present: number },
): void {
  const top = { seen: 3, twin: PAIRED - 3 - TICK } as const;
  c.fillStyle = palette.background;
  c.fillRect(0, 0, width, PAIRED);
  c.strokeStyle = palette.lineStrong;
  c.lineWidth = 1;
  c.beginPath();
  for (const line of lines) {
    c.moveTo(line.seen, top.seen + TICK);
    c.lineTo(line.twin, top.twin);
  }
  c.stroke();
  c.fillStyle = palette.hue.actual;
  for (const { x } of seen) c.fillRect(x - 1, top.seen, 2, TICK);
  c.fillStyle = palette.hue.decision;
  for (const { x } of twin) c.fillRect(x - 1, top.twin, 2, TICK);
  c.strokeStyle = palette.hue.failure;
  for (const { side, x, here } of differences) {
    const y = top[side] + TICK / 2;
    c.lineWidth = here ? 3 : 1.5;
    c.beginPath();
    c.moveTo(x - 4, y - 4);
    c.lineTo(x + 4, y + 4);
    c.moveTo(x + 4, y - 4);
    c.lineTo(x - 4, y + 4);
    c.stroke();
  }
  c.fillStyle = palette.text;
  c.fillRect(Math.round(present), 0, 1, PAIRED);
  c.fillStyle = palette.line;
  c.fillRect(0, PAIRED - 1, width, 1);
}
