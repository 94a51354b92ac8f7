import { countParts, PartsError, type Shard } from '../../base/index.js';
import { type ExploreFinding, type ExploreReport, mostOutcomes, type OutcomeCount } from './exploration.js';
import { outcomeKey } from './outcome.js';
import { type Strategy, sameProblem } from './types.js';

/** The results of one shard, as plain data, which `partialReport` reads back. */
export interface PartialReport {
  readonly strategy: Strategy;
  readonly maxSchedules: number;
  readonly shard: Shard;
  /** The run without deviations. Each shard runs it; the first counts it. */
  readonly base: {
    readonly hash: number;
    readonly choices: number;
    readonly steps: number;
    readonly records: number;
  };
  readonly schedules: number;
  readonly steps: number;
  readonly records: number;
  /** One number for each trace that differs from the others, in the order they came. */
  readonly hashes: readonly number[];
  /** `at`: the number of the schedule that came first with it. */
  readonly outcomes: readonly (OutcomeCount & { readonly at: number })[];
  readonly findings: readonly (ExploreFinding & { readonly at: number })[];
}

export interface MergedParts {
  readonly report: ExploreReport;
  /** Indexes of shards that are not there: the report says nothing of their schedules. */
  readonly missing: readonly number[];
  /** Parts that were there already. */
  readonly repeated: number;
}

/**
 * Makes of the parts of an exploration, in any order, the report that one machine would have given. A part that is
 * there twice counts once. Throws a PartsError if there are none, if they are of different explorations, or if one
 * shard has two results.
 */
export function mergeParts(parts: readonly PartialReport[]): MergedParts {
  const [one] = parts;
  if (one) for (const part of parts) belongs(one, part);
  const {
    parts: inOrder,
    missing,
    repeated,
  } = countParts(parts, 'a run is a function of its input, so one is damaged or of another program; run it again');
  const { strategy, base } = inOrder[0] as PartialReport;
  return {
    report: {
      strategy,
      schedules: sum(inOrder, (p) => p.schedules),
      distinct: new Set(inOrder.flatMap((p) => p.hashes)).size,
      choices: base.choices,
      steps: sum(inOrder, (p) => p.steps),
      records: sum(inOrder, (p) => p.records),
      over: true,
      exhaustive: null,
      ...outcomesOf(inOrder),
      findings: findingsOf(inOrder),
    },
    missing,
    repeated,
  };
}

/** Throws if two parts differ in something that all shards of an exploration have in common. */
function belongs(one: PartialReport, other: PartialReport): void {
  const say = (what: string, a: unknown, b: unknown) =>
    new PartsError(`the parts are of different explorations: ${what} is ${text(a)} in one and ${text(b)} in another`);
  const text = (value: unknown) => JSON.stringify(value);
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['the number of shards', one.shard.of, other.shard.of],
    ['the strategy', one.strategy, other.strategy],
    ['the number of schedules', one.maxSchedules, other.maxSchedules],
    ['the run without deviations', one.base, other.base],
  ];
  for (const [what, a, b] of pairs) if (text(a) !== text(b)) throw say(what, a, b);
}

function outcomesOf(parts: readonly PartialReport[]): Pick<ExploreReport, 'outcomes' | 'otherOutcomes'> {
  const byKey = new Map<string, { at: number; count: OutcomeCount }>();
  for (const part of parts)
    for (const { at, ...count } of part.outcomes) {
      const key = outcomeKey(count.outcome);
      const known = byKey.get(key);
      if (!known) byKey.set(key, { at, count });
      else {
        const first = known.at <= at ? known : { at, count };
        byKey.set(key, { at: first.at, count: { ...first.count, times: known.count.times + count.times } });
      }
    }
  const inOrder = [...byKey.values()].sort((a, b) => a.at - b.at).map(({ count }) => count);
  return {
    outcomes: inOrder.slice(0, mostOutcomes).sort((a, b) => b.times - a.times),
    otherOutcomes: sum(inOrder.slice(mostOutcomes), ({ times }) => times),
  };
}

function findingsOf(parts: readonly PartialReport[]): ExploreFinding[] {
  const found: { at: number; finding: ExploreFinding }[] = [];
  for (const part of parts)
    for (const { at, ...finding } of part.findings) {
      const known = found.find((f) => sameProblem(f.finding.problem, finding.problem));
      if (!known) found.push({ at, finding });
      else {
        const first = at < known.at ? finding : known.finding;
        known.finding = { ...first, times: known.finding.times + finding.times };
        known.at = Math.min(known.at, at);
      }
    }
  // Problems of one schedule are of one part, whose order stays. What a part has first may be first found elsewhere.
  return inOrderOf(parts, found);
}

/** By the first schedule; those of one schedule in the order in which its part has them. */
function inOrderOf(
  parts: readonly PartialReport[],
  found: readonly { readonly at: number; readonly finding: ExploreFinding }[],
): ExploreFinding[] {
  const place = ({ at, finding }: (typeof found)[number]) =>
    parts
      .find((p) => at % p.shard.of === p.shard.index)
      ?.findings.findIndex((f) => sameProblem(f.problem, finding.problem)) ?? 0;
  return [...found].sort((a, b) => a.at - b.at || place(a) - place(b)).map(({ finding }) => finding);
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0);
