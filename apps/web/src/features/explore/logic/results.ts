/** The result of an exploration, as the tables show it. */
import type { OutcomeCount, PodEnd, SessionFinding, SessionReport } from '@syncloop/core/debug';

type Deviation = OutcomeCount['first']['deviations'][number];

export interface OutcomeRow {
  readonly index: number;
  readonly times: number;
  /** The share of all schedules, 0 to 1. */
  readonly share: number;
  readonly result: OutcomeCount['outcome']['result'];
  /** Pods that do not end alike in all outcomes; all of them if there is one outcome. */
  readonly pods: readonly PodEnd[];
  readonly failures: readonly string[];
  /** The number of choices in which its first schedule differs from the session's own. */
  readonly changes: number;
  readonly seed: number;
}

export interface OutcomeRows {
  readonly rows: readonly OutcomeRow[];
  /** Pods that end alike in all outcomes, and are left out of the rows. */
  readonly alike: number;
}

/**
 * The outcomes, the most frequent first. `own`: deviations of the branch that was explored, which each schedule has.
 */
export function outcomeRows({ outcomes, schedules }: SessionReport, own: number): OutcomeRows {
  const counts = new Map<string, number>();
  for (const { outcome } of outcomes)
    for (const pod of outcome.pods) {
      const key = JSON.stringify(pod);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const several = outcomes.length > 1;
  const alike = (pod: PodEnd) => several && counts.get(JSON.stringify(pod)) === outcomes.length;
  return {
    rows: outcomes.map(({ outcome, times, first }, index) => ({
      index,
      times,
      share: schedules > 0 ? times / schedules : 0,
      result: outcome.result,
      pods: outcome.pods.filter((pod) => !alike(pod)),
      failures: outcome.failures,
      changes: first.deviations.length - own,
      seed: first.seed,
    })),
    alike: outcomes[0]?.outcome.pods.filter(alike).length ?? 0,
  };
}

export interface FindingRow {
  readonly index: number;
  readonly finding: SessionFinding;
  /** The deviations of the smallest schedule that shows it; `name`: the channel or goroutine, empty if unknown. */
  readonly changes: readonly (Deviation & { readonly name: string })[];
  /** The number of deviations in the schedule that showed it first. */
  readonly before: number;
}

/** Returns the findings: those of only some schedules come first. `own`: as above. */
export function findingRows({ findings }: SessionReport, own: readonly Deviation[]): readonly FindingRow[] {
  const keyOf = (d: Deviation) => JSON.stringify([d.decision, d.goroutine, d.case]);
  const known = new Set(own.map(keyOf));
  const others = <D extends Deviation>(list: readonly D[]) => list.filter((d) => !known.has(keyOf(d)));
  return findings
    .map((finding, index) => ({
      index,
      finding,
      changes: others(
        (finding.shrunk ?? finding.schedule).deviations.map((d, i) => ({ ...d, name: finding.shrunk?.names[i] ?? '' })),
      ),
      before: others(finding.schedule.deviations).length,
    }))
    .sort((a, b) => Number(a.finding.inBase) - Number(b.finding.inBase) || a.index - b.index);
}
