/** Lengths of the state's rings. */
export const RING = { events: 200, transitions: 100, calls: 100, steps: 200 } as const;

/** Appends; the oldest go when there are more than `limit`. */
export function push<T>(ring: T[], item: T, limit: number): void {
  ring.push(item);
  while (ring.length > limit) ring.shift();
}
