/** Judges what a remedy changes, and which of two is better. */
import type { Harm } from './harm.js';
import type { Effect, Tried } from './types.js';

const rank: { readonly [E in Effect]: number } = { prevents: 0, lessens: 1, later: 2, nothing: 3, worse: 4 };

/** A time that differs by less than this part is the same: chance alone moves it so much. */
const NOISE = 0.1;

/** The amount of harm: the time, if that is measured; else the number. */
const amount = ({ count, time }: Harm): number => time ?? count;

/** `adds`: the run has an incident that the one before does not have. */
export function effectOf(harm: Harm, before: Harm, adds: boolean): Effect {
  const [now, then] = [amount(harm), amount(before)];
  const noise = harm.time === null ? 0 : NOISE * then;
  if (adds || now > then + noise) return 'worse';
  if (harm.count === 0) return harm.unsettled ? 'later' : 'prevents';
  return now < then - noise ? 'lessens' : 'nothing';
}

/** Returns true if a value of a scale does what its greatest value does. */
export const asGood = (one: Tried, greatest: Tried): boolean =>
  one.effect === greatest.effect && amount(one.harm) <= amount(greatest.harm) * (1 + NOISE);

/** The best first; of two that are as good, the one whose row comes first. */
export const byEffect = (a: Tried, b: Tried): number =>
  rank[a.effect] - rank[b.effect] ||
  (a.effect === 'lessens' ? amount(a.harm) - amount(b.harm) : 0) ||
  a.added.length - b.added.length;
