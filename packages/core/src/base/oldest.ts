const places = new WeakMap<object, Iterator<unknown>>();

/**
 * The key that came into a map first, for a caller who deletes it: a map that forgets what is oldest once it is full.
 * Undefined for an empty map. A map keeps the places of keys that were deleted, so that `keys().next()` goes over
 * thousands of them each time; this goes over each once.
 */
export function oldestKey<K>(map: ReadonlyMap<K, unknown> | ReadonlySet<K>): K | undefined {
  const place = places.get(map) as Iterator<K> | undefined;
  const next = place?.next();
  if (next && !next.done) return next.value;
  const anew = map.keys();
  places.set(map, anew);
  const first = anew.next();
  return first.done ? undefined : first.value;
}
