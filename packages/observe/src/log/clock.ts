/** Gives the lines of a log, which have neither a year nor a zone, times that no set clock turns back. */
import { isZone, type LocalTime } from './times.js';

const DAY = 86_400e6;
/** Lines of several goroutines may be out of order by less than this; by more, a clock was set. */
const OUT_OF_ORDER = 1e6;
/** Few lines that are so far ahead of those before and after them have a wrong time: the clock was not set. */
const LEAP = DAY;
const MOST_LEAPT = 16;
/** Steps of the clock that are listed one by one. */
const MOST_STEPS = 1_000;
const QUARTER = 15 * 60e6;
const HOUR = 3600e6;
/** Months in which clocks go back on a Sunday: on the northern half of the earth, and on the southern one. */
const ENDS_OF_SUMMER: ReadonlySet<number> = new Set([3, 4, 9, 10, 11]);
/** Lines that agree on another zone before it is taken, unless it is the hour of daylight saving. */
const AGREED = 3;
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
  /** A zone that few lines had so far, and how many. */
  private otherZone = { zone: 0, lines: 0 };
  private zoneKnown = false;
  /** By how much the kubelet's local time is ahead of the framing's. */
  private ahead = 0;
  /** The kubelet's time less the time since boot that its framing has. */
  private boot: number | null = null;
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
    const local = (year: number) => this.midnight(year, month, day) + micros;
    if (kept !== undefined) {
      const year = new Date(kept / 1000).getUTCFullYear();
      // Local time may be in another year than UTC is.
      const nearest = [year - 1, year, year + 1]
        .map(local)
        .reduce((a, b) => (Math.abs(b - kept) < Math.abs(a - kept) ? b : a));
      const zone = Math.round((nearest - kept + LATEST / 2) / QUARTER) * QUARTER;
      if (Math.abs(nearest - zone - kept) <= LATEST && isZone(zone / 60e6)) this.seeZone(zone);
      return nearest - this.zone;
    }
    this.year ??= this.firstYear(local);
    let at = local(this.year) - this.zone;
    // New Year, or a line from before it.
    if (this.last !== null && this.last - at > 180 * DAY) at = local(++this.year) - this.zone;
    else if (this.last !== null && at - this.last > 180 * DAY) at = local(this.year - 1) - this.zone;
    return at;
  }

  /** Microseconds since 1970 of the beginning of a day: nearly all lines are of the day of the line before. */
  private midnight(year: number, month: number, day: number): number {
    const key = (year * 16 + month) * 128 + day;
    if (key !== this.dayOf.key) this.dayOf = { key, micros: Date.UTC(year, month - 1, day) * 1000 };
    return this.dayOf.micros;
  }
  private dayOf = { key: -1, micros: 0 };

  /**
   * Takes what was found before the first line is read: the time of a line that has a year, and the zone in minutes.
   */
  settle(dated: number | null, zoneMinutes: number | null): void {
    if (dated !== null) this.dated = dated;
    if (zoneMinutes !== null && this.options.zoneMinutes === undefined) this.zone = zoneMinutes * 60e6;
  }
  private dated: number | null = null;

  private seeZone(zone: number): void {
    if (zone === this.zone) {
      this.zoneKnown = true;
      this.otherZone.lines = 0;
      return;
    }
    const same = this.otherZone.zone === zone;
    this.otherZone = { zone, lines: same ? this.otherZone.lines + 1 : 1 };
    // The keeper may be minutes late once; the hour of daylight saving comes at once.
    if (this.zoneKnown && Math.abs(zone - this.zone) !== HOUR && this.otherZone.lines < AGREED) return;
    this.zone = zone;
    this.zoneKnown = true;
  }

  /** Learns from a line with a header of klog how the framing's clock differs from the kubelet's. */
  compare(head: LocalTime, at: number, local: LocalTime | undefined, sinceBoot: number | undefined): void {
    if (sinceBoot !== undefined) this.boot = at - sinceBoot;
    if (!local || local.month === 0) return;
    if (head.month === local.month && head.day === local.day) {
      // As in most lines: less than a minute apart.
      const apart = head.micros - local.micros;
      if (apart > -60e6 && apart < 60e6) {
        this.ahead = 0;
        return;
      }
    }
    const difference = Math.round((withinYear(head) - withinYear(local) + LATEST / 2) / QUARTER) * QUARTER;
    if (isZone(difference / 60e6)) this.ahead = difference;
  }

  /** Microseconds since 1970 of another line by the local time, or the time since boot, of its framing. */
  framed(local: LocalTime | undefined, sinceBoot: number | undefined): number | null {
    if (local && local.month > 0) {
      if (local.year !== undefined)
        return Date.UTC(local.year, local.month - 1, local.day) * 1000 + local.micros + this.ahead - this.zone;
      return this.local(local.month, local.day, local.micros) + this.ahead + this.shift;
    }
    return sinceBoot === undefined || this.boot === null ? null : this.boot + sinceBoot;
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
    if (this.endsSummer(at, this.last - shifted)) {
      this.shift += HOUR;
      this.last = at + this.shift;
      return this.last;
    }
    if (this.steps.length < MOST_STEPS) this.steps.push({ from: this.last - this.shift, to: at });
    this.shift = this.last - at;
    return this.last;
  }

  /**
   * True if a step back is that of daylight saving, and no keeper has said by how much: on a Sunday in the first hours,
   * in the months in which some place of the earth ends its summer time.
   */
  private endsSummer(at: number, back: number): boolean {
    if (this.zoneKnown || back <= 0 || back > HOUR) return false;
    const local = new Date((at + this.zone) / 1000);
    return local.getUTCDay() === 0 && local.getUTCHours() < 4 && ENDS_OF_SUMMER.has(local.getUTCMonth() + 1);
  }

  private firstYear(local: (year: number) => number): number {
    if (this.dated !== null) {
      const { dated } = this;
      const there = new Date(dated / 1000).getUTCFullYear();
      const far = (year: number) => Math.abs(local(year) - dated);
      return [there - 1, there, there + 1].reduce((a, b) => (far(b) < far(a) ? b : a));
    }
    const latest = this.options.notAfter * 1000 + DAY;
    const year = new Date(this.options.notAfter).getUTCFullYear();
    return local(year) - this.zone <= latest ? year : year - 1;
  }
}

/** A time within a leap year, to compare two that have none. */
const withinYear = ({ month, day, micros }: LocalTime): number => Date.UTC(2000, month - 1, day) * 1000 + micros;
