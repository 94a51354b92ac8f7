/** What fields of a KubeletConfiguration may hold. */

import { isIP } from 'node:net';
import { parseDuration, parseQuantity, quantityValue } from '@syncloop/core/base';
import type { AgentConfig } from './agent-config.js';

/** Reads a value, or returns what it should have been. */
export type Reader<T> = (value: unknown) => { readonly ok: T } | { readonly want: string };

export const ok = <T>(value: T) => ({ ok: value });
export const string: Reader<string> = (v) => (typeof v === 'string' ? ok(v) : { want: 'a text' });
export const bool: Reader<boolean> = (v) => (typeof v === 'boolean' ? ok(v) : { want: 'true or false' });
export const int =
  (min: number, max = 2 ** 31 - 1): Reader<number> =>
  (v) =>
    Number.isInteger(v) && (v as number) >= min && (v as number) <= max
      ? ok(v as number)
      : { want: `a whole number from ${min} to ${max}` };
export const port = int(0, 65535);
export const address: Reader<string> = (v) =>
  typeof v === 'string' && isIP(v) ? ok(v) : { want: 'an IP address such as 127.0.0.1' };
export const duration: Reader<number> = (v) => {
  const d = typeof v === 'string' ? parseDuration(v) : null;
  return d !== null && d >= 0 ? ok(d) : { want: 'a duration in quotes or plain, such as 20s, 1m30s or 500ms' };
};
export const quantity: Reader<number> = (v) => {
  try {
    if (typeof v === 'string' || typeof v === 'number') return ok(quantityValue(parseQuantity(v)));
  } catch {
    // Said below.
  }
  return { want: 'an amount of bytes such as 10Mi' };
};
export const oneOf =
  <T extends string>(...names: T[]): Reader<T> =>
  (v) =>
    names.includes(v as T) ? ok(v as T) : { want: names.join(' or ') };
export const listOf =
  <T>(item: Reader<T>, what: string): Reader<T[]> =>
  (v) => {
    if (!Array.isArray(v)) return { want: `a list of ${what}` };
    const read = v.map(item);
    return read.every((r) => 'ok' in r) ? ok(read.map((r) => (r as { ok: T }).ok)) : { want: `a list of ${what}` };
  };
export const gates: Reader<Record<string, boolean>> = (v) =>
  typeof v === 'object' && v !== null && !Array.isArray(v) && Object.values(v).every((x) => typeof x === 'boolean')
    ? ok(v as Record<string, boolean>)
    : { want: 'a map from names of feature gates to true or false' };
export const orDefault =
  (read: Reader<number>): Reader<number | undefined> =>
  (v) => {
    const r = read(v);
    return 'ok' in r && r.ok === 0 ? ok(undefined) : r;
  };

/** One field of the file. */
export interface Field {
  /** Returns what is wanted instead, if the value will not do. */
  apply(value: unknown, into: AgentConfig): string | undefined;
}

/** A field that `read` checks and `put` takes over. */
export function field<T>(read: Reader<T>, put: (into: AgentConfig, value: Exclude<T, undefined>) => void): Field {
  return {
    apply(value, into) {
      const r = read(value);
      if ('want' in r) return r.want;
      if (r.ok !== undefined) put(into, r.ok as Exclude<T, undefined>);
      return undefined;
    },
  };
}
