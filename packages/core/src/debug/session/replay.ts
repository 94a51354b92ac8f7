import type { Decisions, Micros, NodeState, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { Timeline } from '../run/timeline.js';

/** Least records before a moment that a view has which was taken of another view. */
const LEAST_CONTEXT = 1024;

/**
 * A moment of a run that is known further than that: its records are replayed, and nothing is executed. A step or a
 * jump makes another value. At the head of a run there is none: functions here return null for it.
 */
export interface Replay {
  /** The records up to here, as a store of their own, which grows while they are replayed. */
  readonly view: RecordStore;
  /** The run's store that the view was taken of. */
  readonly takenOf: RecordStore;
  /** Decisions taken. */
  readonly step: Decisions;
  /** The time that the clock has moved since the last record; 0 if it has not. */
  readonly clock: Micros;
}

/** The part of a run that a replay needs: its records, and the number of decisions at its head. */
export interface Known {
  readonly timeline: Timeline;
  readonly steps: Decisions;
}

/** Called for each record that is replayed, with the state right after it. Returns true to stop there. */
export type Watch = (record: TraceRecord, state: NodeState) => boolean;

/**
 * The moment at a position of a run. Records of long ago are unpacked in slices, but not again for whoever goes back
 * from a moment near by (`from`).
 */
export function* replayAt(
  { timeline, steps }: Known,
  { seq, step }: Position,
  from: Replay | null,
): Work<Replay | null> {
  const { store } = timeline;
  if (seq >= store.last && step >= steps) return null;
  return { view: yield* viewAt(store, seq, from), takenOf: store, step: Math.min(step, steps), clock: 0 };
}

function* viewAt(store: RecordStore, seq: Seq, from: Replay | null): Work<RecordStore> {
  const near = seq < store.first - 1 && from?.takenOf === store;
  if (near && seq <= from.view.last && seq >= from.view.first + LEAST_CONTEXT) return from.view.until(seq);
  return yield* store.restoring(seq);
}

/** The moment one decision later, or where `watch` stops on the way there. */
export function replayNext({ timeline, steps }: Known, at: Replay, watch: Watch | null): Replay | null {
  const { view } = at;
  const step = view.last < timeline.seqAfter(at.step) ? at.step : at.step + 1;
  const to = timeline.seqAfter(step);
  while (view.last < to) {
    const record = timeline.store.get(view.last + 1) as TraceRecord;
    view.push(record);
    if (watch?.(record, view.state)) break;
  }
  return view.last >= timeline.last && step >= steps ? null : { ...at, step };
}

/** The clock there. */
export const timeOf = ({ view, clock }: Replay): Micros => Math.max(clock, view.state.time);

/**
 * A position at which the run has been: the record of `position`, with the decisions that fit it best, as the two may
 * come from another place.
 */
export function fitting({ timeline, steps }: Known, { seq, step }: Position): Position {
  const low = timeline.stepOf(seq);
  const high = seq < timeline.last ? Math.max(low, timeline.stepOf(seq + 1) - 1) : steps;
  return { seq, step: Math.min(Math.max(step, low), high) };
}
