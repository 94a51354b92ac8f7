import { Hour, Microsecond, Millisecond, Minute, Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

const units: Readonly<Record<string, number>> = {
  ns: Microsecond / 1000,
  us: Microsecond,
  µs: Microsecond,
  μs: Microsecond,
  ms: Millisecond,
  s: Second,
  m: Minute,
  h: Hour,
};

/** A duration as Go writes it (`1m30s`, `-1.5s`, `0`) in Micros; null where it is none. upstream: time.ParseDuration */
export function goDuration(text: string): Micros | null {
  const m = /^([+-]?)(.+)$/.exec(text);
  if (!m || text.length > 64) return null;
  let rest = m[2] as string;
  let total = 0;
  while (rest !== '' && rest !== '0') {
    const part = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (!part) return null;
    total += Number(part[1]) * (units[part[2] as string] as number);
    rest = rest.slice(part[0].length);
  }
  // A bare 0 is a duration only when it is all there is.
  if (rest === '0' && m[2] !== '0') return null;
  return Math.round(m[1] === '-' ? -total : total);
}
