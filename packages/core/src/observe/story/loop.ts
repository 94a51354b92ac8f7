/**
 * Turns of the loop: which channel it took, what it dispatched. It is single-threaded, so one turn ends before the
 * next.
 */
import type { RecordBody } from '../../trace/index.js';
import type { Says } from '../catalogue/index.js';
import { lifecycleEvent, podList, podUIDsOf, text } from './fields.js';
import { forgetWorker } from './killer.js';
import { endLife } from './pleg.js';
import { about, type Told, WORKERS_END_PODS, write } from './process.js';
import type { Track } from './tracks.js';
import { beginTurn, causeInLoop, closeTurn, dispatched, network, theLoop, updateTypeOf, workTypeOf } from './turn.js';

type Of<K extends Says['is']> = Extract<Says, { is: K }>;

const NO_PODS: ReadonlySet<string> = new Set();

export function loopPhase(told: Told, { phase }: Of<'loop'>): void {
  const { process, scribe } = told;
  const g = theLoop(told, true);
  if (phase === 'end') {
    closeTurn(told);
    scribe.write({ kind: 'exit', of: process.loop, fn: 'syncLoop' }, { g });
    process.loop = 0;
    process.turn = null;
  }
}

/** "Skipping pod synchronization": the gate before the select is closed. */
export function gateClosed(told: Told): void {
  const { process, line, scribe } = told;
  const g = theLoop(told, false);
  closeTurn(told);
  process.gate = text(line.found.fields.err);
  process.gateSeq = scribe.write(
    { kind: 'runtime-state', errors: [process.gate], ...network(process) },
    { g, cause: process.networkSeq },
  );
}
/** What the check of the runtime found: whether the pod network is ready. */
export function runtimeStatus(told: Told, _says: Of<'runtime-status'> | Of<'network'>): void {
  const { process, line, scribe } = told;
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
  process.networkSeq = scribe.write({
    kind: 'runtime-state',
    errors: process.gate === '' ? [] : [process.gate],
    ...network(process),
  });
}

/** Podworkers got an update by the loop, where no line says so: not every kubelet and verbosity tells. */
function concludeUpdate(told: Told, track: Track, updateType: 'create' | 'update' | 'sync' | 'kill'): void {
  const { process, scribe } = told;
  if (process.ahead.updates || process.turn === null) return;
  const over = track.state === 'terminating' || track.state === 'terminated' || track.state === 'finished';
  if (over || track.state === 'removed' || (track.removed && updateType !== 'kill')) return;
  track.update = scribe.write(
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
export function podConfig(told: Told, { op }: Of<'config'>): void {
  const { process, line, scribe } = told;
  const { fields } = line.found;
  const list = podList(fields.pods);
  const source = text(fields.source);
  if (!list || source === '') return;
  const tracks: Track[] = [];
  const ofMirrors = new Set<string>();
  const pods = list.map(({ pod, uid: toldUid }) => {
    const { uid, mirror } =
      op === 'ADD'
        ? process.tracks.add(source, pod, toldUid, line.at)
        : process.tracks.again(source, pod, toldUid, op === 'REMOVE');
    // What happens to a mirror is dispatched to the worker of its static pod.
    const track = mirror
      ? process.tracks.current(pod, line.at)
      : uid === undefined
        ? undefined
        : process.tracks.of(pod, uid);
    if (track && mirror) ofMirrors.add(track.uid);
    else if (track) tracks.push(track);
    // A pod whose UID nobody tells goes by its name, a mirror by its pod's.
    return { pod, uid: uid ?? (mirror ? `mirror of ${pod}` : pod) };
  });
  const cause = scribe.write({ kind: 'pod-config', source, op, pods });
  const dispatch = op === 'RECONCILE' ? NO_PODS : new Set([...tracks.map(({ uid }) => uid), ...ofMirrors]);
  beginTurn(
    told,
    'configCh',
    { cause, item: { op, source, pods: list.map(({ pod }) => pod) } },
    { fn: HANDLER[op], args: list.map(({ pod }) => pod) },
    dispatch,
  );
  if (op === 'DELETE') for (const track of tracks) track.deleted = true;
  if (op !== 'RECONCILE') for (const track of tracks) concludeUpdate(told, track, KIND[op]);
  if (op === 'REMOVE' && process.isBefore(WORKERS_END_PODS)) for (const track of tracks) forgetWorker(told, track);
  if (dispatch.size === 0 || !process.ahead.updates) closeTurn(told);
}

/** "SyncLoop (PLEG): event for pod", or one of a pod that is not known any more. */
export function plegEvent(told: Told, { known }: Of<'pleg'>): void {
  const { process, line, scribe } = told;
  const event = lifecycleEvent(line.found.fields.event);
  if (!event) return;
  const { uid, type, data } = event;
  if (type === 'ContainerDied') endLife(told, data);
  const track = process.track({ ...line, found: { ...line.found, fields: { ...line.found.fields, podUID: uid } } });
  process.containers.owned(data, uid);
  const container = process.containers.of(data);
  const pod = track?.pod ?? scribe.pods.name(uid) ?? '';
  const cause = scribe.write(
    { kind: 'pleg-event', type, data, ...(container?.name !== undefined && { name: container.name }), pod, uid },
    { g: process.goroutine(scribe, 'pleg'), cause: process.transitions.get(data) ?? 0 },
  );
  const dispatch = known && track ? new Set([uid]) : NO_PODS;
  const item = { id: uid, type, data, pod };
  beginTurn(told, 'plegCh', { cause, item }, known ? { fn: 'HandlePodSyncs', args: [pod] } : null, dispatch);
  // Its sandbox runs: the next one that it needs is another.
  if (track && type === 'ContainerStarted' && !process.ahead.work) track.sandbox = 0;
  if (known && track) concludeUpdate(told, track, 'sync');
  if (dispatch.size === 0 || !process.ahead.updates) closeTurn(told);
}

/** "SyncLoop (SYNC) pods": a tick that found pods whose time in the work queue has come. */
export function tick(told: Told): void {
  const { process, line } = told;
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
  beginTurn(told, 'syncCh', { item: null }, { fn: 'HandlePodSyncs', args: pods }, new Set(known.map(({ uid }) => uid)));
  for (const track of known) concludeUpdate(told, track, 'sync');
  if (known.length === 0 || !process.ahead.updates) closeTurn(told);
}

const MANAGERS = { liveness: 'livenessManager', readiness: 'readinessManager', startup: 'startupManager' } as const;
type ProbeType = keyof typeof MANAGERS;
const isProbe = (value: string): value is ProbeType => Object.hasOwn(MANAGERS, value);

/** "SyncLoop (probe)": a result changed, and the loop heard of it. */
export function probeUpdate(told: Told, says: Of<'probe-update'>): void {
  const { process, line, scribe } = told;
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
        : // That a container has not started yet is told as if its startup probe had failed.
          // 1.26 to 1.28 print an empty text for a readiness that was lost.
          probe === 'readiness' && (status === 'not ready' || status === '')
          ? 'Failure'
          : undefined;
  // The line does not say whose probe it is; the last probe of that kind in the pod does.
  const last = track && process.probes.get(`${track.uid} ${probe}`);
  let cause = last?.seq ?? 0;
  if (track && last && result)
    cause = scribe.write(
      { kind: 'probe-result', container: last.container, probeType: probe, result, ...about(track) },
      { cause: last.seq, basis: [last.seq, line.seq], concluded: true },
    );
  const known = line.found.row.id === 'L-25' && track;
  beginTurn(
    told,
    MANAGERS[probe],
    { cause, item: { probe, status, pod: track?.pod ?? '' } },
    known ? { fn: 'handleProbeSync', args: [track.pod] } : null,
    known ? new Set([track.uid]) : NO_PODS,
  );
  if (known) concludeUpdate(told, track, 'sync');
  // A readiness that was lost, or won, dispatches nothing in some versions.
  if (!known || !process.ahead.updates) closeTurn(told);
}

/** How far apart the lines of one update may be, microseconds: there is one for each of its pods. */
const ONE_UPDATE = 100_000;

/** "SyncLoop (containermanager)": devices of these pods changed their health. */
export function devices(told: Told): void {
  const { process, line } = told;
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
    told,
    'containerManager',
    { item: { podUIDs, pods } },
    tracks.length > 0 ? { fn: 'HandlePodSyncs', args: pods } : null,
    tracks.length > 0 ? new Set(tracks.map(({ uid }) => uid)) : NO_PODS,
  );
  for (const track of tracks) concludeUpdate(told, track, 'sync');
  if (tracks.length === 0 || !process.ahead.updates) closeTurn(told);
}

/** "SyncLoop (housekeeping)" and its end. */
export function housekeeping(told: Told, { phase }: Of<'housekeeping'>): void {
  const { process } = told;
  if (phase === 'end') {
    if (process.turn?.fn === 'HandlePodCleanups') closeTurn(told, true);
    return;
  }
  const handler = phase === 'begin' ? { fn: 'HandlePodCleanups', seen: true } : null;
  beginTurn(told, 'housekeepingCh', { item: null }, handler, phase === 'begin' ? null : NO_PODS);
  if (phase === 'skipped') closeTurn(told);
}

/** "Notifying pod of pending update": podWorkers took it. */
export function podUpdate(told: Told): void {
  const { process, line } = told;
  const track = process.track(line);
  if (!track) return;
  const { g, cause } = causeInLoop(told, track);
  const { fields } = line.found;
  track.update = write(
    told,
    {
      kind: 'pod-update',
      ...updateTypeOf(fields.updateType),
      ...workTypeOf(fields.workType),
      ...about(track),
    },
    { g, cause, span: cause > 0 && g > 0 ? (process.turn?.handler ?? 0) : 0 },
  );
  process.evicted.delete(track.uid);
  dispatched(told, track.uid);
}

export function updateDropped(told: Told): void {
  const { line, process } = told;
  const track = process.track(line);
  if (!track) return;
  const { g, cause } = causeInLoop(told, track);
  const dropped = line.entry.msg;
  write(
    told,
    { kind: 'pod-update', ...updateTypeOf(line.found.fields.updateType), dropped, ...about(track) },
    { g, cause },
  );
  dispatched(told, track.uid);
}

/** "Pod admission denied". */
export function admission(told: Told): void {
  const { process, line } = told;
  const track = process.track(line);
  if (!track) return;
  const { fields } = line.found;
  const { g, cause } = causeInLoop(told, track);
  track.denied = true;
  const body: RecordBody = {
    kind: 'decision',
    rule: 'canAdmitPod',
    verdict: 'reject',
    values: { reason: text(fields.reason), message: text(fields.message) },
    ...about(track),
  };
  write(told, body, { g, cause });
  dispatched(told, track.uid);
}
