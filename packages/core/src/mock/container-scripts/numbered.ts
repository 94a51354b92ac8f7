import { type FaultSubject, podMatches } from '../faults/faults.js';
import type { Whose } from './types.js';

interface Group<T> {
  readonly whose: Whose;
  readonly byAttempt: Map<number, T>;
  /** Greatest number that is listed; -1: none. */
  last: number;
  /** For those without an entry of their own. */
  rest: T | null;
  /** How many there were so far. */
  count: number;
}

type Subject = Omit<FaultSubject, 'method'>;

const keyOf = ({ pod, container, image }: Whose): string => JSON.stringify([pod, container, image]);
const fieldsOf = ({ pod, container, image }: Whose): number =>
  [pod, container, image].filter((field) => field !== undefined).length;

/** Which entries of a list are for the same: the second of each such two. */
export function repeatedEntries(entries: readonly Whose[], kindOf: (entry: Whose) => string = () => ''): number[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, i) => {
    const key = `${kindOf(entry)} ${keyOf(entry)} ${entry.attempt}`;
    if (seen.has(key)) return [i];
    seen.add(key);
    return [];
  });
}

/** Entries of a scenario for the first, second, third of something, by what they are about. */
export class Numbered<T extends Whose> {
  private readonly groups: Group<T>[] = [];

  constructor(
    entries: readonly T[],
    private readonly nodeName: string,
  ) {
    const groups = new Map<string, Group<T>>();
    for (const entry of entries) {
      const key = keyOf(entry);
      let group = groups.get(key);
      if (!group) {
        group = { whose: entry, byAttempt: new Map(), last: -1, rest: null, count: 0 };
        groups.set(key, group);
      }
      if (entry.attempt === undefined) group.rest = entry;
      else {
        group.byAttempt.set(entry.attempt, entry);
        group.last = Math.max(group.last, entry.attempt);
      }
    }
    // Who is named more exactly counts first.
    this.groups = [...groups.values()].sort((a, b) => fieldsOf(b.whose) - fieldsOf(a.whose));
  }

  /** The entry for the next of them; it counts. Null: nothing was said of it. `n`: which one it is. */
  next(subject: Subject): { entry: T; n: number } | null {
    let found: { entry: T; n: number } | null = null;
    for (const group of this.groups) {
      if (!this.fits(group.whose, subject)) continue;
      const n = group.count++;
      if (found) continue;
      const beyond = n > group.last ? group.byAttempt.get(group.last) : undefined;
      const entry = group.byAttempt.get(n) ?? group.rest ?? beyond;
      if (entry) found = { entry, n };
    }
    return found;
  }

  /** Goes on counting where `before` has come to, which had other entries. */
  countOn(before: Numbered<T>): void {
    const counts = new Map(before.groups.map(({ whose, count }) => [keyOf(whose), count]));
    for (const group of this.groups) group.count = counts.get(keyOf(group.whose)) ?? 0;
  }

  /** The entry for the nth of them, counted from 0. Does not count. */
  at(subject: Subject, n: number): T | null {
    for (const { whose, byAttempt, rest, last } of this.groups) {
      if (!this.fits(whose, subject)) continue;
      const entry = byAttempt.get(n) ?? rest ?? (n > last ? byAttempt.get(last) : undefined);
      if (entry) return entry;
    }
    return null;
  }

  /** Whether there is any entry that could be for it. Does not count. */
  matches(subject: Subject): boolean {
    return this.groups.some(({ whose }) => this.fits(whose, subject));
  }

  private fits({ pod, container, image }: Whose, subject: Subject): boolean {
    return (
      (container === undefined || container === subject.container) &&
      (image === undefined || image === subject.image) &&
      (pod === undefined || podMatches(pod, subject, this.nodeName))
    );
  }
}
