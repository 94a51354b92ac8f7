import { parseDuration } from '@syncloop/core/base';
import { UsageError } from '../base/errors.js';

const DAY_MICROS = 24 * 3600 * 1e6;

/**
 * Reads a time as a reader of a log gives it, on the clock of the records: RFC 3339, or with ` UTC` as `journalctl`
 * takes it; a time of day in UTC, the first such after the start; or how long after the start. `epochMicros`:
 * microseconds since 1970 at time 0.
 */
export function timeOf(flag: string, text: string, epochMicros: number): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= 0) return duration;
  const [, h, m, s = '0', fraction = ''] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,6})?)?$/.exec(text) ?? [];
  if (h !== undefined) {
    const ofDay = ((Number(h) * 60 + Number(m)) * 60 + Number(`${s}${fraction}`)) * 1e6;
    const start = epochMicros % DAY_MICROS;
    return Math.round(ofDay >= start ? ofDay - start : ofDay + DAY_MICROS - start);
  }
  const stamp = text.replace(/ ?UTC$/, 'Z');
  const [, date, micros = ''] =
    /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.(?:\d{1,3}))?)(\d{0,6})(?:[Zz]|[+-]\d\d:?\d\d)$/.exec(stamp) ?? [];
  const millis = date === undefined ? Number.NaN : Date.parse(stamp.replace(date + micros, date));
  if (!Number.isNaN(millis)) return millis * 1000 + Number(micros.slice(0, 3).padEnd(3, '0')) - epochMicros;
  throw new UsageError(
    `--${flag} is ${JSON.stringify(text)}, but must be a time of day in UTC (03:12:07), a time (2026-11-22T03:12:07Z), or how long after the start (90s)`,
  );
}
