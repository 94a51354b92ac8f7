/** JSON values: safe against keys such as `__proto__`, and bounded. */
export type JsonObject = Record<string, unknown>;

export const isObject = (v: unknown): v is JsonObject => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Sets a field as its own, whatever its name. */
export function put(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
/** A field of its own; undefined where there is none. */
export const get = (from: JsonObject, key: string): unknown => (Object.hasOwn(from, key) ? from[key] : undefined);

/** A copy that shares nothing; undefined fields are left out. */
export function copyJSON<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJSON) as T;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const v = (value as JsonObject)[key];
    if (v !== undefined) put(copy, key, copyJSON(v));
  }
  return copy as T;
}

export function equalJSON(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => equalJSON(x, b[i]));
  const x = a as JsonObject;
  const y = b as JsonObject;
  const keys = Object.keys(x).filter((k) => x[k] !== undefined);
  if (keys.length !== Object.keys(y).filter((k) => y[k] !== undefined).length) return false;
  return keys.every((k) => Object.hasOwn(y, k) && equalJSON(x[k], y[k]));
}

/** How deep a value nests, at most `limit + 1`: the walk ends there. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (limit <= 0) return 1;
  let deepest = 0;
  for (const v of Array.isArray(value) ? value : Object.values(value)) {
    deepest = Math.max(deepest, depthOf(v, limit - 1));
    if (deepest >= limit) break;
  }
  return deepest + 1;
}
