/** The comparison that belongs to the run that is shown: the twin's, or that of a branch of it. */
import type { TwinSide } from '@syncloop/core/debug';
import type { Tick, TwinAnswer } from '@syncloop/observe/twin/session';
import type { PairedRuns, ShownDifference } from '../../../run/counterpart.js';
import type { TwinStore } from '../twin-store.js';

export interface Standing {
  readonly side: TwinSide;
  /** 1: the run itself. */
  readonly branch: number;
}

/** Returns the answer with the verdict and the decisions of what is shown; null while a branch is not compared. */
export function answerHere({ answer, branch: held }: TwinStore, { side, branch }: Standing): TwinAnswer | null {
  if (!answer || side !== 'twin' || branch === 1) return answer;
  if (held?.id !== branch) return null;
  const { ticks, ...verdict } = held.verdict;
  return { ...answer, verdict, ticks: { ...answer.ticks, twin: ticks } };
}

/** Returns the difference at a place of the list, as the map shows it; null if there is none. */
export function differenceHere(answer: TwinAnswer | null, at: number, side: TwinSide): ShownDifference | null {
  const difference = answer?.verdict.differences[at];
  const decision = difference && (difference[side] ?? difference.seen ?? difference.twin);
  if (!difference || !decision) return null;
  const { kind, what, pod, incarnation } = decision;
  const { text } = difference;
  return { decision: { kind, what, pod, incarnation }, seq: difference[side]?.seq ?? null, text };
}

/** Returns the decisions of both runs on the clock of the one that is shown. */
export function pairedHere(answer: TwinAnswer | null, at: number, side: TwinSide): PairedRuns | null {
  if (!answer) return null;
  const { scenario, ticks, verdict } = answer;
  const shift = { seen: side === 'seen' ? 0 : -scenario.seenFrom, twin: side === 'twin' ? 0 : scenario.seenFrom };
  const moved = (of: TwinSide) => ticks[of].map(([, seq, time]: Tick) => ({ seq, time: time + shift[of] }));
  return {
    seen: moved('seen'),
    twin: moved('twin'),
    pairs: verdict.pairs,
    differences: verdict.differences.flatMap((d, i) => {
      const of = d.seen ? 'seen' : 'twin';
      const decision = d[of];
      return decision ? [{ side: of, time: decision.time + shift[of], here: i === at } as const] : [];
    }),
  };
}
