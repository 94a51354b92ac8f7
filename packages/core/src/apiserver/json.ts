/** JSON values: safe against keys such as `__proto__`, and bounded. */
export type JsonObject = Record<string, unknown>;

/** Sets a field as its own, whatever its name. */
export function put(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
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

/**
 * Bytes that a value takes as JSON, in UTF-8; the count ends once it is over `limit`, so a huge value costs no more
 * than that. Characters that JSON escapes count as they are, and of no text more than `longest`.
 */
export function sizeJSON(value: unknown, limit = Number.POSITIVE_INFINITY, longest = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return (value.length > longest ? longest : utf8Length(value)) + 2;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : String(value).length;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += sizeJSON(item, limit - size, longest) + 1;
      if (size > limit) break;
    }
    return size;
  }
  for (const key of Object.keys(value)) {
    const item = (value as JsonObject)[key];
    if (item === undefined) continue;
    size += utf8Length(key) + 4 + sizeJSON(item, limit - size, longest);
    if (size > limit) break;
  }
  return size;
}
function utf8Length(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    // Each half of a pair of surrogates is half of four bytes.
    if (c > 0x7f) size += c > 0x7ff && (c < 0xd800 || c > 0xdfff) ? 2 : 1;
  }
  return size;
}

/** A text that two values share exactly where equalJSON says that they are the same: a key for maps and sets. */
export function textOfJSON(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(textOfJSON).join(',')}]`;
  const fields = Object.keys(value)
    .filter((k) => (value as JsonObject)[k] !== undefined)
    .sort();
  return `{${fields.map((k) => `${JSON.stringify(k)}:${textOfJSON((value as JsonObject)[k])}`).join(',')}}`;
}

/** Returns the depth of a value, at most `limit + 1`: the walk ends there. */
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
