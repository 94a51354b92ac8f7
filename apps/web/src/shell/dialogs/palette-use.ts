/**
 * The entries that are used in the palette, and how often: kept by this browser, and forgotten by half each week, so
 * that an entry that was much used once is not first for ever.
 */
import { recall, remember } from '../../page/storage.js';

const KEY = 'paletteUse';
const HALF_LIFE_MILLIS = 7 * 24 * 3600 * 1000;
/** Entries kept, the most used ones. */
const MOST = 60;
/** An entry of less weight is forgotten. */
const LEAST = 0.1;

/** Weight of each entry as it was at a time (ms since the epoch). */
export type Uses = Readonly<Record<string, { readonly weight: number; readonly at: number }>>;

/** Returns the weight of an entry's use: 1 for once just now, half of that a week later. */
export function weightOf(uses: Uses, id: string, now: number): number {
  const known = Object.hasOwn(uses, id) ? uses[id] : undefined;
  return known ? known.weight * 2 ** -(Math.max(0, now - known.at) / HALF_LIFE_MILLIS) : 0;
}

/** The same after an entry was used once more. */
export function used(uses: Uses, id: string, now: number): Uses {
  const next = { ...uses, [id]: { weight: weightOf(uses, id, now) + 1, at: now } };
  return Object.fromEntries(
    Object.entries(next)
      .map(([key, use]) => ({ key, use, weight: weightOf(next, key, now) }))
      .filter(({ weight }) => weight >= LEAST)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MOST)
      .map(({ key, use }) => [key, use]),
  );
}

/** Reads the uses that a browser has kept; what is not ours is left out. */
export function usesFrom(stored: string | null): Uses {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const good = (use: unknown): use is Uses[string] => {
      const { weight, at } = (use ?? {}) as Partial<Uses[string]>;
      return Number.isFinite(weight) && (weight as number) > 0 && Number.isFinite(at);
    };
    return Object.fromEntries(Object.entries(value).filter(([, use]) => good(use)));
  } catch {
    return {};
  }
}

export const knownUses = (): Uses => usesFrom(recall(KEY));
export const keepUse = (id: string): void => remember(KEY, JSON.stringify(used(knownUses(), id, Date.now())));
