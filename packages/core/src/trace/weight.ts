import type { TraceRecord } from './records.js';

/** Bytes that a record takes with nothing in it, one of its fields, and a text in addition to its characters. */
const RECORD = 64;
const FIELD = 16;
const TEXT = 24;

/**
 * About how many bytes of memory a record takes: what bounds of memory count, since records have texts of any length.
 */
export const recordWeight = (record: TraceRecord): number => RECORD + weightOf(record);

/** The same for any value of data; lists and objects are counted by what is in them. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return TEXT + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  if (Array.isArray(value)) {
    for (const one of value) sum += FIELD + weightOf(one);
    return sum;
  }
  for (const key in value) sum += FIELD + weightOf((value as { readonly [key: string]: unknown })[key]);
  return sum;
}
