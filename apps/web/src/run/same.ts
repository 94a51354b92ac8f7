/**
 * Deep equality of plain JSON-like values: views of the state are compared with it, so that an unchanged view renders
 * nothing.
 */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((x, i) => same(x, b[i]));
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((k) => Object.hasOwn(right, k) && same(left[k], right[k]));
}

/** Returns the next value, with the unchanged fields of the one before: a reader of only one of them sees no change. */
export function keepingSame<T extends object>(before: T, next: T): T {
  const kept = { ...next };
  for (const key of Object.keys(next) as (keyof T)[]) if (same(before[key], next[key])) kept[key] = before[key];
  return kept;
}
