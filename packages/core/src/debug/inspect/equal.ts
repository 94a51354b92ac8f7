import { isObject, own } from '../../base/index.js';
import type { Json } from '../../trace/index.js';

/** Values are compared down to this depth; maps and lists below it count as different. */
export const MAX_LEVELS = 300;

type JsonMap = { readonly [key: string]: Json | undefined };
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Returns true if two values have the same content. A field that is undefined counts as absent. */
export function same(a: Json | undefined, b: Json | undefined, level = 0): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (level > MAX_LEVELS) return false;
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!same(a[i], b[i], level + 1)) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  for (const key of Object.keys(a)) if (a[key] !== undefined && !same(a[key], own(b, key), level + 1)) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && own(a, key) === undefined) return false;
  return true;
}

/** A copy down to the last part; maps have no prototype, as those of the state. */
export function copy(value: Json, level = 0): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (level > MAX_LEVELS) return value;
  if (isList(value)) return value.map((v) => copy(v, level + 1));
  const out = Object.create(null) as { [key: string]: Json };
  const map = value as JsonMap;
  for (const key of Object.keys(map)) {
    const field = map[key];
    if (field !== undefined) out[key] = copy(field, level + 1);
  }
  return out;
}
