/**
 * Turns of the loop: the channel that it took, and what it dispatched. It is single-threaded, so one turn ends before
 * the next.
 */
import type { RecordBody } from '@syncloop/core/trace';
import type { Says } from '../catalogue/index.js';
import { lifecycleEvent, podList, podUIDsOf, text } from './fields.js';
import { forgetWorker } from './killer.js';
import { endLife } from './pleg.js';
import { about, type LineContext, WORKERS_END_PODS, write } from './process.js';
import type { Track } from './tracks.js';
import { beginTurn, causeInLoop, closeTurn, dispatched, network, theLoop, updateTypeOf, workTypeOf } from './turn.js';

type Of<K extends Says['is']> = Extract<Says, { is: K }>;

const NO_PODS: ReadonlySet<string> = new Set();

export function loopPhase(context: LineContext, { phase }: Of<'loop'>): void {
  const { process, writer } = context;
  const g = theLoop(context, true);
  if (phase === 'end') {
    closeTurn(context);
    writer.write({ kind: 'exit', of: process.loop, fn: 'syncLoop' }, { g });
    process.loop = 0;
    process.turn = null;
  }
}

/** "Skipping pod synchronization": the gate before the select is closed. */
export function gateClosed(context: LineContext): void {
  const { process, line, writer } = context;
  const g = theLoop(context, false);
  closeTurn(context);
  process.gate = text(line.found.fields.err);
  process.gateSeq = writer.write(
    { kind: 'runtime-state', errors: [process.gate], ...network(process) },
    { g, cause: process.networkSeq },
  );
}
/** Records the result of the runtime check: whether the pod network is ready. */
export function runtimeStatus(context: LineContext, _says: Of<'runtime-status'> | Of<'network'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const status = text(fields.status ?? fields.networkReady);
  const ready = /NetworkReady=(true|false)/.exec(status)?.[1];
  if (!ready) return;
  const [, reason = '', message = ''] =
    /NetworkReady=false reason:\s*(\S*?)\s*message:([\s\S]*?)(?:, \w+=(?:true|false) reason:|; Handlers|$)/.exec(
      status,
    ) ?? [];
  const error = ready === 'true' ? '' : `${reason} ${message}`.trim() || 'NetworkReady=false';
  if (error === process.networkError) return;
  process.networkError = error;
  process.networkSeq = writer.write({
    kind: 'runtime-state',
    errors: process.gate === '' ? [] : [process.gate],
    ...network(process),
  });
}

/** Concludes that podworkers got an update by the loop, if no line reports it: not every kubelet and verbosity does. */
function concludeUpdate(context: LineContext, track: Track, updateType: 'create' | 'update' | 'sync' | 'kill'): void {
  const { process, writer } = context;
  if (process.ahead.updates || process.turn === null) return;
  const over = track.state === 'terminating' || track.state === 'terminated' || track.state === 'finished';
  if (over || track.state === 'removed' || (track.removed && updateType !== 'kill')) return;
  track.update = writer.write(
    { kind: 'pod-update', updateType, ...about(track) },
    { g: process.loopG, span: process.turn.handler, cause: process.turn.seq, concluded: true },
  );
}

const HANDLER = {
  ADD: 'HandlePodAdditions',
  UPDATE: 'HandlePodUpdates',
  // A deletion with grace is handled as an update.
  DELETE: 'HandlePodUpdates',
  REMOVE: 'HandlePodRemoves',
  RECONCILE: 'HandlePodReconcile',
} as const;
const KIND = { ADD: 'create', UPDATE: 'update', DELETE: 'update', REMOVE: 'kill' } as const;

/** "SyncLoop ADD" and its like: PodConfig's operation as syncLoopIteration reads it from configCh. */
export function podConfig(context: LineContext, { op }: Of<'config'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const list = podList(fields.pods);
  const source = text(fields.source);
  if (!list || source === '') return;
  const tracks: Track[] = [];
  const ofMirrors = new Set<string>();
  const pods = list.map(({ pod, uid: reportedUid }) => {
    const { uid, mirror } =
      op === 'ADD'
        ? process.tracks.add(source, pod, reportedUid, line.at)
        : process.tracks.again(source, pod, reportedUid, op === 'REMOVE');
    // Changes of a mirror pod are dispatched to the worker of its static pod.
    const track = mirror
      ? process.tracks.current(pod, line.at)
      : uid === undefined
        ? undefined
        : process.tracks.of(pod, uid);
    if (track && mirror) ofMirrors.add(track.uid);
    else if (track) tracks.push(track);
    // A pod without a reported UID goes by its name, a mirror by its pod's.
    return { pod, uid: uid ?? (mirror ? `mirror of ${pod}` : pod) };
  });
  const cause = writer.write({ kind: 'pod-config', source, op, pods });
  const dispatch = op === 'RECONCILE' ? NO_PODS : new Set([...tracks.map(({ uid }) => uid), ...ofMirrors]);
  beginTurn(
    context,
    'configCh',
    { cause, item: { op, source, pods: list.map(({ pod }) => pod) } },
    { fn: HANDLER[op], args: list.map(({ pod }) => pod) },
    dispatch,
  );
  if (op === 'DELETE') for (const track of tracks) track.deleted = true;
  if (op !== 'RECONCILE') for (const track of tracks) concludeUpdate(context, track, KIND[op]);
  if (op === 'REMOVE' && process.isBefore(WORKERS_END_PODS)) for (const track of tracks) forgetWorker(context, track);
  if (dispatch.size === 0 || !process.ahead.updates) closeTurn(context);
}

/** "SyncLoop (PLEG): event for pod", or one of a pod that is not known any more. */
export function plegEvent(context: LineContext, { known }: Of<'pleg'>): void {
  const { process, line, writer } = context;
  const event = lifecycleEvent(line.found.fields.event);
  if (!event) return;
  const { uid, type, data } = event;
  if (type === 'ContainerDied') endLife(context, data);
  const track = process.track({ ...line, found: { ...line.found, fields: { ...line.found.fields, podUID: uid } } });
  process.containers.owned(data, uid);
  const container = process.containers.of(data);
  const pod = track?.pod ?? writer.pods.name(uid) ?? '';
  const cause = writer.write(
    { kind: 'pleg-event', type, data, ...(container?.name !== undefined && { name: container.name }), pod, uid },
    { g: process.goroutine(writer, 'pleg'), cause: process.transitions.get(data) ?? 0 },
  );
  const dispatch = known && track ? new Set([uid]) : NO_PODS;
  const item = { id: uid, type, data, pod };
  beginTurn(context, 'plegCh', { cause, item }, known ? { fn: 'HandlePodSyncs', args: [pod] } : null, dispatch);
  // Its sandbox runs: the next one that it needs is a new one.
  if (track && type === 'ContainerStarted' && !process.ahead.work) track.sandbox = 0;
  if (known && track) concludeUpdate(context, track, 'sync');
  if (dispatch.size === 0 || !process.ahead.updates) closeTurn(context);
}

/** "SyncLoop (SYNC) pods": a tick that found pods whose time in the work queue has come. */
export function tick(context: LineContext): void {
  const { process, line } = context;
  const { fields } = line.found;
  // 1.21 divides them by semicolons and blanks.
  const list =
    podList(fields.pods) ??
    podList(
      text(fields.pods)
        .replace(/[;"\s]+$/, '')
        .replace(/[;\s]+/g, ', '),
    ) ??
    [];
  const tracks = list.map(({ pod, uid }) => (uid ? process.tracks.of(pod, uid) : process.tracks.current(pod, line.at)));
  const known = tracks.filter((t) => t !== undefined);
  const pods = list.map(({ pod }) => pod);
  beginTurn(
    context,
    'syncCh',
    { item: null },
    { fn: 'HandlePodSyncs', args: pods },
    new Set(known.map(({ uid }) => uid)),
  );
  for (const track of known) concludeUpdate(context, track, 'sync');
  if (known.length === 0 || !process.ahead.updates) closeTurn(context);
}

const MANAGERS = { liveness: 'livenessManager', readiness: 'readinessManager', startup: 'startupManager' } as const;
type ProbeType = keyof typeof MANAGERS;
const isProbe = (value: string): value is ProbeType => Object.hasOwn(MANAGERS, value);

/** "SyncLoop (probe)": a result changed, and the loop heard of it. */
export function probeUpdate(context: LineContext, says: Of<'probe-update'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const probe = text(fields.probe).toLowerCase() || (says.probe ?? '');
  const status = text(fields.status);
  const track = process.track(line);
  if (!isProbe(probe)) return;
  const result: 'Success' | 'Failure' | undefined =
    probe === 'liveness'
      ? 'Failure'
      : status === 'ready' || status === 'started'
        ? 'Success'
        : // If a container has not started yet, its startup probe has not necessarily failed.
          // Up to 1.31 the log has an empty text for a readiness that was lost.
          probe === 'readiness' && (status === 'not ready' || status === '')
          ? 'Failure'
          : undefined;
  // The line does not say whose probe it is; the last probe of that kind in the pod does. Its result is new once.
  const ran = track && process.probes.get(`${track.uid} ${probe}`);
  const last = ran && [...ran].at(-1);
  let cause = last?.[1] ?? 0;
  if (track && last && result) {
    const [container, seq] = last;
    cause = writer.write(
      { kind: 'probe-result', container, probeType: probe, result, ...about(track) },
      { cause: seq, basis: [seq, line.seq], concluded: true },
    );
    if (ran.size > 1) ran.delete(container);
  }
  const known = says.syncs && track;
  beginTurn(
    context,
    MANAGERS[probe],
    { cause, item: { probe, status, pod: track?.pod ?? '' } },
    known ? { fn: 'handleProbeSync', args: [track.pod] } : null,
    known ? new Set([track.uid]) : NO_PODS,
  );
  if (known) concludeUpdate(context, track, 'sync');
  // A readiness that was lost, or won, dispatches nothing in some versions.
  if (!known || !process.ahead.updates) closeTurn(context);
}

/** The longest time between the lines of one update, microseconds: there is one line for each of its pods. */
const ONE_UPDATE = 100_000;

/** "SyncLoop (containermanager)": devices of these pods changed their health. */
export function devices(context: LineContext): void {
  const { process, line } = context;
  const { fields } = line.found;
  const podUIDs = podUIDsOf(fields.event);
  const key = podUIDs.join(' ');
  const before = process.deviceUpdate;
  process.deviceUpdate = { key, at: line.at };
  if (key !== '' && before?.key === key && line.at - before.at < ONE_UPDATE) return;
  const own = process.track(line);
  const tracks = podUIDs.map((uid) => process.tracks.get(uid)).filter((t) => t !== undefined);
  if (own && !tracks.includes(own)) tracks.push(own);
  const pods = tracks.map(({ pod }) => pod);
  beginTurn(
    context,
    'containerManager',
    { item: { podUIDs, pods } },
    tracks.length > 0 ? { fn: 'HandlePodSyncs', args: pods } : null,
    tracks.length > 0 ? new Set(tracks.map(({ uid }) => uid)) : NO_PODS,
  );
  for (const track of tracks) concludeUpdate(context, track, 'sync');
  if (tracks.length === 0 || !process.ahead.updates) closeTurn(context);
}

/** "SyncLoop (housekeeping)" and its end. */
export function housekeeping(context: LineContext, { phase }: Of<'housekeeping'>): void {
  const { process } = context;
  if (phase === 'end') {
    if (process.turn?.fn === 'HandlePodCleanups') closeTurn(context, true);
    return;
  }
  const handler = phase === 'begin' ? { fn: 'HandlePodCleanups', seen: true } : null;
  beginTurn(context, 'housekeepingCh', { item: null }, handler, phase === 'begin' ? null : NO_PODS);
  if (phase === 'skipped') closeTurn(context);
}

/** "Notifying pod of pending update": podWorkers took it. */
export function podUpdate(context: LineContext): void {
  const { process, line } = context;
  const track = process.track(line);
  if (!track) return;
  const { g, cause } = causeInLoop(context, track);
  const { fields } = line.found;
  track.update = write(
    context,
    {
      kind: 'pod-update',
      ...updateTypeOf(fields.updateType),
      ...workTypeOf(fields.workType),
      ...about(track),
    },
    { g, cause, span: cause > 0 && g > 0 ? (process.turn?.handler ?? 0) : 0 },
  );
  process.evicted.delete(track.uid);
  dispatched(context, track.uid);
}

export function updateDropped(context: LineContext): void {
  const { line, process } = context;
  const track = process.track(line);
  if (!track) return;
  const { g, cause } = causeInLoop(context, track);
  const dropped = line.entry.msg;
  write(
    context,
    { kind: 'pod-update', ...updateTypeOf(line.found.fields.updateType), dropped, ...about(track) },
    { g, cause },
  );
  dispatched(context, track.uid);
}

/** "Pod admission denied". */
export function admission(context: LineContext): void {
  const { process, line } = context;
  const track = process.track(line);
  if (!track) return;
  const { fields } = line.found;
  const { g, cause } = causeInLoop(context, track);
  track.denied = true;
  const body: RecordBody = {
    kind: 'decision',
    rule: 'canAdmitPod',
    verdict: 'reject',
    values: { reason: text(fields.reason), message: text(fields.message) },
    ...about(track),
  };
  write(context, body, { g, cause });
  dispatched(context, track.uid);
}
