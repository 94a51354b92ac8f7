/** The part of an observed run that a twin re-enacts, as a person writes it. */
import type { Micros } from '@syncloop/core/trace';

/** The time before and after the moment in view that a part of a long run has unless a person chooses another one. */
const AROUND: Micros = 600e6;

export const aroundTime = (here: Micros, end: Micros): readonly [Micros, Micros] => [
  Math.max(0, here - AROUND),
  Math.min(end, here + AROUND),
];

/**
 * Reads a time as the page shows it, "2026-11-22 12:39:11"; `zero` is time 0 written so. Undefined if there is none;
 * null if it is not a time, or none of the run.
 */
export function timeIn(text: string, zero: string, end: Micros): Micros | undefined | null {
  if (text.trim() === '') return undefined;
  const millis = (of: string) => Date.parse(`${of.trim().replace(/\s+/, 'T')}Z`);
  const time = (millis(text) - millis(zero)) * 1000;
  return Number.isNaN(time) || time < 0 || time > end + 1e6 ? null : time;
}
