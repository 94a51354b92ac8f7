import { type FaultSubject, podMatches, podNames } from '../faults/faults.js';
import type { Whose } from './types.js';

interface Group<T> {
  readonly whose: Whose;
  readonly byAttempt: Map<number, T>;
  /** Greatest number that is listed; -1: none. */
  last: number;
  /** The entry for all attempts that are not listed. */
  rest: T | null;
  /** The number of attempts so far. */
  count: number;
}

type Subject = Omit<FaultSubject, 'method'>;

const keyOf = ({ pod, container, image }: Whose): string => JSON.stringify([pod, container, image]);
const fieldsOf = ({ pod, container, image }: Whose): number =>
  [pod, container, image].filter((field) => field !== undefined).length;

/** Returns the positions of entries that repeat an earlier one for the same subject. */
export function repeatedEntries(entries: readonly Whose[], kindOf: (entry: Whose) => string = () => ''): number[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, i) => {
    const key = `${kindOf(entry)} ${keyOf(entry)} ${entry.attempt}`;
    if (seen.has(key)) return [i];
    seen.add(key);
    return [];
  });
}

/** A scenario's entries for the first, second, third attempt of something, grouped by their subject. */
export class Numbered<T extends Whose> {
  private readonly groups: Group<T>[] = [];
  /** Indexes in `groups`, by the pod as it is written, or by the image if there is no pod. */
  private readonly byPod = new Map<string, number[]>();
  private readonly byImage = new Map<string | undefined, number[]>();

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
    // The entry that names its subject more exactly counts first.
    this.groups = [...groups.values()].sort((a, b) => fieldsOf(b.whose) - fieldsOf(a.whose));
    for (const [i, { whose }] of this.groups.entries()) {
      const { pod, image } = whose;
      const places = pod === undefined ? this.byImage.get(image) : this.byPod.get(pod);
      if (places) places.push(i);
      else if (pod === undefined) this.byImage.set(image, [i]);
      else this.byPod.set(pod, [i]);
    }
  }

  /** Yields the groups that fit, in their order. */
  private *of(subject: Subject): Generator<Group<T>> {
    const places = new Set([...(this.byImage.get(undefined) ?? []), ...(this.byImage.get(subject.image) ?? [])]);
    for (const name of podNames(subject, this.nodeName)) for (const i of this.byPod.get(name) ?? []) places.add(i);
    for (const i of [...places].sort((a, b) => a - b)) {
      const group = this.groups[i] as Group<T>;
      if (this.fits(group.whose, subject)) yield group;
    }
  }

  /** Returns the entry for the next attempt, and counts that attempt as `n`. Null if no entry applies. */
  next(subject: Subject): { entry: T; n: number } | null {
    let found: { entry: T; n: number } | null = null;
    for (const group of this.of(subject)) {
      const n = group.count++;
      if (found) continue;
      const beyond = n > group.last ? group.byAttempt.get(group.last) : undefined;
      const entry = group.byAttempt.get(n) ?? group.rest ?? beyond;
      if (entry) found = { entry, n };
    }
    return found;
  }

  /** Continues the counts of `before`, which has other entries. */
  countOn(before: Numbered<T>): void {
    const counts = new Map(before.groups.map(({ whose, count }) => [keyOf(whose), count]));
    for (const group of this.groups) group.count = counts.get(keyOf(group.whose)) ?? 0;
  }

  /** Returns the entry for attempt `n`, from 0. Does not count it. */
  at(subject: Subject, n: number): T | null {
    for (const { byAttempt, rest, last } of this.of(subject)) {
      const entry = byAttempt.get(n) ?? rest ?? (n > last ? byAttempt.get(last) : undefined);
      if (entry) return entry;
    }
    return null;
  }

  /** Returns true if any entry could apply to the subject. Does not count an attempt. */
  matches(subject: Subject): boolean {
    return this.of(subject).next().done !== true;
  }

  private fits({ pod, container, image }: Whose, subject: Subject): boolean {
    return (
      (container === undefined || container === subject.container) &&
      (image === undefined || image === subject.image) &&
      (pod === undefined || podMatches(pod, subject, this.nodeName))
    );
  }
}
