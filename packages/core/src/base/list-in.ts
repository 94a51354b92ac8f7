/** Returns the list that a map of lists has for a key, and makes it first if need be. */
export function listIn<K, T>(map: Map<K, T[]>, key: K): T[] {
  const known = map.get(key);
  if (known) return known;
  const made: T[] = [];
  map.set(key, made);
  return made;
}
