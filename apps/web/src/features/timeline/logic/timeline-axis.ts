/**
 * The horizontal positions of records: by time, with idle gaps folded, or one after the other. A place is a time
 * (Micros) or a record's number; its position is in px from the first record in memory. Both directions are exact
 * inverses.
 */
import type { Micros, Seq } from '@syncloop/core/trace';
import type { TimelineModel } from './timeline-model.js';
import { lower } from './timeline-order.js';

export type AxisMode = 'time' | 'records';

/** The greatest width of an idle gap, px. */
export const FOLD = 40;

/** px per Micros, px per record. */
export const SCALES: Readonly<Record<AxisMode, { readonly least: number; readonly most: number }>> = {
  time: { least: 1e-9, most: 40 },
  records: { least: 1e-4, most: 64 },
};

export interface Fold {
  readonly from: Micros;
  readonly to: Micros;
  /** Positions, px. */
  readonly left: number;
  readonly right: number;
}

export class Axis {
  mode: AxisMode = 'time';
  scale = 1;
  /** Position of each of the model's instants. */
  private px = new Float64Array(1024);
  private known = 0;
  private cuts = -1;
  private madeFor = '';

  constructor(private readonly model: TimelineModel) {}

  /** Brings positions up to date. Cheap when records only came in. */
  update(): void {
    const { model, mode, scale } = this;
    const key = `${mode} ${scale}`;
    if (this.madeFor !== key || this.cuts !== model.cuts) this.known = 0;
    this.madeFor = key;
    this.cuts = model.cuts;
    if (mode === 'records') return;
    const { ticks } = model;
    if (this.px.length < ticks.length) {
      const grown = new Float64Array(Math.max(ticks.length, this.px.length * 2));
      grown.set(this.px.subarray(0, this.known));
      this.px = grown;
    }
    if (this.known === 0 && ticks.length > 0) {
      this.px[0] = 0;
      this.known = 1;
    }
    for (let i = this.known; i < ticks.length; i++) {
      const gap = ((ticks[i] as number) - (ticks[i - 1] as number)) * scale;
      this.px[i] = (this.px[i - 1] as number) + (gap > FOLD ? FOLD : gap);
    }
    this.known = ticks.length;
  }

  /** Position of a record in memory. */
  ofSeq(seq: Seq): number {
    const { columns } = this.model;
    if (this.mode === 'records') return (seq - columns.base) * this.scale;
    return this.px[(columns.tick[seq - columns.base] as number) - this.model.tickBase] as number;
  }

  /** Position of a place; beyond the ends it goes on evenly. */
  of(place: number): number {
    const { model, scale } = this;
    if (this.mode === 'records') return (place - model.columns.base) * scale;
    const { ticks } = model;
    const n = ticks.length;
    if (n === 0) return place * scale;
    const first = ticks[0] as number;
    const last = ticks[n - 1] as number;
    if (place <= first) return (place - first) * scale;
    if (place >= last) return (this.px[n - 1] as number) + (place - last) * scale;
    const i = lower(ticks, place);
    if (ticks[i] === place) return this.px[i] as number;
    const from = ticks[i - 1] as number;
    const part = (place - from) / ((ticks[i] as number) - from);
    const left = this.px[i - 1] as number;
    return left + part * ((this.px[i] as number) - left);
  }

  /** The place at a position. */
  at(px: number): number {
    const { model, scale } = this;
    if (this.mode === 'records') return px / scale + model.columns.base;
    const { ticks } = model;
    const n = ticks.length;
    if (n === 0) return px / scale;
    const end = this.px[n - 1] as number;
    if (px <= 0) return (ticks[0] as number) + px / scale;
    if (px >= end) return (ticks[n - 1] as number) + (px - end) / scale;
    const i = lower(this.px, px, 0, n);
    const left = this.px[i - 1] as number;
    const right = this.px[i] as number;
    const from = ticks[i - 1] as number;
    return from + ((px - left) / (right - left)) * ((ticks[i] as number) - from);
  }

  /** Position of the last record in memory. */
  get width(): number {
    const { model } = this;
    if (this.mode === 'records') return Math.max(0, model.columns.length - 1) * this.scale;
    return model.ticks.length === 0 ? 0 : (this.px[model.ticks.length - 1] as number);
  }

  placeOfSeq(seq: Seq): number {
    return this.mode === 'records' ? seq : this.model.timeAt(seq);
  }
  timeAt(place: number): Micros {
    return this.mode === 'records' ? this.model.timeAt(Math.round(place)) : place;
  }
  /** The first record at or after a place. */
  seqAt(place: number): Seq {
    if (this.mode === 'time') return this.model.seqAtTime(place);
    const { first, last } = this.model;
    return Math.min(last + 1, Math.max(first, Math.ceil(place)));
  }

  /** Idle gaps between two positions that are drawn shorter than they were. */
  folds(left: number, right: number): Fold[] {
    if (this.mode === 'records') return [];
    const { ticks } = this.model;
    const out: Fold[] = [];
    for (let i = Math.max(1, lower(this.px, left, 0, ticks.length)); i < ticks.length; i++) {
      const from = this.px[i - 1] as number;
      if (from > right) break;
      const a = ticks[i - 1] as number;
      const b = ticks[i] as number;
      if ((b - a) * this.scale > FOLD) out.push({ from: a, to: b, left: from, right: this.px[i] as number });
    }
    return out;
  }

  /** The scale at which everything in memory is `width` px wide. */
  fitting(width: number): number {
    const { model, mode } = this;
    const { least, most } = SCALES[mode];
    if (mode === 'records') return clamp(width / Math.max(1, model.columns.length - 1), least, most);
    const { ticks } = model;
    if (ticks.length < 2) return clamp(width / 1e6, least, most);
    const gaps = new Float64Array(ticks.length - 1);
    for (let i = 1; i < ticks.length; i++) gaps[i - 1] = (ticks[i] as number) - (ticks[i - 1] as number);
    gaps.sort();
    // The width grows with the scale: gaps up to `k` are shown in full, the others are folded.
    let sum = 0;
    for (let k = 0; k < gaps.length; k++) {
      const folded = (gaps.length - k) * FOLD;
      const scale = FOLD / (gaps[k] as number);
      if (sum * scale + folded <= width) {
        // Everything fits at the scale that just folds gap k, so a larger scale may fit, too.
        return clamp(sum > 0 ? (width - folded) / sum : most, least, most);
      }
      sum += gaps[k] as number;
    }
    return clamp(width / sum, least, most);
  }
}

export const clamp = (x: number, least: number, most: number): number => Math.min(most, Math.max(least, x));

/** The part of an axis that is seen: the place at the left edge. Zooming and forgetting leave it where it is. */
export interface View {
  readonly left: number;
  readonly scale: number;
}

/** Returns the view after zooming by `factor`, with the place at `x` px from the left edge unmoved. */
export function zoomAt(axis: Axis, view: View, x: number, factor: number): View {
  const { least, most } = SCALES[axis.mode];
  setScale(axis, view.scale);
  const place = axis.at(axis.of(view.left) + x);
  const scale = clamp(view.scale * factor, least, most);
  setScale(axis, scale);
  return { left: axis.at(axis.of(place) - x), scale };
}

/** The view moved by `by` px, so far as something stays in sight. */
export function panBy(axis: Axis, view: View, by: number, width: number): View {
  setScale(axis, view.scale);
  const px = clamp(axis.of(view.left) + by, -width * 0.8, axis.width - width * 0.2);
  return { left: axis.at(px), scale: view.scale };
}

/** Everything in memory, with a little space around it. */
export function fit(axis: Axis, width: number, pad = 12): View {
  const scale = axis.fitting(Math.max(40, width - 2 * pad));
  setScale(axis, scale);
  return { left: axis.at(-pad), scale };
}

/** The part between two places. */
export function fitRange(axis: Axis, width: number, from: number, to: number): View {
  const { least, most } = SCALES[axis.mode];
  let low = Math.log(least);
  let high = Math.log(most);
  // Folding makes the growth uneven, but a larger scale is always wider.
  for (let i = 0; i < 40; i++) {
    const mid = (low + high) / 2;
    setScale(axis, Math.exp(mid));
    if (axis.of(to) - axis.of(from) > width * 0.9) high = mid;
    else low = mid;
  }
  setScale(axis, Math.exp(low));
  const room = (width - (axis.of(to) - axis.of(from))) / 2;
  return { left: axis.at(axis.of(from) - room), scale: Math.exp(low) };
}

function setScale(axis: Axis, scale: number): void {
  axis.scale = scale;
  axis.update();
}
