/** How the class does in a stage of the workshop: counts, nothing of who it is, and nothing of anybody's code. */
import { type FirstDifference, type StageCounts, type StageReport, stageLevels } from '@syncloop/core/classroom';

/** The most first differences that have a count of their own. */
export const MOST_FIRSTS = 12;

/** Counts reports, of which each follower has one. */
export function stageCounts(stage: string, reports: readonly StageReport[]): StageCounts {
  const firsts = new Map<string, { readonly first: FirstDifference; n: number }>();
  for (const { first } of reports) {
    if (!first) continue;
    const key = JSON.stringify([first.level, first.case, first.problem]);
    const known = firsts.get(key);
    if (known) known.n++;
    else firsts.set(key, { first, n: 1 });
  }
  const sorted = [...firsts.values()].sort(
    (a, b) => b.n - a.n || (a.first.case < b.first.case ? -1 : Number(a.first.case > b.first.case)),
  );
  return {
    stage,
    judged: reports.length,
    passed: stageLevels.map((level) => reports.filter(({ passed }) => passed.includes(level)).length),
    firsts: sorted.slice(0, MOST_FIRSTS).map(({ first, n }) => ({ ...first, n })),
    others: sorted.slice(MOST_FIRSTS).reduce((sum, { n }) => sum + n, 0),
  };
}
