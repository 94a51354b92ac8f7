/** The next position of a follower's session on its way to the presenter's position. */
import type { ClassView } from '@syncloop/core/classroom';
import type { InterventionCommand, Position, RunSpec } from '@syncloop/core/debug';
import { sameRun, upTo } from '../../../run/run-spec.js';

/** The follower's run, and the session's position in it. */
export interface FollowerRun {
  /** The run up to there. */
  readonly spec: RunSpec;
  readonly at: Position;
  readonly time: number;
  /** It is known to be the target's run beyond `at`, too. */
  readonly known: boolean;
}

export interface Target {
  readonly spec: RunSpec;
  readonly view: ClassView;
  /**
   * When the view came, ms, where the follower stood then, and how long it may take to get there while the presenter
   * runs.
   */
  readonly since: number;
  readonly from: number;
  readonly span: number;
}

export type Move =
  | { readonly do: 'load'; readonly spec: RunSpec; readonly to: Position }
  | { readonly do: 'act'; readonly command: InterventionCommand }
  | { readonly do: 'step'; readonly step: number }
  | { readonly do: 'seq'; readonly seq: number }
  /** Look again then. */
  | { readonly do: 'wait'; readonly millis: number };

/** The time between two moves of a follower while the presenter runs, ms. */
export const TICK = 40;
/** A follower takes at most this long from one view to the next, ms. */
const LONGEST_SPAN = 400;

/** The step to be at by now: while the presenter runs, on the way from one view to the next; else the view's own. */
export function dueStep({ view, since, from, span }: Target, now: number): number {
  if (!view.running || view.step <= from || span <= 0) return view.step;
  return Math.min(view.step, from + Math.ceil(((view.step - from) * (now - since)) / span));
}

/** Returns the time to take from one view to the next, when `elapsed` ms lay between the last two. */
export const spanOf = (elapsed: number): number => (elapsed > 2 * LONGEST_SPAN ? 0 : Math.min(elapsed, LONGEST_SPAN));

/** Returns the next move, or null if it is at the right place. */
export function nextMove(own: FollowerRun, target: Target, now: number): Move | null {
  const { view } = target;
  const there: Position = { step: view.step, seq: view.seq };
  const wanted = upTo(target.spec, there);
  const load: Move = { do: 'load', spec: target.spec, to: there };
  if (!sameRun(own.spec, upTo(target.spec, own.at))) return load;
  if (!own.known && own.at.step <= there.step) {
    const move = missing(own, wanted);
    if (move) return move === 'load' ? load : move;
  }
  const due = dueStep(target, now);
  if (own.at.step < due || own.at.step > view.step)
    return { do: 'step', step: own.at.step > view.step ? view.step : due };
  if (own.at.step < view.step) return { do: 'wait', millis: TICK };
  // While it runs the records of a step are all there, or the next view will correct it.
  return own.at.seq === view.seq ? null : { do: 'seq', seq: view.seq };
}

/**
 * Returns the move that catches up with what was done in the wanted run since `own`: one intervention can be repeated
 * here, more need the run again.
 */
function missing({ spec, at, time }: FollowerRun, wanted: RunSpec): Move | 'load' | null {
  const { deviations = [], interventions = [] } = spec;
  const further = (wanted.interventions ?? []).slice(interventions.length);
  if ((wanted.deviations?.length ?? 0) > deviations.length || further.length > 1) return 'load';
  const [next] = further;
  if (!next) return null;
  if (next.step > at.step) return { do: 'step', step: next.step };
  return next.after === at.seq && next.time === time ? { do: 'act', command: next.command } : 'load';
}
