/**
 * The position of a run in our sources, derived from its records: the open calls, and the last action of the innermost
 * one. Pure.
 */
import type { RecordStore } from '@syncloop/core/debug';
import type { Json, NodeState, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { podKillerGoroutine } from '../../../run/pod-killer.js';
import { about } from '../../../selection/selection.js';

export interface OpenCall {
  /** `seq` of its `enter` record. */
  readonly seq: Seq;
  readonly fn: string;
  readonly args: Json;
}
export interface SourcePosition {
  /** The record that this position belongs to, 0 for none. */
  readonly seq: Seq;
  /** The record asked about is in no named call; `seq` is the newest one before it that is. */
  readonly earlier: boolean;
  readonly goroutine: string;
  /** Outermost call first; empty if there is none. */
  readonly calls: readonly OpenCall[];
  /** Outer calls began before the first record in memory. */
  readonly cut: boolean;
}

type Records = Pick<RecordStore, 'get' | 'slice' | 'first' | 'last' | 'state'>;

/** The number of records back among which one within a named call is looked for. */
const REACH = 2_000;
/** The number of records back among which the last act of a call is looked for. */
const ACTS = 20_000;

const NOWHERE: SourcePosition = { seq: 0, earlier: false, goroutine: '', calls: [], cut: false };

/** Finds the source position of the selection, or of the session's position. */
export function sourcePositionOf(records: Records, selection: Selection | null): SourcePosition {
  const { state } = records;
  if (selection?.kind === 'record') return at(records, records.get(selection.seq));
  if (selection) {
    const g = goroutineOf(state, selection);
    const here = g > 0 ? ofGoroutine(records, g) : NOWHERE;
    if (here.calls.length > 0) return here;
    const test = g > 0 ? (r: TraceRecord) => r.g === g : about(state, selection);
    return at(
      records,
      back(records, records.last, (r) => within(r) && test(r)),
    );
  }
  return at(records, records.get(records.last));
}

const within = (r: TraceRecord): boolean => r.span > 0 || r.kind === 'enter' || r.kind === 'exit';

function goroutineOf(state: NodeState, selection: Selection): number {
  if (selection.kind === 'goroutine') return selection.id;
  if (selection.kind === 'part' && selection.part === 'loop') return state.loop.g;
  if (selection.kind === 'part' && selection.part === 'podKiller') return podKillerGoroutine(state);
  if (selection.kind !== 'pod') return 0;
  return Object.values(state.goroutines).find((g) => g.uid === selection.uid && g.state !== 'dead')?.id ?? 0;
}

/** Returns the present open calls of a goroutine, with its newest record. */
function ofGoroutine(records: Records, id: number): SourcePosition {
  const g = records.state.goroutines[id];
  if (!g || g.stack.length === 0) return NOWHERE;
  const newest = back(records, records.last, (r) => r.g === id, ACTS);
  const seq = newest?.seq ?? (g.stack.at(-1)?.seq as Seq);
  return { seq, earlier: false, goroutine: g.name, calls: g.stack.map((c) => ({ ...c })), cut: false };
}

function at(records: Records, record: TraceRecord | undefined): SourcePosition {
  if (!record) return NOWHERE;
  const near = within(record) ? record : back(records, record.seq - 1, within);
  if (!near) return NOWHERE;
  const { calls, cut } = callsAt(records, near);
  return {
    seq: near.seq,
    earlier: near !== record,
    goroutine: records.state.goroutines[near.g]?.name ?? `goroutine ${near.g}`,
    calls,
    cut,
  };
}

/** Follows the spans outwards. If records are no longer in memory, the stacks of the state have more. */
function callsAt(records: Records, record: TraceRecord): { calls: readonly OpenCall[]; cut: boolean } {
  const calls: OpenCall[] = [];
  let seq = record.kind === 'enter' ? record.seq : record.kind === 'exit' ? record.of : record.span;
  while (seq > 0) {
    const enter = records.get(seq);
    if (enter?.kind !== 'enter') {
      const stack = records.state.goroutines[record.g]?.stack ?? [];
      const i = stack.findIndex((c) => c.seq === seq);
      const outer = stack.slice(0, i + 1).map((c) => ({ ...c }));
      return { calls: [...outer, ...calls.reverse()], cut: i < 0 };
    }
    calls.push({ seq, fn: enter.fn, args: enter.args ?? null });
    if (enter.span >= seq) break;
    seq = enter.span;
  }
  return { calls: calls.reverse(), cut: false };
}

function back(
  records: Records,
  from: Seq,
  test: (record: TraceRecord) => boolean,
  reach = REACH,
): TraceRecord | undefined {
  const stop = Math.max(records.first, from - reach + 1);
  for (let seq = from; seq >= stop; seq--) {
    const record = records.get(seq);
    if (record && test(record)) return record;
  }
  return undefined;
}

/**
 * Yields the records of a call up to a record, newest first: those right in it, and the calls that it made. The record
 * at which it returned is one of them. At most `most`; the call's own `enter` record ends it.
 */
export function* actsOf(records: Records, call: OpenCall, upTo: Seq, most = 200): IterableIterator<TraceRecord> {
  const began = records.get(call.seq);
  // Another run has something else there.
  if (began && (began.kind !== 'enter' || began.fn !== call.fn)) return;
  const stop = Math.max(records.first, call.seq, upTo - ACTS);
  let n = 0;
  for (let seq = Math.min(upTo, records.last); seq >= stop && n < most; seq--) {
    const record = records.get(seq);
    if (!record) continue;
    if (record.span !== call.seq && record.seq !== call.seq && !(record.kind === 'exit' && record.of === call.seq))
      continue;
    n++;
    yield record;
  }
}
