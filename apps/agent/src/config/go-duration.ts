import { Hour, Minute } from '@syncloop/core/kernel';

const units: Readonly<Record<string, number>> = { ns: 1e-3, us: 1, µs: 1, μs: 1, ms: 1e3, s: 1e6, m: Minute, h: Hour };

/** A Go duration (`1m30s`, `300ms`, `-1.5h`, `0`) in Micros, rounded; undefined if the text is none. upstream: time.ParseDuration */
export function parseDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, number = '', unit = ''] of rest.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(number) * (units[unit] ?? 0);
  }
  return Math.round(sign === '-' ? -total : total);
}
