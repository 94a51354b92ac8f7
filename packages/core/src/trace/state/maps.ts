/** A map whose keys come from outside: nothing is inherited, `__proto__` is a key like any other. */
export function emptyMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** A map with a copy of each value. */
export function mapValues<T>(map: Readonly<Record<string, T>>, copy: (value: T) => T): Record<string, T> {
  const out = emptyMap<T>();
  for (const key of Object.keys(map)) out[key] = copy(map[key] as T);
  return out;
}
export const shallow = <T extends object>(value: T): T => ({ ...value });
