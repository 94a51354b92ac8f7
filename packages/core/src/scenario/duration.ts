import { Hour, Microsecond, Millisecond, Minute, Second } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';

const units: Readonly<Record<string, number>> = {
  ns: Microsecond / 1000,
  us: Microsecond,
  µs: Microsecond,
  ms: Millisecond,
  s: Second,
  m: Minute,
  h: Hour,
};

/** A duration as Go writes it (`1m30s`, `1.5s`, `0`) in Micros; null where it is none. upstream: time.ParseDuration, without signs */
export function parseDuration(text: string): Micros | null {
  if (text === '0') return 0;
  if (text.length > 64 || !/^(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/.test(text)) return null;
  let total = 0;
  let rest = text;
  while (rest !== '') {
    const m = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/.exec(rest);
    if (!m) return null;
    total += Number(m[1]) * (units[m[2] as string] as number);
    rest = rest.slice(m[0].length);
  }
  return Math.round(total);
}
