import { duration, seconds } from '../../units/text.js';
import type { Fold } from './logic/timeline-axis.js';
import { RULER, type Scene } from './scene.js';

/** Room that a label of the ruler takes, px. */
const LABEL = 84;
/** The largest distance between two times on the ruler, px, whatever is folded. */
const OFTEN = 230;

/** 1, 2 or 5 times a power of ten, at least `least`. */
function nice(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const by of [1, 2, 5]) if (by * power >= least) return by * power;
  return 10 * power;
}
/** Digits after the point that tell `step` Micros apart, in seconds. */
const digitsFor = (step: number): number => Math.min(6, Math.max(0, Math.ceil(6 - Math.log10(Math.max(1, step)))));

/** Draws the gaps in which time is left out: shaded, with a wave down the middle. */
export function drawFolds(c: CanvasRenderingContext2D, scene: Scene, folds: readonly Fold[], origin: number): void {
  const { palette, height } = scene;
  c.lineWidth = 1;
  c.strokeStyle = palette.lineStrong;
  for (const fold of folds) {
    const left = fold.left - origin;
    const width = fold.right - fold.left;
    c.globalAlpha = 0.4;
    c.fillStyle = palette.sunken;
    c.fillRect(left + width * 0.2, RULER, width * 0.6, height - RULER);
    c.globalAlpha = 0.55;
    const x = left + width / 2;
    c.beginPath();
    for (let y = RULER, k = 0; y <= height; y += 5, k++) {
      if (k === 0) c.moveTo(x, y);
      else c.lineTo(x + (k % 2 === 0 ? 2 : -2), y);
    }
    c.stroke();
  }
  c.globalAlpha = 1;
}

/** Puts labels at free places; earlier ones take precedence. */
class Labels {
  private readonly taken: { from: number; to: number }[] = [];
  constructor(
    private readonly c: CanvasRenderingContext2D,
    private readonly width: number,
  ) {}

  put(x: number, text: string, colour: string): boolean {
    const room = this.c.measureText(text).width;
    const [from, to] = [x - 6, x + room + 10];
    if (x < 0 || x + room + 3 > this.width || this.taken.some((t) => from < t.to && to > t.from)) return false;
    this.c.fillStyle = colour;
    this.c.fillText(text, x + 3, 9);
    this.taken.push({ from, to });
    return true;
  }
}

export function drawRuler(c: CanvasRenderingContext2D, scene: Scene, folds: readonly Fold[], origin: number): void {
  const { palette, width, axis } = scene;
  c.fillStyle = palette.background;
  c.fillRect(0, 0, width, RULER);
  c.fillStyle = palette.lineStrong;
  c.fillRect(0, RULER - 1, width, 1);
  c.font = `11px ${palette.font}`;
  c.textBaseline = 'middle';
  const labels = new Labels(c, width);
  const at = scene.clock?.text ?? ((time: number, digits: number) => `${seconds(time, digits)} s`);
  const tick = (x: number) => {
    c.fillStyle = palette.lineStrong;
    c.fillRect(Math.round(x), RULER - 6, 1, 5);
  };
  if (axis.mode === 'records') {
    const step = Math.max(1, nice((LABEL + 40) / axis.scale));
    const from = Math.ceil(Math.max(scene.model.first, axis.at(origin)) / step) * step;
    const to = Math.min(scene.model.last, axis.at(origin + width));
    for (let seq = from; seq <= to; seq += step) {
      const x = axis.of(seq) - origin;
      tick(x);
      labels.put(x, `#${seq} · ${at(scene.model.timeAt(seq), 3)}`, palette.text2);
    }
    return;
  }
  const step = Math.max(1, nice(LABEL / axis.scale));
  const stretches: { left: number; right: number }[] = [];
  let left = origin;
  for (const fold of folds) {
    if (fold.left > left) stretches.push({ left, right: fold.left });
    left = Math.max(left, fold.right);
  }
  if (left < origin + width) stretches.push({ left, right: origin + width });
  // After a break the position is unclear: there, the first label of a stretch has all digits that count.
  let said = Number.NEGATIVE_INFINITY;
  const exact = Math.min(6, digitsFor(step) + 1);
  if (folds.length > 0)
    for (const s of stretches) {
      const x = s.left - origin;
      if (x - said < OFTEN) continue;
      tick(x);
      if (labels.put(x, at(axis.at(s.left), exact), palette.text)) said = x;
    }
  for (const s of stretches) {
    const to = axis.at(s.right);
    const phase = (scene.clock?.phase ?? 0) % step;
    for (let t = Math.max(0, Math.ceil((axis.at(s.left) + phase) / step) * step - phase); t <= to; t += step) {
      const x = axis.of(t) - origin;
      tick(x);
      labels.put(x, at(t, digitsFor(step)), palette.text2);
    }
  }
  for (const fold of folds) labels.put(fold.left - origin, `≈ ${duration(fold.to - fold.from)}`, palette.text3);
}
