import type { Decisions, Micros, Seq } from '../../trace/index.js';
import { Stopped, type Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import { isBefore } from '../run/position.js';
import type { TimeTravel } from './time-travel.js';

/** A position to go to. */
export type Place = { readonly seq: Seq } | { readonly step: Decisions } | { readonly iteration: number };

/**
 * Goes to a place that the branch has been at: right after a record, a decision, or the select that began an iteration.
 * Throws if the run cannot be repeated.
 */
export function* jumpTo(travel: TimeTravel, to: Place, clock: Micros = 0): Work {
  const { timeline } = travel;
  const seq = 'iteration' in to ? timeline.seqOfIteration(to.iteration) : 'seq' in to ? to.seq : undefined;
  if (seq === undefined) {
    const step = 'step' in to ? to.step : 0;
    const { oldest } = timeline.store;
    // These records were dropped, so the run is executed again. An intervention right after the decision comes with the
    // next decision.
    if (oldest > 1 && step < timeline.stepOf(oldest))
      yield* travel.runAgain(step < travel.end.step ? { step: step + 1, seq: 0 } : travel.end);
    yield* travel.moveTo({ step, seq: travel.timeline.seqAfter(step) }, clock);
    return;
  }
  yield* restoreRecords(travel, seq);
  yield* travel.moveTo({ seq, step: travel.timeline.stepOf(seq) }, clock);
}

/** Goes to the last moment of what is known at which the clock stood at `time`, or before. */
export function* jumpToTime(travel: TimeTravel, time: Micros): Work {
  const { store } = travel.timeline;
  if (store.oldest > 1 && (store.get(store.oldest)?.time ?? 0) > time)
    yield* travel.runAgain((execution) => execution.repeatPast(time));
  yield* jumpTo(travel, { seq: travel.timeline.seqAt(time) }, time);
}

/** Jumps to a position from elsewhere, whose decisions and records need not fit together: the records count. */
export function* jumpToNearest(travel: TimeTravel, position: Position): Work {
  yield* restoreRecords(travel, position.seq);
  yield* travel.moveTo(travel.fitting(position));
}

/** Executes the run again if records up to `seq` were dropped. */
export function* restoreRecords(travel: TimeTravel, seq: Seq): Work {
  if (seq < travel.timeline.store.oldest - 1) yield* travel.runAgain({ step: 0, seq });
}

/**
 * Executes up to a position of which the records are not known yet, and lets the clock go on to `clock`, as far as no
 * record comes before that. If it is stopped, it stands where it got to.
 */
export function* runTo(travel: TimeTravel, position: Position, clock: Micros = 0): Work {
  const { execution } = travel;
  try {
    yield* execution.repeat(position);
    yield* execution.passTime(clock, position.seq);
  } catch (error) {
    if (error instanceof Stopped) travel.moveToHead();
    // The next decision may end the run: that is known then, and it stands before it.
    if (execution.halted === '' || isBefore(execution.position, position)) throw error;
  }
  yield* jumpToNearest(travel, position);
  const next = travel.timeline.store.get(travel.view.last + 1)?.time ?? Number.POSITIVE_INFINITY;
  if (next > clock) travel.showClock(Math.min(clock, travel.kernel.now()));
}

/** Runs on at the head until the clock stands there, or it cannot go on. */
export function* runUntil(travel: TimeTravel, time: Micros): Work {
  travel.moveToHead();
  const { execution } = travel;
  try {
    yield* execution.passTime(time, Number.POSITIVE_INFINITY);
    // The interventions of that very moment.
    while (execution.halted === '' && (execution.run.pending[0]?.time ?? Number.POSITIVE_INFINITY) <= time)
      execution.step();
  } catch (error) {
    if (error instanceof Stopped || execution.halted === '') throw error;
  }
}
