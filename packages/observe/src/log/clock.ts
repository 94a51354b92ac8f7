/** Gives the lines of a log, which have neither a year nor a zone, times that no set clock turns back. */

const DAY = 86_400e6;
/** Lines of several goroutines may be out of order by less than this; by more, a clock was set. */
const OUT_OF_ORDER = 1e6;
/** Few lines that are so far ahead of those before and after them have a wrong time: the clock was not set. */
const LEAP = DAY;
const MOST_LEAPT = 16;
/** Steps of the clock that are listed one by one. */
const MOST_STEPS = 1_000;
const QUARTER = 15 * 60e6;
/** The time added by the log's collector may be later than the line's own by less than this. */
const LATEST = 7 * 60e6;

export interface LogClockOptions {
  /**
   * A time, milliseconds since 1970, that is not before the log's end, such as the file's last change: the year is the
   * latest one that fits.
   */
  readonly notAfter: number;
  /**
   * Minutes that the log's local time is ahead of UTC. Default 0; times added by the log's collector are more precise,
   * if there are any.
   */
  readonly zoneMinutes?: number;
}

/** A time step that the clock of the node made: back, or forward by more than lines are apart. */
export interface ClockStep {
  /** Microseconds since 1970 before the step, and after it. */
  readonly from: number;
  readonly to: number;
}

export class LogClock {
  private year: number | null = null;
  private last: number | null = null;
  /** The shift that keeps time from going back when the node's clock did. */
  private shift = 0;
  private zone: number;
  /** The time before it leapt ahead, and the number of lines since. */
  private beforeLeap: { readonly last: number; lines: number } | null = null;
  readonly steps: ClockStep[] = [];

  constructor(private readonly options: LogClockOptions) {
    this.zone = (options.zoneMinutes ?? 0) * 60e6;
  }

  /** Minutes that local time is ahead of UTC, as taken now. */
  get zoneMinutes(): number {
    return this.zone / 60e6;
  }

  /**
   * Returns the microseconds since 1970 of a header's local time. `kept` is the keeper's time of the line, if it has
   * one: year and zone follow from it.
   */
  local(month: number, day: number, micros: number, kept?: number): number {
    const local = (year: number) => Date.UTC(year, month - 1, day) * 1000 + micros;
    if (kept !== undefined) {
      const year = new Date(kept / 1000).getUTCFullYear();
      // Local time may be in another year than UTC is.
      const nearest = [year - 1, year, year + 1]
        .map(local)
        .reduce((a, b) => (Math.abs(b - kept) < Math.abs(a - kept) ? b : a));
      const zone = Math.round((nearest - kept + LATEST / 2) / QUARTER) * QUARTER;
      if (Math.abs(nearest - zone - kept) <= LATEST && Math.abs(zone) <= 14 * 3600e6) this.zone = zone;
      return nearest - this.zone;
    }
    this.year ??= this.firstYear(local);
    let at = local(this.year) - this.zone;
    // New Year, or a line from before it.
    if (this.last !== null && this.last - at > 180 * DAY) at = local(++this.year) - this.zone;
    else if (this.last !== null && at - this.last > 180 * DAY) at = local(this.year - 1) - this.zone;
    return at;
  }

  /**
   * Takes the time of the next line. The result may be before the last one by less than a second, as lines of several
   * goroutines cross; if the node's clock was set back, time goes on from the last one.
   */
  next(at: number): number {
    const shifted = at + this.shift;
    if (this.last !== null && shifted - this.last > LEAP) this.beforeLeap ??= { last: this.last, lines: 0 };
    if (this.beforeLeap && ++this.beforeLeap.lines > MOST_LEAPT) this.beforeLeap = null;
    if (this.beforeLeap && this.last !== null && this.last - shifted > LEAP) {
      const { last } = this.beforeLeap;
      if (shifted >= last - OUT_OF_ORDER && shifted - last <= LEAP) {
        this.last = last;
        this.beforeLeap = null;
      }
    }
    if (this.last === null || shifted >= this.last) {
      this.last = shifted;
      return shifted;
    }
    if (this.last - shifted <= OUT_OF_ORDER) return shifted;
    if (this.steps.length < MOST_STEPS) this.steps.push({ from: this.last - this.shift, to: at });
    this.shift = this.last - at;
    return this.last;
  }

  private firstYear(local: (year: number) => number): number {
    const latest = this.options.notAfter * 1000 + DAY;
    const year = new Date(this.options.notAfter).getUTCFullYear();
    return local(year) - this.zone <= latest ? year : year - 1;
  }
}
