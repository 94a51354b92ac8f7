/**
 * The moment of the run as the graph shows it: the rest of an earlier pass of the loop, and the changes since the stop
 * before. Made once per stop; while it runs there is none, and nothing is computed.
 */
import type { Seq, TraceRecord } from '@syncloop/core/trace';
import { create } from 'zustand';
import { useCounterpart } from '../../run/counterpart.js';
import { useHere } from '../../run/here.js';
import { newest } from '../../run/queries.js';
import { trace } from '../../run/trace-store.js';
import { lanes } from './lanes/lane-scroll.js';
import type { Spot } from './moves/moves-spots.js';
import { changedSpots, snapshot } from './parts/changed.js';

export interface Moment {
  /** The select that began this pass of the loop, and the one before; 0 if none is known. */
  readonly pass: Seq;
  readonly before: Seq;
  /** Records with a later number than this came since the stop before. */
  readonly since: Seq;
  readonly changed: readonly Spot[];
}
const NONE: Moment = { pass: 0, before: 0, since: Number.POSITIVE_INFINITY, changed: [] };
export const useMoment = create<Moment>(() => NONE);

/** The number of records back among which passes of the loop are looked for. */
const REACH = 4_000;

let held: ReturnType<typeof snapshot> | null = null;
let run = '';

useHere.subscribe((now, was) => {
  if (!now.still) {
    if (was.still) useMoment.setState(NONE);
    return;
  }
  // Further records of a stop may come later: they are compared with the stop before all the same.
  if (!now.settled) return;
  const { state, records } = trace;
  const { g } = state.loop;
  const isPass = (r: TraceRecord): boolean => r.kind === 'select' && r.g === g && r.chosen >= 0;
  const [pass, before] = g === 0 ? [] : newest(records, 2, isPass, REACH);
  const next = snapshot(state, lanes.shown());
  const changed = held && run === now.run ? changedSpots(held, next) : [];
  held = next;
  run = now.run;
  useMoment.setState({
    pass: pass?.seq ?? 0,
    before: before?.seq ?? 0,
    since: now.from < now.seq ? now.from : now.seq,
    changed,
  });
});

/** Signs of a row by its record: of an earlier pass, new since the stop before, or where two runs differ. */
export function useRowSigns(): (seq: Seq) => { 'data-earlier'?: true; 'data-new'?: true; 'data-apart'?: true } {
  const apart = useCounterpart((s) => s.difference?.seq);
  const before = useMoment((s) => s.before);
  const since = useMoment((s) => s.since);
  return (seq) => {
    if (seq === apart) return { 'data-apart': true };
    return seq > since ? { 'data-new': true } : seq < before ? { 'data-earlier': true } : {};
  };
}
