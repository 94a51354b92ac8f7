import { type Deviation, Random } from '../../kernel/index.js';
import { deviationOf } from './recording-policy.js';
import type { ChoiceKind, Trial } from './types.js';

/**
 * A run that the search wants. `fresh`: it is another schedule than all before; else it was run already and is run
 * again to go on from it.
 */
export interface NextSchedule {
  readonly deviations: readonly Deviation[];
  readonly fresh: boolean;
}

export interface ExhaustiveProgress {
  /** All schedules with that many deviations, and fewer, were run (but for those skipped); -1: none yet. */
  bound: number;
  /** Schedules that were left out as like others. */
  skipped: number;
  audited: number;
  /** Audits that found a difference; from then on nothing is left out. */
  differed: number;
}

export interface ExhaustiveOptions {
  readonly deviations: number;
  readonly converging: boolean;
  readonly audit: number;
  /** Only choices after this decision. */
  readonly after: number;
  /** Only choices of these kinds. */
  readonly vary: readonly ChoiceKind[];
}

/**
 * Runs every schedule with up to this many deviations, fewer first (delay-bounded search, by iterative deepening: what
 * leads to a schedule is run again rather than kept). A schedule's deviations are in order, so each is made once.
 *
 * No partial-order reduction would be sound here. Goroutines of a kubelet share memory as well as channels (the pod
 * manager, the workers' table, caches, the random source, the clock that ticks with each decision), and no one records
 * which memory a step touches; so no two steps can be proved independent, and with a bound on deviations even sleep
 * sets over a sound relation would lose schedules. `converging` is a heuristic instead, off by default: when a run with
 * one more deviation is, from some decision on, the same as the run without it, record by record and choice by choice,
 * then the two steps commuted as far as the records show, and only one of the two runs is explored further. A
 * difference that stays in memory and never shows in a record is missed. Therefore a share of the schedules that it
 * would skip is run all the same and compared; the first difference turns it off. A result with `skipped` > 0 is no
 * proof.
 */
export function* exhaustive(
  options: ExhaustiveOptions,
  base: readonly Deviation[],
  progress: ExhaustiveProgress,
): Generator<NextSchedule, void, Trial> {
  const random = new Random(1);

  function* from(
    deviations: readonly Deviation[],
    parent: Trial | null,
    left: number,
  ): Generator<NextSchedule, void, Trial> {
    const trial = yield { deviations, fresh: left === 0 };
    if (left === 0) return;
    const added = deviations.length > base.length ? deviations.at(-1) : undefined;
    const last = Math.max(options.after, added?.decision ?? 0);
    const same = parent && options.converging ? convergence(parent, trial) : Number.POSITIVE_INFINITY;
    for (const { decision, kind, options: ways, base: usual } of trial.points) {
      if (decision <= last || !options.vary.includes(kind)) continue;
      for (let i = 0; i < ways.length; i++) {
        if (i === usual) continue;
        const next = deviationOf(kind, decision, ways[i] as number);
        if (decision >= same && progress.differed === 0) {
          if (random.float() >= options.audit) {
            progress.skipped++;
            continue;
          }
          progress.audited++;
          const here = yield { deviations: [...deviations, next], fresh: left === 1 };
          const there = yield { deviations: [...deviations.slice(0, -1), next], fresh: false };
          if (convergence(there, here) > decision) progress.differed++;
          if (left === 1) continue;
        }
        yield* from([...deviations, next], trial, left - 1);
      }
    }
  }

  for (let bound = 0; bound <= options.deviations; bound++) {
    yield* from(base, null, bound);
    progress.bound = bound;
  }
}

/**
 * The first decision from which on two runs are the same to their ends, in records and in choices; infinite when they
 * never are.
 */
export function convergence(a: Trial, b: Trial): number {
  const x = a.decisions;
  const y = b.decisions;
  if (!x || !y || x.length !== y.length || a.time !== b.time) return Number.POSITIVE_INFINITY;
  let at = x.length;
  while (at > 0 && x[at - 1] === y[at - 1]) at--;
  // The same happened; the same could have.
  let i = a.points.length - 1;
  let j = b.points.length - 1;
  for (; i >= 0 && j >= 0; i--, j--) {
    const p = a.points[i];
    const q = b.points[j];
    if (!p || !q || Math.max(p.decision, q.decision) < at) break;
    if (p.decision !== q.decision || p.taken !== q.taken || p.options.join() !== q.options.join())
      return Math.max(p.decision, q.decision) + 1;
  }
  const left = Math.max(a.points[i]?.decision ?? 0, b.points[j]?.decision ?? 0);
  if (left >= at) at = left + 1;
  return at >= x.length ? Number.POSITIVE_INFINITY : at;
}
