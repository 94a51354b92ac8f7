/** Pod workers: the updates they receive, when they start and end, and the sync methods that they run. */
import type { Json, RecordBody } from '@syncloop/core/trace';
import type { Says } from '../catalogue/index.js';
import { concludeBackoff } from './backoff.js';
import { text } from './fields.js';
import { about, type LineContext, write } from './process.js';
import { beginWork, closeMethod, closeStart, endWork, inSync } from './sync.js';
import type { Track } from './tracks.js';
import { causeInLoop, workTypeOf } from './turn.js';

type Of<K extends Says['is']> = Extract<Says, { is: K }>;
type State = 'sync' | 'terminating' | 'terminated' | 'finished' | 'removed';

/** Records a change of a worker's state: by the loop, by its own sync, or by housekeeping. */
export function worker(context: LineContext, { from, to }: Of<'worker'>): void {
  const { line, process, writer } = context;
  const uid = text(line.found.fields.podUID);
  const track = process.track(line) ?? process.tracks.get(uid);
  if (!track) return;
  // A pod that had ended before this kubelet started begins at its end, which only the lines to come tell.
  const begin = from === undefined && to === 'sync' ? process.tracks.begin(track.uid) : '';
  const state = begin === 'terminated' || begin === 'finished' ? begin : (to as State);
  const inLoop = causeInLoop(context, track);
  // A worker reports its own findings while it works.
  const own =
    inLoop.cause === 0 || (track.work > 0 && from !== undefined && !line.entry.msg.includes('begin teardown'));
  const how = own && track.work > 0 ? { g: process.worker(writer, track), cause: track.work } : inLoop;
  const was = state === 'removed' ? known(track.state) : from;
  track.moved = write(
    context,
    { kind: 'worker', state, ...(was && { from: was }), reason: reasonOf(line.entry.msg), ...about(track) },
    state === to ? how : { ...how, concluded: true },
  );
  track.state = state;
  if (state === 'removed') writer.endGoroutine(`worker ${track.uid}`);
}
const known = (state: Track['state']): State | undefined => (state === '' ? undefined : state);
const reasonOf = (msg: string): string => msg.replace(/, begin teardown$/, '');

/** "Pod cannot start yet", "Pod cannot start ever". */
export function startHeld(context: LineContext, { verdict }: Of<'start-held'>): void {
  const track = context.process.track(context.line);
  if (!track) return;
  const g = context.process.worker(context.writer, track);
  write(
    context,
    { kind: 'decision', rule: 'allowPodStart', verdict, values: {}, ...about(track) },
    { g, cause: track.update },
  );
}

/** "Processing pod event" and its end, "Error syncing pod, skipping". */
export function work(context: LineContext, { moment }: Of<'work'>): void {
  const { process, line } = context;
  const { fields } = line.found;
  const track = process.track(line);
  if (!track) return;
  switch (moment) {
    case 'begin':
      // The log never reported the end of this one.
      if (track.work > 0) closeMethod(context, track);
      beginWork(context, track, workTypeOf(fields.updateType).workType ?? 'sync', true);
      return;
    case 'done':
      if (track.work > 0) endWork(context, track, true);
      return;
    default: {
      const error = moment === 'cancelled' ? 'context canceled' : text(fields.err);
      track.error = { text: error, basis: line.seq };
      if (moment === 'failed') concludeBackoff(context, track, error);
      // If the log reports the work itself, another line ends it.
      if (process.ahead.work) return;
      if (track.work === 0) beginWork(context, track, workOf(track), false);
      track.error = { text: error, basis: line.seq };
      endWork(context, track, true);
    }
  }
}
const workOf = (track: Track): Track['workType'] =>
  track.state === 'terminating' || track.state === 'terminated' ? track.state : 'sync';

/** "SyncPod enter" and its like. */
export function method(context: LineContext, { fn, at }: Of<'method'>): void {
  const { process, line, writer } = context;
  const track = process.track(line);
  if (!track) return;
  const g = process.worker(writer, track);
  if (at === 'enter') {
    closeMethod(context, track);
    track.method = write(context, { kind: 'enter', fn, args: about(track) }, { g, cause: track.work });
    track.methodName = fn;
    track.actions = 0;
    track.toStart = [];
    return;
  }
  if (track.method === 0 || track.methodName !== fn) return;
  closeStart(context, track);
  const { isTerminal } = line.found.fields;
  const result = typeof isTerminal === 'boolean' ? { result: { isTerminal } as Json } : {};
  write(context, { kind: 'exit', of: track.method, fn, ...result }, { g, cause: track.method });
  track.method = 0;
}

/** A numbered step of a sync. */
export function step(context: LineContext, { fn, n, name }: Of<'step'>): void {
  const { process, line } = context;
  const track = process.track(line);
  if (!track) return;
  const container = text(line.found.fields.containerName);
  write(
    context,
    { kind: 'step', fn, n, name, ...(container && { container }), ...about(track) },
    inSync(context, track),
  );
}
/** "Creating a mirror pod for static pod": SyncPod came so far. */
export function mirror(context: LineContext): void {
  const { process, line } = context;
  const track = process.track(line);
  if (!track) return;
  // If the log does not report work, this line shows that it began: each SyncPod logs it once. So the work before it
  // ended without an error.
  if (!process.ahead.work) {
    if (track.work > 0) endWork(context, track, false);
    beginWork(context, track, 'sync', false);
  }
  write(context, { kind: 'step', fn: 'SyncPod', n: 9, name: 'mirror pod', ...about(track) }, inSync(context, track));
}

const isOver = (phase: string): boolean => phase === 'Failed' || phase === 'Succeeded';
/**
 * The phase that the status manager takes for one that getPhase computed; null if no line reports it. A pod that failed
 * stays so, whatever its containers return when they are killed. upstream: generateAPIPodStatus
 */
function takenPhase(
  { process }: LineContext,
  track: Track,
  found: string,
  before: string,
): { readonly phase: string; readonly reason?: string } | null {
  const phase = isOver(before) ? before : found;
  if (!isOver(phase)) return { phase };
  if (track.deadline > 0) return { phase: 'Failed', reason: 'DeadlineExceeded' };
  if (process.evicted.has(track.uid)) return { phase: 'Failed', reason: 'Evicted' };
  // The containers of a pod that is to go are killed; how they end is not a status that anybody has seen.
  return track.removed || track.deleted ? null : { phase };
}

/** "Got phase for pod": the result of getPhase. The status manager takes it if it is new. */
export function phase(context: LineContext): void {
  const { process, line } = context;
  const track = process.track(line);
  const found = text(line.found.fields.phase);
  if (!track || found === '') return;
  const how = inSync(context, track);
  const values = { oldPhase: text(line.found.fields.oldPhase) };
  const seq = write(context, { kind: 'decision', rule: 'getPhase', verdict: found, values, ...about(track) }, how);
  const taken = takenPhase(context, track, found, values.oldPhase);
  if (taken === null || track.status.phase === taken.phase) return;
  // A pod that is ended before it ran gets another phase at once, which no line reports.
  if (found === 'Pending' && track.methodName !== 'SyncPod' && process.ahead.work) return;
  track.status = { ...track.status, ...taken };
  const body: RecordBody = { kind: 'status', status: track.status as Json, ...about(track) };
  write(context, body, { ...how, cause: seq, concluded: true });
}

/** "Pod is terminal": SyncPod reports that the pod is over. */
export function terminal(context: LineContext): void {
  const track = context.process.track(context.line);
  if (!track) return;
  write(
    context,
    { kind: 'decision', rule: 'SyncPod: terminal', verdict: 'terminal', values: {}, ...about(track) },
    { ...inSync(context, track), ...(track.deadline > 0 && { cause: track.deadline }) },
  );
}

export function workerStopped(context: LineContext): void {
  context.writer.endGoroutine(`worker ${text(context.line.found.fields.podUID)}`);
}
