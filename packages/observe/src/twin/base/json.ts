/** Reading JSON that anybody may have written. */
import { base64Bytes, isObject } from '@syncloop/core/base';
import { redacted } from '@syncloop/core/cri';
import type { Json } from '@syncloop/core/trace';

export type JsonObject = { readonly [key: string]: Json | undefined };

/** The value as an object; an empty object for any other value. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
/** The value as a list of objects. */
export const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => isObject(one)) : [];
/** The value as a list; an empty list for any other value. */
export const items = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The value as a number, also from the string form of protobuf's JSON; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
/** Nanoseconds since 1970, as a text, in microseconds; undefined for zero and for a text that is not a number. */
export function nanosAsMicros(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return /^[1-9]\d{3,}$/.test(text) ? Number(text.slice(0, -3)) : undefined;
}
/** Seconds to the microsecond, as a duration of a scenario: "1.5s". */
export const seconds = (micros: number): string => `${Number((micros / 1e6).toFixed(6))}s`;
export const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Returns a value with the keys of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** Decodes text that protobuf's JSON carries as base64 bytes; '' for any other value. */
export function decoded(value: unknown): string {
  // A redacted secret is not bytes any more.
  if (value === redacted) return redacted;
  try {
    return new TextDecoder().decode(base64Bytes(textOf(value)));
  } catch {
    return '';
  }
}

/** Returns the id in "containerd://070e51...", or in klog's form of it. */
export const bareId = (value: unknown): string =>
  (typeof value === 'string' ? value : textOf(objectOf(value).ID)).replace(/^[\w.-]+:\/\//, '');
