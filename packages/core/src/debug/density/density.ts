import type { Micros, Seq, TraceRecord } from '../../trace/index.js';

/** Buckets that a fold has; the answer may have fewer. */
const BUCKETS = 2048;
/** The width of a bucket at first, Micros. */
const NARROWEST: Micros = 1024;

/** The answer to the query `density`: amounts by time, from `from` on, each for `width` Micros. */
export interface Density {
  readonly from: Micros;
  readonly width: Micros;
  /** Pieces of evidence: lines of logs, calls, spans. Records, if the run is not observed. */
  readonly lines: readonly number[];
  /** The lines of a log among them that are warnings, and errors. */
  readonly warnings: readonly number[];
  readonly errors: readonly number[];
  /** The time of the last record. */
  readonly to: Micros;
  /** The oldest record that can still be read, and its time. */
  readonly oldest: Seq;
  readonly oldestTime: Micros;
}

/** Counts the records of a run by time. All buckets have the same width, which doubles when the run outgrows them. */
export class DensityFold {
  private lines: Uint32Array = new Uint32Array(BUCKETS);
  private warnings: Uint32Array = new Uint32Array(BUCKETS);
  private errors: Uint32Array = new Uint32Array(BUCKETS);
  private width: Micros = NARROWEST;
  private from: Micros | null = null;
  private to: Micros = 0;
  private observed = false;

  take(record: TraceRecord): void {
    if (record.kind === 'evidence-source') this.observed = true;
    if (this.observed && !record.evidence) return;
    const { time } = record;
    this.from ??= time;
    this.to = Math.max(this.to, time);
    while (time - this.from >= this.width * BUCKETS) this.widen();
    const i = Math.max(0, Math.floor((time - this.from) / this.width));
    this.lines[i] = (this.lines[i] as number) + 1;
    if (record.kind !== 'log') return;
    if (record.severity === 'E') this.errors[i] = (this.errors[i] as number) + 1;
    else if (record.severity === 'W') this.warnings[i] = (this.warnings[i] as number) + 1;
  }

  private widen(): void {
    this.width *= 2;
    this.lines = halved(this.lines, BUCKETS);
    this.warnings = halved(this.warnings, BUCKETS);
    this.errors = halved(this.errors, BUCKETS);
  }

  /** Returns at most `most` buckets, which reach to the last record. `oldest`: the record that can still be read. */
  density({
    most = BUCKETS,
    ...oldest
  }: Pick<Density, 'oldest' | 'oldestTime'> & { readonly most?: number | undefined }): Density {
    const from = this.from ?? 0;
    let { lines, warnings, errors, width } = this;
    const used = (by: Micros) => Math.floor((this.to - from) / by) + 1;
    while (used(width) > most) {
      width *= 2;
      lines = halved(lines, lines.length);
      warnings = halved(warnings, warnings.length);
      errors = halved(errors, errors.length);
    }
    const part = (all: Uint32Array) => (this.from === null ? [] : [...all.subarray(0, used(width))]);
    return {
      from,
      width,
      lines: part(lines),
      warnings: part(warnings),
      errors: part(errors),
      to: this.to,
      ...oldest,
    };
  }
}

/** Adds up the counts of two neighbours each, in an array of this length. */
function halved(counts: Uint32Array, length: number): Uint32Array {
  const out = new Uint32Array(length);
  for (let i = 0; i < counts.length; i++) out[i >> 1] = (out[i >> 1] as number) + (counts[i] as number);
  return out;
}
