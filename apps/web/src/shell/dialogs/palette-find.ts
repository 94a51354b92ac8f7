/** Returns the palette's list and its order: a pure function of the entries, of what was typed, and of what is used. */
import { fuzzyScore, plainScore } from '../../units/fuzzy.js';
import type { PaletteEntry } from '../registry.js';
import { KEY_GROUPS } from './shortcut-groups.js';

export interface Candidate {
  /** Unique among all entries. */
  readonly id: string;
  readonly entry: PaletteEntry;
  /** Key of the heading above it. */
  readonly heading: string;
  /** True if it is listed before anything is typed. */
  readonly always: boolean;
  /** The weight of its use lately: about once is 1. */
  readonly use: number;
}
export interface Group {
  readonly heading: string;
  readonly items: readonly Candidate[];
}

/** Headings of the two groups that are made here. */
export const NOW = 'palette.now';
export const RECENT = 'palette.recent';

/** The headings of commands, as the sheet of keys has them. */
const HEADINGS: readonly string[] = KEY_GROUPS.map((group) => `shortcuts.${group}`);

const MOST_NOW = 7;
const MOST_RECENT = 5;
const MOST_OF_GROUP = 8;
const MOST_FOUND = 40;

/** Returns the groups in reading order; none is empty. */
export const groupsOf = (typed: string, all: readonly Candidate[]): readonly Group[] =>
  typed.trim() === '' ? offered(all) : found(typed, all);

const by = (weight: (c: Candidate) => number) => (a: Candidate, b: Candidate) => weight(b) - weight(a);
const fits = ({ entry }: Candidate) => entry.fits ?? 0;
/** Use as a part of 1. */
const share = ({ use }: Candidate) => use / (use + 2);

/**
 * Returns the list before anything is typed: entries that fit the moment, those used lately, then all by their purpose.
 */
function offered(all: readonly Candidate[]): readonly Group[] {
  const open = all.filter(({ entry }) => entry.blocked === undefined);
  const now = open
    .filter((c) => fits(c) > 0)
    .sort(by((c) => fits(c) + share(c) / 4))
    .slice(0, MOST_NOW);
  const recent = open
    .filter((c) => c.use >= 0.5 && !now.includes(c))
    .sort(by((c) => c.use))
    .slice(0, MOST_RECENT);
  const rest = open.filter((c) => c.always && !now.includes(c) && !recent.includes(c));
  const place = ({ heading }: Group) => HEADINGS.indexOf(heading);
  return [
    { heading: NOW, items: now },
    { heading: RECENT, items: recent },
    ...byHeading(rest).toSorted((a, b) => place(a) - place(b)),
  ].filter(({ items }) => items.length > 0);
}

/** The best first within each group, and the group with the best first. */
function found(typed: string, all: readonly Candidate[]): readonly Group[] {
  const scored = all.flatMap((c) => {
    const score = scoreOf(typed, c);
    return score === null ? [] : [{ c, score }];
  });
  scored.sort((a, b) => b.score - a.score);
  // Letters scattered over a title are useless if other titles match whole words.
  const best = scored[0]?.score ?? 0;
  const good = scored.filter(({ score }) => best < WHOLE || score >= best / 3);
  return byHeading(good.slice(0, MOST_FOUND).map(({ c }) => c)).map(({ heading, items }) => ({
    heading,
    items: items.slice(0, MOST_OF_GROUP),
  }));
}

/** Returns the groups in the order in which their first entries are. */
export function byHeading(list: readonly Candidate[]): readonly Group[] {
  const groups = new Map<string, Candidate[]>();
  for (const c of list) groups.set(c.heading, [...(groups.get(c.heading) ?? []), c]);
  return [...groups].map(([heading, items]) => ({ heading, items }));
}

/** The least score of a whole word. */
const WHOLE = 50;

/** Returns how well an entry matches; null if it does not. */
export function scoreOf(typed: string, c: Candidate): number | null {
  const { title, words = '', also = '', blocked, answers } = c.entry;
  const wanted = typed.trim().toLowerCase();
  // An entry with exactly these words is meant, even if another title has the same words.
  const phrase = wanted.includes(' ') && words.toLowerCase().includes(wanted);
  const scores = [
    fuzzyScore(wanted, title),
    times(phrase ? 1.2 : 0.8, plainScore(wanted, `${title} ${words}`)),
    times(0.5, plainScore(wanted, `${title} ${words} ${also}`)),
    ...(answers ? [250] : []),
  ].filter((score) => score !== null);
  if (scores.length === 0) return null;
  const lower = title.toLowerCase();
  const whole = lower === wanted ? 100 : lower.startsWith(wanted) ? 30 : 0;
  return Math.max(...scores) + whole + 40 * share(c) + 30 * fits(c) - (blocked === undefined ? 0 : 40);
}
const times = (by: number, score: number | null): number | null => (score === null ? null : score * by);
