import type { Difference } from '../base/types.js';
import { ofContainers } from './of-containers.js';
import { ofNode } from './of-node.js';
import { ofPods } from './of-pods.js';
import { ofRuntime } from './of-runtime.js';
import type { CauseRow, Guess, Hint, Place } from './types.js';

/** The causes that are tried. Of two that are as plausible and as cheap, the first in this list is tried first. */
export const causes: readonly CauseRow[] = [...ofPods, ...ofRuntime, ...ofContainers, ...ofNode];

function fits({ kinds, how, what, path, says }: Hint, difference: Difference): boolean {
  const decision = difference.seen ?? difference.twin;
  if (!decision) return false;
  const { seen, twin, values, followers = [] } = difference;
  return (
    (!kinds || kinds.includes(decision.kind)) &&
    (!how || how.includes(difference.how)) &&
    (!what || what.test(decision.what)) &&
    (!path || path.test(difference.path ?? '')) &&
    (!says ||
      says.test(JSON.stringify([seen, twin, difference.path, values, followers.map((f) => [f.seen, f.values])])))
  );
}

/** How plausible a cause is for a difference: the weight of its best hint; 0: nothing speaks for it. */
export const plausibility = ({ hints }: CauseRow, difference: Difference): number =>
  hints.reduce((most, hint) => (fits(hint, difference) ? Math.max(most, hint.weight) : most), 0);

export interface RankedGuess {
  readonly cause: CauseRow;
  readonly weight: number;
  readonly guess: Guess;
}

/**
 * Everything that can be tried at a place: the most plausible first, of these the cheapest. The n-th guess of a cause
 * comes as if it cost more, so that every cause has its turn before one of them tries all its values.
 */
export function guessesAt(place: Place): RankedGuess[] {
  const list = causes.flatMap((cause) => {
    const weight = plausibility(cause, place.difference);
    return [...cause.guesses(place)].map((guess, nth) => ({
      cause,
      weight,
      guess,
      turn: guess.cost + nth / 2 - weight * 2,
    }));
  });
  return list.sort((a, b) => a.turn - b.turn).map(({ turn: _, ...ranked }) => ranked);
}
