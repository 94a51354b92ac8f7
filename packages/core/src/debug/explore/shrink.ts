import { type Deviation, deviating, Millisecond, seeded } from '../../kernel/index.js';
import { follow } from './recording-policy.js';
import { runTrial, type TrialRules } from './trial.js';
import { type Problem, type Schedule, sameProblem, type Trial } from './types.js';

export interface Shrunk extends Schedule {
  /** The name of the channel or goroutine that each deviation takes; empty if the schedule could not be run again. */
  readonly names: readonly string[];
  readonly problem: Problem;
  /** Runs that it took. */
  readonly trials: number;
  /** No single deviation can be left out. False: it ran out of trials before. */
  readonly minimal: boolean;
  /** Run twice more, as its deviations say, it gave the same records and the same problem. */
  readonly replays: boolean;
}

export interface ShrinkOptions {
  /** Default 1000. */
  readonly maxTrials?: number;
}

/**
 * Leaves out deviations as long as the same problem shows: in halves, quarters and so on (Zeller's ddmin), then one by
 * one. Deviations after the problem are cut off. It may show earlier, but not later (each decision takes a microsecond,
 * that much it may).
 */
export function* shrink(
  rules: TrialRules,
  { seed, deviations }: Schedule,
  problem: Problem,
  { maxTrials = 1000 }: ShrinkOptions = {},
): Generator<void, Shrunk> {
  const tried = new Set<string>();
  let trials = 0;
  let best: Pick<Shrunk, 'deviations' | 'names' | 'problem'> = { deviations, names: [], problem };

  /** Takes `candidate` if the problem shows with it. */
  function* takes(candidate: readonly Deviation[]): Generator<void, boolean> {
    const key = JSON.stringify(candidate);
    if (tried.has(key) || trials >= maxTrials) return false;
    tried.add(key);
    trials++;
    const trial = yield* runTrial(rules, { seed, chooser: follow(candidate), stopAt: problem });
    const shown = shownIn(trial, problem);
    if (!shown || shown.time > problem.time + Millisecond) return false;
    // Deviations that were passed over, or come after the problem, are no part of it.
    const kept = trial.deviations.filter((d) => d.decision <= shown.decision);
    best = { deviations: kept, names: trial.names.slice(0, kept.length), problem: shown };
    return true;
  }

  yield* takes(deviations);
  // Without any it is the base's own.
  if (best.deviations.length > 0) yield* takes([]);
  for (let parts = 2; best.deviations.length >= 2 && trials < maxTrials; ) {
    const all = best.deviations;
    const size = Math.ceil(all.length / parts);
    let taken = false;
    for (let from = 0; from < all.length && !taken; from += size) {
      if (parts > 2) taken = yield* takes([...all.slice(0, from), ...all.slice(from + size)]);
      else taken = yield* takes(all.slice(from, from + size));
    }
    if (taken) parts = Math.max(2, Math.min(parts - 1, best.deviations.length));
    else if (size === 1) break;
    else parts = Math.min(parts * 2, all.length);
  }
  // From the end: what comes last depends on what comes before, not the other way round.
  let minimal = false;
  while (!minimal && trials < maxTrials) {
    minimal = true;
    for (let i = best.deviations.length - 1; i >= 0; i--) {
      const all = best.deviations;
      if (i < all.length && (yield* takes([...all.slice(0, i), ...all.slice(i + 1)]))) minimal = false;
    }
  }
  const again: Trial[] = [];
  for (let n = 0; n < 2; n++)
    again.push(
      yield* runTrial(rules, { seed, policy: deviating(best.deviations, seeded(seed)), stopAt: best.problem }),
    );
  const [a, b] = again as [Trial, Trial];
  const replays = a.hash === b.hash && JSON.stringify(shownIn(a, problem)) === JSON.stringify(best.problem);
  return { seed, ...best, trials, minimal, replays };
}

const shownIn = (trial: Trial, problem: Problem): Problem | undefined =>
  trial.problems.find((p) => sameProblem(p, problem));
