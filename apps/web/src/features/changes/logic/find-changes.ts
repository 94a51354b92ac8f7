import type { Change, OldName } from '@syncloop/core/changes';

export interface Found {
  /** Names of articles that fit the search, with what became of them. */
  readonly names: readonly OldName[];
  readonly changes: readonly Change[];
}

const plain = (text: string): string => text.toLowerCase().replace(/[`()*\s]/g, '');

/** Returns how well the texts of a change match the search: 0 not at all. */
function weightOfTexts({ id, title, before, after, why }: Change, sought: string): number {
  if (id === sought || [title.en, title.zh].some((text) => plain(text).includes(sought))) return 2;
  return [before, after, why].some(({ en, zh }) => plain(en).includes(sought) || plain(zh).includes(sought)) ? 1 : 0;
}

/** Such as `weightOfTexts`; a name weighs more than a word somewhere in the text. */
function weightOf(change: Change, sought: string): number {
  const { names, since, upstream } = change;
  const called = names.map(plain);
  if (called.includes(sought)) return 4;
  if (plain(since) === sought || plain(since).slice(1) === sought) return 4;
  if (upstream.some((place) => Object.values(place).some((n) => `${n}` === sought.replace(/^(#|kep-?)/, '')))) return 4;
  if (called.some((name) => name.includes(sought))) return 3;
  return weightOfTexts(change, sought);
}

/**
 * Returns the changes that fit the search, in their order; if some have exactly that name, those alone. All for an
 * empty text.
 */
export function findChanges(all: readonly Change[], oldNames: readonly OldName[], text: string): Found {
  const sought = plain(text);
  if (sought === '') return { names: [], changes: all };
  // No name has a space in it.
  const weigh = /\s/.test(text.trim()) ? weightOfTexts : weightOf;
  const weighed = all.map((change) => ({ change, weight: weigh(change, sought) }));
  const most = Math.max(0, ...weighed.map(({ weight }) => weight));
  const least = most >= 3 ? 3 : 1;
  const exact = oldNames.filter(({ names }) => names.some((name) => plain(name) === sought));
  return {
    names:
      exact.length > 0 ? exact : oldNames.filter(({ names }) => names.some((name) => plain(name).includes(sought))),
    changes: weighed.filter(({ weight }) => weight >= least).map(({ change }) => change),
  };
}
