/** Work that is split by number, and the parts of it that came back. */

/** One of several shares of a work: what has a number that leaves `index` when divided by `of`. */
export interface Shard {
  /** From 0 on. */
  readonly index: number;
  readonly of: number;
}

/** Parts that do not belong together; the message says which and why. */
export class PartsError extends Error {
  override readonly name = 'PartsError';
}

export interface CountedParts<P> {
  /** One of each shard that is there, in the order of the shards. */
  readonly parts: readonly P[];
  /** Indexes of shards that are not there. */
  readonly missing: readonly number[];
  /** Parts that were there already. */
  readonly repeated: number;
  readonly of: number;
}

/**
 * Counts the parts of a work, which may come in any order and more than once. Throws a PartsError, whose sentence ends
 * with `remedy`, if one shard has two results that differ; and if there are none, or of splits that differ.
 */
export function countParts<P extends { readonly shard: Shard }>(parts: readonly P[], remedy: string): CountedParts<P> {
  const [one] = parts;
  if (!one) throw new PartsError('there is no part to merge');
  const { of } = one.shard;
  const byIndex = new Map<number, { readonly part: P; readonly text: string }>();
  let repeated = 0;
  for (const part of parts) {
    const { index } = part.shard;
    if (part.shard.of !== of)
      throw new PartsError(
        `the parts are of different splits: the number of shards is ${of} in one and ${part.shard.of} in another`,
      );
    if (index >= of) throw new PartsError(`there is a shard ${index + 1} of ${of}`);
    const text = JSON.stringify(part);
    const known = byIndex.get(index);
    if (!known) byIndex.set(index, { part, text });
    else if (known.text === text) repeated++;
    else throw new PartsError(`shard ${index + 1} of ${of} has two results that contradict each other: ${remedy}`);
  }
  const present = [...byIndex.values()].map(({ part }) => part).sort((a, b) => a.shard.index - b.shard.index);
  return {
    parts: present,
    missing: Array.from({ length: of }, (_, i) => i).filter((i) => !byIndex.has(i)),
    repeated,
    of,
  };
}
