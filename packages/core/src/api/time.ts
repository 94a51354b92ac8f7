import { epochMicros, type Kernel } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import type { Time } from './types.js';

/** An instant of the run as the API writes it: UTC, cut to whole seconds. upstream: metav1.Time MarshalJSON */
export function toTime(kernel: Kernel, at: Micros): Time {
  return new Date(Math.floor((epochMicros(kernel.clock) + at) / 1_000_000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** The run's instant of an API time; null for none. Before the run's start it is negative. */
export function fromTime(kernel: Kernel, time: Time | null | undefined): Micros | null {
  if (!time) return null;
  const millis = Date.parse(time);
  return Number.isNaN(millis) ? null : millis * 1000 - epochMicros(kernel.clock);
}

/** Reads a time like {@link fromTime}, to the microsecond. */
export function fromTimeNano(kernel: Kernel, time: string | undefined): Micros | null {
  const whole = fromTime(kernel, time?.replace(/\.\d+/, ''));
  const fraction = /\.(\d+)/.exec(time ?? '')?.[1] ?? '';
  return whole === null ? null : whole + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/**
 * Returns the time with nanoseconds and no trailing zeros, as the kubelet's own annotations carry it.
 * upstream: time.RFC3339Nano
 */
export function toTimeNano(kernel: Kernel, at: Micros): string {
  const seconds = toTime(kernel, at).slice(0, -1);
  const micros = (((epochMicros(kernel.clock) + at) % 1_000_000) + 1_000_000) % 1_000_000;
  const fraction = String(Math.floor(micros)).padStart(6, '0').replace(/0+$/, '');
  return `${seconds}${fraction ? `.${fraction}` : ''}Z`;
}

/** Now, in milliseconds since 1970. */
export const epochMillis = (kernel: Kernel): number => Math.floor((epochMicros(kernel.clock) + kernel.now()) / 1000);
