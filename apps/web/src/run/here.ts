/**
 * The run's position: the record that came into view last. Narrator, graph, source, notes and lessons ask here, so
 * that all of them speak of the same moment.
 */
import type { Seq, TraceRecord } from '@syncloop/core/trace';
import { create } from 'zustand';
import { isUnderWay, useSession } from './session-store.js';
import { trace } from './trace-store.js';

/** A moment at which the run stood still, and the one before it. */
export interface Here {
  /** Session and branch that it is in. */
  readonly run: string;
  readonly branch: number;
  /** The last record; 0 before the first. */
  readonly seq: Seq;
  /**
   * The position before: the records after it led here. The same as `seq` if there are none (another run), later than
   * `seq` if the run went back.
   */
  readonly from: Seq;
  /** True if it stands still now. While it moves, the other fields are of the stop before. */
  readonly still: boolean;
  /** True if all records up to the session's position have come. */
  readonly settled: boolean;
}

/** The reports of the session and the trace. */
export interface Now {
  readonly run: string;
  readonly branch: number;
  /** True if it runs, or is on its way to the end of a step or a go. */
  readonly moving: boolean;
  /** The position that the session reports. */
  readonly target: Seq;
  /** Last record in view. */
  readonly seq: Seq;
}

/** Returns the moment after `before`; the same object if nothing is different. */
export function nextHere(before: Here, now: Now): Here {
  const { run, branch, moving, target, seq } = now;
  if (moving) return before.still ? { ...before, still: false } : before;
  const settled = seq === target;
  const same = run === before.run && branch === before.branch && seq === before.seq;
  if (same && before.still && before.settled === settled) return before;
  // Records that are still on their way to the same stop do not make another one.
  const fresh = before.settled && !same;
  const other = run !== before.run || (branch !== before.branch && before.seq > seq);
  const from = other ? seq : fresh ? before.seq : before.from;
  return { run, branch, seq, from, still: true, settled };
}

export const useHere = create<Here>(() => ({
  run: '',
  branch: 0,
  seq: 0,
  from: 0,
  still: true,
  settled: true,
}));

function look(): void {
  const { info, run } = useSession.getState();
  const before = useHere.getState();
  const next = nextHere(before, {
    run: info?.id ?? '',
    branch: run.branch ?? 0,
    moving: isUnderWay(run),
    target: run.seq,
    seq: trace.cursor.seq,
  });
  if (next !== before) useHere.setState(next);
}
trace.subscribe(look);
useSession.subscribe(look);

/** Returns the record of the run's position; undefined before the first one. */
export const here = (): TraceRecord | undefined => trace.records.get(trace.cursor.seq);

/** Most records of a way that are looked at; of a longer one the newest. */
const LONGEST_WAY = 2_000;

/** The records that led from the stop before to this one, without the last: none after going back. */
export function wayHere({ from, seq }: Here = useHere.getState()): readonly TraceRecord[] {
  const first = Math.max(from + 1, seq - LONGEST_WAY, trace.records.first);
  return first < seq ? trace.records.slice(first, seq - first) : [];
}
