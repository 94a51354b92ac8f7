/**
 * A JSON value with a merge patch applied, neither changed: objects are merged, null removes, all else replaces (RFC
 * 7386).
 */
import { isObject } from '../../base/index.js';
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // Through a map: a key of `__proto__` is a key like any other.
  const out = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) out.delete(key);
    else out.set(key, mergePatch(out.get(key), value));
  }
  return Object.fromEntries(out);
}
