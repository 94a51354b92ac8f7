import { countBefore } from '../../base/index.js';
import type { Seq } from '../../trace/index.js';

/** Lists of records by key, each in the order in which its records came. */
export class SeqLists<K> {
  private readonly lists = new Map<K, Seq[]>();

  /** Returns the list of a key; empty for an absent key, and for one without records. */
  of(key: K | undefined): readonly Seq[] {
    return (key === undefined ? undefined : this.lists.get(key)) ?? [];
  }
  push(key: K, seq: Seq): void {
    const list = this.lists.get(key);
    if (list) list.push(seq);
    else this.lists.set(key, [seq]);
  }
}

/** Returns the position of the first entry that is at least `seq`. */
function lowerBound(list: readonly Seq[], seq: Seq): number {
  return countBefore(list.length, (i) => (list[i] as Seq) < seq);
}

/**
 * Returns the newest entry before `seq` that passes, looking back no further than `from` and no more than `most`
 * entries; 0 if none.
 */
export function lastBefore(
  list: readonly Seq[],
  seq: Seq,
  test: (seq: Seq) => boolean = () => true,
  from: Seq = 0,
  most = 2000,
): Seq {
  let i = lowerBound(list, seq) - 1;
  for (let n = 0; i >= 0 && n < most; i--, n++) {
    const s = list[i] as Seq;
    if (s <= from) return 0;
    if (test(s)) return s;
  }
  return 0;
}

/** Entries after `from` and before `to`. */
export function between(list: readonly Seq[], from: Seq, to: Seq): readonly Seq[] {
  return list.slice(lowerBound(list, from + 1), lowerBound(list, to));
}
