import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, recordsOf } from '../../../fixtures/timeline-run.js';
import { Axis, type AxisMode, FOLD, fit, fitRange, panBy, SCALES, zoomAt } from './timeline-axis.js';

const crash = recordsOf('crash-loop');
const model = modelOf(crash);
const axisOf = (mode: AxisMode, scale: number): Axis => {
  const axis = new Axis(model);
  axis.mode = mode;
  axis.scale = scale;
  axis.update();
  return axis;
};
const scales = fc.double({ min: -7, max: 0.5, noNaN: true }).map((e) => 10 ** e);

describe('the axis', () => {
  it('by time: places and positions are inverses, within and beyond the ends', () => {
    fc.assert(
      fc.property(scales, fc.double({ min: -0.2, max: 1.2, noNaN: true }), (scale, part) => {
        const axis = axisOf('time', scale);
        const px = part * axis.width;
        expect(axis.of(axis.at(px))).toBeCloseTo(px, 3);
        const time = part * 52e6;
        // A folded second is 40 px wide: the result is off by parts of a Micro.
        expect(Math.abs(axis.at(axis.of(time)) - time)).toBeLessThan(0.01);
      }),
      { numRuns: 200, seed: 3 },
    );
  });
  it('by records: the same', () => {
    const axis = axisOf('records', 3.5);
    for (const seq of [1, 2, 777, crash.length]) {
      expect(axis.at(axis.ofSeq(seq))).toBeCloseTo(seq, 9);
      expect(axis.ofSeq(seq)).toBe(axis.of(seq));
      expect(axis.seqAt(axis.at(axis.ofSeq(seq) - 1))).toBe(seq);
    }
  });
  it('by time: no gap is wider than a fold, short ones are true to scale, and folds say what they hide', () => {
    const axis = axisOf('time', 0.001);
    let before = crash[0];
    for (const r of crash.slice(1)) {
      const gap = r.time - (before?.time ?? 0);
      const px = axis.ofSeq(r.seq) - axis.ofSeq(r.seq - 1);
      expect(px).toBeCloseTo(Math.min(FOLD, gap * 0.001), 4);
      before = r;
    }
    const folds = axis.folds(0, axis.width);
    expect(folds.length).toBeGreaterThan(20);
    for (const f of folds) {
      expect((f.to - f.from) * 0.001).toBeGreaterThan(FOLD);
      expect(f.right - f.left).toBeCloseTo(FOLD, 6);
      expect(crash.some((r) => r.time > f.from && r.time < f.to)).toBe(false);
    }
    expect(axis.folds(folds[3]?.left ?? 0, (folds[3]?.right ?? 0) - 1).map((f) => f.from)).toContain(folds[3]?.from);
  });
  it('grows with the run, the same as one made of all of it', () => {
    const growing = modelOf(crash.slice(0, 1000));
    const axis = new Axis(growing);
    axis.scale = 0.0004;
    axis.update();
    for (const r of crash.slice(1000)) growing.take(r);
    axis.update();
    const whole = axisOf('time', 0.0004);
    for (const r of crash) expect(axis.ofSeq(r.seq)).toBeCloseTo(whole.ofSeq(r.seq), 6);
    growing.cut(1500);
    for (const r of crash.slice(1500, 1800)) growing.take({ ...r, time: r.time + 5e6 });
    axis.update();
    expect(axis.ofSeq(1501)).toBeGreaterThan(axis.ofSeq(1500));
  });
  it('fits all into a width', () => {
    for (const mode of ['time', 'records'] as const)
      for (const width of [300, 900, 1400, 20_000]) {
        const axis = axisOf(mode, 1);
        axis.scale = axis.fitting(width);
        axis.update();
        expect(axis.width).toBeLessThanOrEqual(width + 1e-6);
        expect(axis.width).toBeGreaterThan(width * 0.99);
      }
  });
});

describe('the view', () => {
  it('zooms around the pointer: what is under it stays, and zooming back gives the view that was', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<AxisMode>('time', 'records'),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.double({ min: 1.05, max: 8, noNaN: true }),
        (mode, part, by) => {
          const axis = axisOf(mode, 1);
          const view = zoomAt(axis, fit(axis, 1000), 300, 6);
          const x = part * 1000;
          const place = axis.at(axis.of(view.left) + x);
          const zoomed = zoomAt(axis, view, x, by);
          expect(axis.of(place) - axis.of(zoomed.left)).toBeCloseTo(x, 2);
          const back = zoomAt(axis, zoomed, x, 1 / by);
          expect(back.scale / view.scale).toBeCloseTo(1, 9);
          expect(axis.of(back.left) - axis.of(view.left)).toBeCloseTo(0, 1);
        },
      ),
      { numRuns: 100, seed: 5 },
    );
  });
  it('cannot be zoomed or panned out of sight', () => {
    const axis = axisOf('time', 1);
    let view = fit(axis, 1000);
    for (let i = 0; i < 60; i++) view = zoomAt(axis, view, 500, 3);
    expect(view.scale).toBe(SCALES.time.most);
    view = panBy(axis, view, 1e12, 1000);
    expect(axis.width - axis.of(view.left)).toBeGreaterThan(0);
    view = panBy(axis, view, -1e12, 1000);
    expect(axis.of(view.left)).toBeGreaterThan(-1000);
  });
  it('shows a range with little room beside it', () => {
    for (const mode of ['time', 'records'] as const) {
      const axis = axisOf(mode, 1);
      const [from, to] = [axis.placeOfSeq(1200), axis.placeOfSeq(1900)];
      const view = fitRange(axis, 1000, from, to);
      expect(axis.of(from) - axis.of(view.left)).toBeGreaterThanOrEqual(0);
      expect(axis.of(to) - axis.of(from)).toBeGreaterThan(850);
      expect(axis.of(to) - axis.of(view.left)).toBeLessThanOrEqual(1000);
    }
  });
  it('does not move when the beginning is forgotten, and is brought back into sight when that was all it showed', () => {
    const held = modelOf(crash);
    const axis = new Axis(held);
    const view = zoomAt(axis, fit(axis, 1000), 980, 3);
    expect(axis.at(axis.of(view.left))).toBeGreaterThan(crash[2500]?.time ?? 0);
    const x = axis.ofSeq(3900) - axis.of(view.left);
    held.forget(2500);
    axis.update();
    expect(axis.ofSeq(3900) - axis.of(view.left)).toBeCloseTo(x, 4);
    held.forget(crash.length - 50);
    const shown = panBy(axis, view, 0, 1000);
    expect(axis.ofSeq(crash.length - 49) - axis.of(shown.left)).toBeLessThanOrEqual(800.001);
  });
});
