/** Signs: one small drawing per shape, so that kinds of records can be distinguished without their colour. */
import type { Sign } from '@syncloop/core/trace';

/** Draws a sign around a point in the context's fill and stroke colour; `outlined`: not filled, as it was concluded. */
export function drawSign(c: CanvasRenderingContext2D, shape: Sign, x: number, y: number, outlined = false): void {
  const fill = () => (outlined ? c.stroke() : c.fill());
  switch (shape) {
    case 'none':
      return;
    case 'tick':
      c.fillRect(x - 0.5, y - 2, 1, 5);
      return;
    case 'square':
      if (outlined) c.strokeRect(x - 2.5, y - 2.5, 5, 5);
      else c.fillRect(x - 2.5, y - 2.5, 5, 5);
      return;
    case 'flag':
      c.fillRect(x - 0.5, y - 5, 1, 10);
      if (outlined) c.strokeRect(x, y - 5, 5, 4);
      else c.fillRect(x, y - 5, 5, 4);
      return;
    case 'up':
      triangle(c, x, y - 3.5, y + 2.5, fill);
      return;
    case 'down':
      triangle(c, x, y + 3.5, y - 2.5, fill);
      return;
    case 'diamond':
      c.beginPath();
      c.moveTo(x, y - 4);
      c.lineTo(x + 4, y);
      c.lineTo(x, y + 4);
      c.lineTo(x - 4, y);
      c.closePath();
      fill();
      return;
    case 'dot':
      c.beginPath();
      c.arc(x, y, 2.2, 0, 2 * Math.PI);
      fill();
      return;
    case 'ring':
      c.beginPath();
      c.arc(x, y, 2.4, 0, 2 * Math.PI);
      c.stroke();
      return;
    case 'cross':
      c.beginPath();
      c.moveTo(x - 3, y - 3);
      c.lineTo(x + 3, y + 3);
      c.moveTo(x + 3, y - 3);
      c.lineTo(x - 3, y + 3);
      c.stroke();
      return;
  }
}

function triangle(c: CanvasRenderingContext2D, x: number, tip: number, base: number, fill: () => void): void {
  c.beginPath();
  c.moveTo(x, tip);
  c.lineTo(x + 3.5, base);
  c.lineTo(x - 3.5, base);
  c.closePath();
  fill();
}

/** A curve from one point to another with a head at its end. */
export function drawArrow(
  c: CanvasRenderingContext2D,
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
  head = 5,
): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  c.beginPath();
  c.moveTo(from.x, from.y);
  // Between lanes at about the same moment it goes down or up, else it comes in from the side.
  const steep = Math.abs(dx) < Math.abs(dy);
  if (steep) c.bezierCurveTo(from.x, from.y + dy / 2, to.x, to.y - dy / 2, to.x, to.y);
  else {
    const bend = Math.min(60, Math.abs(dx) / 2);
    c.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
  }
  c.stroke();
  const [ux, uy] = steep ? [0, Math.sign(dy)] : [1, 0];
  const [x, y] = [to.x - ux * head, to.y - uy * head];
  c.beginPath();
  c.moveTo(to.x, to.y);
  c.lineTo(x - uy * head * 0.55, y - ux * head * 0.55);
  c.lineTo(x + uy * head * 0.55, y + ux * head * 0.55);
  c.fill();
}
