/** Durations in whole microseconds, and as Go writes them. */

export const Microsecond = 1;
export const Millisecond = 1000;
export const Second = 1_000_000;
export const Minute = 60 * Second;
export const Hour = 60 * Minute;

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
/** Texts that are longer are not durations. */
const MAX_LENGTH = 64;

/**
 * A duration as Go writes it (`1m30s`, `-1.5s`, `0`), in microseconds; null for any other text.
 * upstream: time.ParseDuration, metav1.Duration
 */
export function parseDuration(text: string): number | null {
  const m = /^([+-]?)(.+)$/.exec(text);
  if (!m || text.length > MAX_LENGTH) return null;
  const digits = m[2] as string;
  // Only 0 needs no unit.
  if (digits === '0') return 0;
  let rest = digits;
  let total = 0;
  while (rest !== '') {
    const part = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (!part) return null;
    total += Number(part[1]) * (units[part[2] as string] as number);
    rest = rest.slice(part[0].length);
  }
  return Math.round(m[1] === '-' ? -total : total);
}

/** A duration in microseconds as Go prints it: 1.5s, 1m20s, 300ms, 0s. upstream: (time.Duration).String */
export function formatDuration(micros: number): string {
  if (micros === 0) return '0s';
  const sign = micros < 0 ? '-' : '';
  let rest = Math.abs(micros);
  if (rest < Millisecond) return `${sign}${rest}µs`;
  if (rest < Second) return `${sign}${rest / Millisecond}ms`;
  const h = Math.floor(rest / Hour);
  rest -= h * Hour;
  const m = Math.floor(rest / Minute);
  rest -= m * Minute;
  const s = `${rest / Second}s`;
  return sign + (h ? `${h}h${m}m${s}` : m ? `${m}m${s}` : s);
}
