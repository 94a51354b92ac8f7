import type { Shard } from '../../base/index.js';
import { type Checker, checkerOf, invariantNames } from '../../conformance/invariants/index.js';
import { type Deviation, Random } from '../../kernel/index.js';
import type { Decisions, Micros, Seq } from '../../trace/index.js';
import { type Assertions, compileAssertions } from './assertions.js';
import { pctChooser, randomChooser } from './choosers.js';
import { type ExhaustiveProgress, exhaustive } from './exhaustive.js';
import { outcomeKey } from './outcome.js';
import type { PartialReport } from './partial.js';
import { type Chooser, follow } from './recording-policy.js';
import { type Shrunk, shrink } from './shrink.js';
import { runTrial, scheduleOf, type TrialRules } from './trial.js';
import {
  type ChoiceKind,
  type Outcome,
  type Problem,
  type Schedule,
  type Start,
  type Strategy,
  sameProblem,
  type Trial,
} from './types.js';

export interface ExploreOptions extends Assertions {
  /** Starts each run; `scenarioStart` makes it for a scenario. */
  readonly start: Start;
  /** Seed of the base policy and of the node's own randomness. Random and pct take several in turn. Default: 1. */
  readonly seed?: number | readonly number[];
  /** Default: random. */
  readonly strategy?: Strategy;
  /** The kinds of choices that may differ from the base's. Default: all. */
  readonly vary?: readonly ChoiceKind[];
  /** The seed of the strategies. Default 1. */
  readonly drawing?: number;
  /** A branch: these are taken in each schedule. */
  readonly branch?: readonly Deviation[];
  /** A branch of a session: where something was done from outside, which `start` does again in each run. */
  readonly interventions?: readonly { readonly step: Decisions }[];
  /** Only choices later than this decision are explored. Default: the last deviation or intervention of the branch. */
  readonly after?: number;
  /** Default 1000. */
  readonly maxSchedules?: number;
  /** The time at which a run that is not done is ended, Micros. */
  readonly until?: Micros;
  /** Decisions after which a run counts as stuck. Default: ten times those of the base run, plus 10,000. */
  readonly maxSteps?: number;
  /** Names of the kubelet's invariants that each run is checked for. Default: all. */
  readonly invariants?: readonly string[];
  /** Ends with the first problem. */
  readonly stopAtFirst?: boolean;
  /** Makes the first schedule of each problem small. Default true. */
  readonly shrink?: boolean;
  /** Runs to make one schedule small. Default 1000. */
  readonly maxShrinkTrials?: number;
  /** Runs this share of the schedules alone; `part` then has what `mergeParts` needs. Of random and pct only. */
  readonly shard?: Shard;
}

/** An outcome of runs, and how many runs had it. */
export interface OutcomeCount {
  readonly outcome: Outcome;
  readonly times: number;
  readonly first: Schedule;
  /** The position at which the run of that schedule ended. */
  readonly end: { readonly step: Decisions; readonly seq: Seq };
}

/** A problem, its first example, and how often it showed. */
export interface ExploreFinding {
  readonly problem: Problem;
  readonly times: number;
  /** The base run has it, too. */
  readonly inBase: boolean;
  readonly schedule: Schedule;
  readonly shrunk: Shrunk | null;
}

export interface ExploreReport {
  readonly strategy: Strategy;
  readonly schedules: number;
  /** With different traces. */
  readonly distinct: number;
  /** Choice points of the base run. */
  readonly choices: number;
  readonly steps: Decisions;
  readonly records: number;
  readonly over: boolean;
  /** Exhaustive only: how far it came. */
  readonly exhaustive: Readonly<ExhaustiveProgress> | null;
  /** Most frequent first. */
  readonly outcomes: readonly OutcomeCount[];
  /** Schedules with outcomes that came too late to be listed: the list has room for 1000. */
  readonly otherOutcomes: number;
  /** In the order they were found. */
  readonly findings: readonly ExploreFinding[];
}

export interface Budget {
  /** Schedules to run at most. */
  readonly schedules?: number;
  /** Returns true when it is time to return; asked now and then. */
  readonly expired?: () => boolean;
}

const allChoices: readonly ChoiceKind[] = ['select', 'goroutine'];

/** A chooser that leaves choices of other kinds to the base. */
const varying =
  (chooser: Chooser, kinds: readonly ChoiceKind[] = allChoices): Chooser =>
  (choice, base) =>
    kinds.includes(choice.kind) ? chooser(choice, base) : base;

/** Outcomes that a report lists: those that came first. */
export const mostOutcomes = 1000;
const defaultPreemption = [0.02, 0.1, 0.4];

/** A run is given up as stuck there before anybody knows how long it takes. */
const firstMaxSteps = 5_000_000;

/** Runs a subject under many schedules, a slice at a time. Its results are a function of its options. */
export class Exploration {
  private readonly strategy: Strategy;
  private readonly seeds: readonly number[];
  private readonly branch: readonly Deviation[];
  private readonly after: number;
  private readonly maxSchedules: number;
  private rules: TrialRules;
  private readonly work: Generator<void, void>;
  private base: Trial | null = null;
  private schedules = 0;
  private steps = 0;
  private records = 0;
  private over = false;
  private otherOutcomes = 0;
  private readonly hashes = new Set<number>();
  private readonly outcomes = new Map<string, { at: number; count: OutcomeCount & { times: number } }>();
  private readonly mostOutcomes: number;
  private readonly findings: {
    /** The number of the schedule that had it first. */
    at: number;
    problem: Problem;
    times: number;
    inBase: boolean;
    schedule: Schedule;
    shrunk: Shrunk | null;
  }[] = [];
  private progress: ExhaustiveProgress | null = null;

  /** Throws an ExpressionError, or a RangeError for a number that makes no sense. */
  constructor(private readonly options: ExploreOptions) {
    const { strategy = { kind: 'random' } } = options;
    const { seed = 1 } = options;
    this.strategy = strategy;
    this.seeds = typeof seed === 'number' ? [seed] : seed;
    this.branch = [...(options.branch ?? [])].sort((a, b) => a.decision - b.decision);
    const places = [0, ...this.branch.map((d) => d.decision), ...(options.interventions ?? []).map((i) => i.step)];
    this.after = options.after ?? Math.max(...places);
    this.maxSchedules = options.maxSchedules ?? 1000;
    // Which outcomes come first is known when all shards are.
    this.mostOutcomes = options.shard ? Number.POSITIVE_INFINITY : mostOutcomes;
    check(options, strategy, this.seeds);
    this.rules = {
      start: options.start,
      maxSteps: options.maxSteps ?? firstMaxSteps,
      assertions: compileAssertions(options),
      ...(options.invariants && { checkers: options.invariants.map(invariantOf) }),
      ...(options.until !== undefined && { until: options.until }),
    };
    this.work = this.explore();
  }

  /** Goes on until the budget is used up; false when there is nothing left to do. */
  step(budget: Budget = {}): boolean {
    const last = this.schedules + (budget.schedules ?? Number.POSITIVE_INFINITY);
    while (!this.over) {
      if (this.work.next().done) this.over = true;
      if (this.schedules >= last || budget.expired?.()) break;
    }
    return !this.over;
  }

  /** Returns the results so far. */
  report(): ExploreReport {
    return {
      strategy: this.strategy,
      schedules: this.schedules,
      distinct: this.hashes.size,
      choices: this.base?.points.length ?? 0,
      steps: this.steps,
      records: this.records,
      over: this.over,
      exhaustive: this.progress && { ...this.progress },
      outcomes: [...this.outcomes.values()].map(({ count }) => ({ ...count })).sort((a, b) => b.times - a.times),
      otherOutcomes: this.otherOutcomes,
      findings: this.findings.map(({ at: _, ...finding }) => finding),
    };
  }

  /** The results of a shard that has finished, for `mergeParts`. Throws an Error without `shard`, or before. */
  part(): PartialReport {
    const { base, options, strategy, schedules, steps, records } = this;
    if (!options.shard || !base || !this.over) throw new Error('explore: only a shard at its end has a partial report');
    return {
      strategy,
      maxSchedules: this.maxSchedules,
      shard: options.shard,
      base: { hash: base.hash, choices: base.points.length, steps: base.steps, records: base.records },
      ...{ schedules, steps, records },
      hashes: [...this.hashes],
      outcomes: [...this.outcomes.values()].map(({ at, count }) => ({ at, ...count })),
      findings: this.findings.map((finding) => ({ ...finding })),
    };
  }

  // --- the work ------------------------------------------------------------------------------------------------------

  private *explore(): Generator<void, void> {
    const { strategy, seeds, options } = this;
    const seed = seeds[0] as number;
    const exhausting = strategy.kind === 'exhaustive';
    const { converging = false, deviations = 2, audit = 0.02 } = exhausting ? strategy : {};
    const base = yield* runTrial(this.rules, { seed, chooser: follow(this.branch), decisions: converging });
    this.base = base;
    if (options.maxSteps === undefined) this.rules = { ...this.rules, maxSteps: 10 * base.steps + 10_000 };
    const { index, of } = options.shard ?? { index: 0, of: 1 };
    if (index === 0) yield* this.note(base, 0);
    yield;
    if (!exhausting) {
      for (let n = 1; n < this.maxSchedules && this.goesOn(); n++) {
        if (n % of !== index) continue;
        const chosen = seeds[n % seeds.length] as number;
        const trial = yield* runTrial(this.rules, {
          seed: chosen,
          chooser: follow(this.branch, varying(this.chooser(n, base), options.vary), this.after),
        });
        yield* this.note(trial, n);
        yield;
      }
      return;
    }
    const progress: ExhaustiveProgress = { bound: -1, skipped: 0, audited: 0, differed: 0 };
    this.progress = progress;
    const { after } = this;
    const search = exhaustive(
      { deviations, converging, audit, after, vary: options.vary ?? allChoices },
      this.branch,
      progress,
    );
    for (let next = search.next(); !next.done && this.goesOn(); ) {
      const { deviations: wanted, fresh } = next.value;
      const isBase = wanted.length === this.branch.length;
      const trial = isBase
        ? base
        : yield* runTrial(this.rules, { seed, chooser: follow(wanted), decisions: converging });
      if (fresh && !isBase) {
        yield* this.note(trial, this.schedules);
        yield;
      }
      next = search.next(trial);
    }
  }

  private goesOn(): boolean {
    return this.schedules < this.maxSchedules && !(this.options.stopAtFirst && this.findings.length > 0);
  }

  /** The chooser of the n-th schedule. */
  private chooser(n: number, base: Trial): Chooser {
    const { strategy } = this;
    const drawn = new Random((this.options.drawing ?? 1) ^ Math.imul(n, 0x9e3779b1)).uint32();
    if (strategy.kind === 'pct') {
      const length = base.points.filter((p) => p.kind === 'goroutine').length;
      return pctChooser(drawn, strategy.changes ?? 3, length);
    }
    const { preemption = defaultPreemption } = strategy as Strategy & { kind: 'random' };
    const rates = typeof preemption === 'number' ? [preemption] : preemption;
    return randomChooser(drawn, rates[n % rates.length] as number);
  }

  /** Counts the n-th schedule. */
  private *note(trial: Trial, n: number): Generator<void, void> {
    this.schedules++;
    this.steps += trial.steps;
    this.records += trial.records;
    this.hashes.add(trial.hash * 0x20_0000 + (trial.records & 0x1f_ffff));
    const key = outcomeKey(trial.outcome);
    const known = this.outcomes.get(key);
    if (known) known.count.times++;
    else if (this.outcomes.size >= this.mostOutcomes) this.otherOutcomes++;
    else {
      const end = { step: trial.steps, seq: trial.records };
      this.outcomes.set(key, { at: n, count: { outcome: trial.outcome, times: 1, first: scheduleOf(trial), end } });
    }
    for (const problem of trial.problems) {
      const found = this.findings.find((f) => sameProblem(f.problem, problem));
      if (found) {
        found.times++;
        continue;
      }
      const finding = {
        at: n,
        problem,
        times: 1,
        inBase: this.base?.problems.some((p) => sameProblem(p, problem)) ?? false,
        schedule: scheduleOf(trial),
        shrunk: null as Shrunk | null,
      };
      this.findings.push(finding);
      if (this.options.shrink === false) continue;
      const { maxShrinkTrials } = this.options;
      finding.shrunk = yield* shrink(
        this.rules,
        finding.schedule,
        problem,
        maxShrinkTrials === undefined ? {} : { maxTrials: maxShrinkTrials },
      );
    }
  }
}

/** Explores to the end. */
export function explore(options: ExploreOptions): ExploreReport {
  const exploration = new Exploration(options);
  while (exploration.step());
  return exploration.report();
}

function invariantOf(name: string): Checker {
  const checker = checkerOf(name);
  if (!checker)
    throw new RangeError(
      `explore: there is no invariant ${JSON.stringify(name)}; there are: ${invariantNames.join(', ')}`,
    );
  return checker;
}

function check(options: ExploreOptions, strategy: Strategy, seeds: readonly number[]): void {
  const whole = (name: string, n: number | undefined, min: number) => {
    if (n !== undefined && !(Number.isInteger(n) && n >= min))
      throw new RangeError(`explore: ${name} is ${n}, it must be a whole number from ${min} on`);
  };
  const share = (name: string, n: number | undefined) => {
    if (n !== undefined && !(n >= 0 && n <= 1))
      throw new RangeError(`explore: ${name} is ${n}, it must be from 0 to 1`);
  };
  whole('maxSchedules', options.maxSchedules, 1);
  whole('after', options.after, 0);
  whole('maxSteps', options.maxSteps, 1);
  whole('maxShrinkTrials', options.maxShrinkTrials, 1);
  if (options.vary?.length === 0)
    throw new RangeError('explore: vary is empty; give select, goroutine or both, or leave it out');
  const { shard } = options;
  if (shard) {
    whole('shard.of', shard.of, 1);
    whole('shard.index', shard.index, 0);
    if (shard.index >= shard.of)
      throw new RangeError(`explore: shard.index is ${shard.index}, it must be less than shard.of, ${shard.of}`);
    if (strategy.kind === 'exhaustive')
      throw new RangeError(
        'explore: an exhaustive search cannot be split, for what it runs next depends on all before; take random or pct',
      );
    if (options.stopAtFirst)
      throw new RangeError(
        'explore: stopAtFirst cannot be split, for no shard knows whether another one found a problem; leave it out',
      );
  }
  if (seeds.length === 0) throw new RangeError('explore: there is no seed; give one, or leave it out');
  for (const seed of seeds)
    if (!Number.isSafeInteger(seed)) throw new RangeError(`explore: seed ${seed} is not a whole number`);
  switch (strategy.kind) {
    case 'random': {
      const { preemption } = strategy;
      const rates = preemption === undefined ? [] : typeof preemption === 'number' ? [preemption] : preemption;
      if (preemption !== undefined && rates.length === 0)
        throw new RangeError('explore: strategy.preemption is empty; give a probability, or leave it out');
      for (const rate of rates) share('strategy.preemption', rate);
      return;
    }
    case 'pct':
      whole('strategy.changes', strategy.changes, 0);
      return;
    case 'exhaustive':
      whole('strategy.deviations', strategy.deviations, 0);
      share('strategy.audit', strategy.audit);
  }
}
