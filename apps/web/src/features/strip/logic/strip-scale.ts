/** Times and places on the strip, and what stands there. */
import type { Density } from '@syncloop/core/debug';
import type { Micros, Seq } from '@syncloop/core/trace';

/** Columns that are drawn: about as many as a narrow screen has pixels. */
export const COLUMNS = 480;

/** A place in the file that one can go to. */
export interface Stop {
  readonly seq: Seq;
  readonly time: Micros;
}

/** Turns times into shares of the strip's width, and back. What is not read yet keeps its share of the right end. */
export class StripScale {
  readonly from: Micros;
  readonly to: Micros;
  private readonly span: Micros;

  /** `read`: the share of the file's bytes that was read, from 0 to 1. */
  constructor(
    { from, to }: Pick<Density, 'from' | 'to'>,
    readonly read: number,
  ) {
    this.from = from;
    this.to = to;
    this.span = Math.max(1, to - from) / Math.max(0.01, Math.min(1, read));
  }
  share(time: Micros): number {
    return Math.max(0, Math.min(1, (time - this.from) / this.span));
  }
  /** The time at a place; the last one that was read for places behind it. */
  time(share: number): Micros {
    return Math.min(this.to, Math.max(this.from, Math.round(this.from + share * this.span)));
  }
}

/** Sums amounts of buckets by column. */
export function columnsOf(
  scale: StripScale,
  { from, width }: Pick<Density, 'from' | 'width'>,
  amounts: readonly number[],
): number[] {
  const out: number[] = new Array(COLUMNS).fill(0);
  for (const [i, n] of amounts.entries()) {
    if (n === 0) continue;
    const column = Math.min(COLUMNS - 1, Math.floor(scale.share(from + (i + 0.5) * width) * COLUMNS));
    out[column] = (out[column] as number) + n;
  }
  return out;
}

/** Counts stops by column. */
export function marksOf(scale: StripScale, times: Iterable<Micros>): number[] {
  const out: number[] = new Array(COLUMNS).fill(0);
  for (const time of times) {
    const column = Math.min(COLUMNS - 1, Math.floor(scale.share(time) * COLUMNS));
    out[column] = (out[column] as number) + 1;
  }
  return out;
}

/** Heights from 0 to 1: an amount ten times as large is not ten times as high, so that single lines can be seen. */
export function heightsOf(amounts: readonly number[], most = Math.max(...amounts)): number[] {
  const all = Math.log1p(most);
  return amounts.map((n) => (n === 0 ? 0 : Math.max(0.08, Math.log1p(n) / all)));
}

/** Bars of these heights as the path of an SVG: one unit wide each, standing on `bottom`. */
export function barsPath(heights: readonly number[], bottom: number, high: number): string {
  let path = '';
  for (const [x, h] of heights.entries())
    if (h > 0) path += `M${x} ${bottom}V${(bottom - h * high).toFixed(1)}h1V${bottom}z`;
  return path;
}

/** The next or previous stop from a place, round and round; undefined if there is none. */
export function nextStop(stops: readonly Stop[], from: Seq, by: 1 | -1): Stop | undefined {
  if (by === 1) return stops.find(({ seq }) => seq > from) ?? stops[0];
  return stops.findLast(({ seq }) => seq < from) ?? stops.at(-1);
}

/** The middle of the next or previous bucket in which there is something; the end of the file if there is none. */
export function nextBusy({ from, width, lines, to }: Density, time: Micros, by: 1 | -1, buckets = 1): Micros {
  let at = Math.floor((time - from) / width) + by * buckets;
  while (at >= 0 && at < lines.length && lines[at] === 0) at += by;
  if (at < 0) return from;
  return at >= lines.length ? to : Math.min(to, Math.round(from + (at + 0.5) * width));
}

/** The amounts of the bucket at a time. */
export function amountsAt({ from, width, lines, errors, warnings }: Density, time: Micros) {
  const i = Math.max(0, Math.min(lines.length - 1, Math.floor((time - from) / width)));
  return { lines: lines[i] ?? 0, errors: errors[i] ?? 0, warnings: warnings[i] ?? 0 };
}
