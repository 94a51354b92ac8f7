/** The PLEG and the runtime manager: changes of sandboxes and containers, and their reasons. */
import { isObject } from '@syncloop/core/base';
import type { Json, RecordBody } from '@syncloop/core/trace';
import type { Says } from '../catalogue/index.js';
import { containerId } from '../identity.js';
import { goStruct } from '../log/go-values.js';
import type { RecordWriter } from '../record-writer.js';
import { containerNameOf, killReasonIn, numberOf, text } from './fields.js';
import { about, bounded, type LineContext, WORKERS_END_PODS, write } from './process.js';
import { beginWork, closeStart, endWork, inSync } from './sync.js';
import type { Track } from './tracks.js';

type Of<K extends Says['is']> = Extract<Says, { is: K }>;

// --- the runtime manager ---------------------------------------------------------------------------------------------

/** "No sandbox for pod can be found" and its like: why there must be a new one. */
export function sandboxDecision(context: LineContext): void {
  const track = context.process.track(context.line);
  if (!track) return;
  const { msg } = context.line.entry;
  const verdict = msg.replace(/\. Need to (?:start a new one|reconcile them)$/, '');
  write(
    context,
    { kind: 'decision', rule: 'PodSandboxChanged', verdict, values: {}, ...about(track) },
    inSync(context, track),
  );
  if (msg.startsWith('No sandbox')) concludeSandbox(context, track);
}

/** From 1.29 on a sync asks twice whether there is a sandbox: for the pod's condition, and for its actions. */
const ASKED_TWICE = 29;
const SAME_SYNC = 1e6;
/** Below `-v=4` no other line reports that a sandbox is created. */
function concludeSandbox(context: LineContext, track: Track): void {
  const { process, line, writer } = context;
  if (process.ahead.work || track.removed || track.deleted || track.sandbox > 0) return;
  const again = line.at - track.noSandboxAt < SAME_SYNC;
  track.noSandboxAt = line.at;
  const once = process.isBefore(ASKED_TWICE);
  if (once === undefined || (!once && !again)) return;
  if (track.work === 0) beginWork(context, track, 'sync', false);
  const g = process.worker(writer, track);
  track.sandbox = write(
    context,
    { kind: 'enter', fn: 'createPodSandbox', args: about(track) },
    { g, cause: track.work, concluded: true },
  );
}

/** "Container of pod is not in the desired state", "Message for Container of pod". */
export function containerDecision(context: LineContext, { verdict }: Of<'container-decision'>): void {
  const { line, process } = context;
  const { fields } = line.found;
  const track = process.track(line);
  const container = text(fields.containerName);
  if (!track || container === '') return;
  if (verdict === 'start') track.toStart.push(container);
  const message = text(fields.containerMessage);
  const id = containerId(fields.containerStatusID);
  const body: RecordBody = {
    kind: 'decision',
    rule: 'computePodActions',
    verdict,
    values: { ...(message && { message }), ...(id && { id }) },
    container,
    ...about(track),
  };
  const seq = write(context, body, inSync(context, track));
  if (verdict !== 'kill' || !id) return;
  bounded(process.causes, `why ${id}`, seq);
  const reason = killReasonIn(message);
  if (reason) bounded(process.reasons, id, reason);
}

/** "computePodActions got for pod": the actions, in the words of the record's kind. */
export function actions(context: LineContext): void {
  const { line, process } = context;
  const track = process.track(line);
  if (!track) return;
  const found = readActions(text(line.found.fields.podActions), track.toStart, (id) => process.containers.of(id)?.name);
  if (!found) return;
  // Before 1.22 no other line reports that a worker began: each sync computes its actions once.
  if (process.isBefore(WORKERS_END_PODS) && !process.ahead.work && (track.work === 0 || track.actions > 0)) {
    if (track.work > 0) endWork(context, track, false);
    beginWork(context, track, 'sync', false);
  }
  track.actions = write(context, { kind: 'pod-actions', actions: found, ...about(track) }, inSync(context, track));
  track.toStart = [];
}

/** The value of podActions: a struct of Go up to 1.31, a text of pairs from 1.32 on. Null for neither. */
export function readActions(
  value: string,
  names: readonly string[],
  nameOf: (id: string) => string | undefined,
): { readonly [key: string]: Json } | null {
  const of: { [key: string]: string } = Object.create(null);
  const struct = goStruct(value);
  if (struct) Object.assign(of, struct);
  else
    for (const [, key, found] of value.matchAll(/(\w+): ?(map\[(?:[^[\]]|\[[^\]]*\])*\]|\[[^\]]*\]|[^,\s]*)/g))
      of[key as string] ??= found as string;
  if (of.KillPod === undefined || of.CreateSandbox === undefined) return null;
  const indexes = (list: string | undefined): string[] => list?.match(/\d+/g) ?? [];
  const toStart = indexes(of.ContainersToStart);
  // Earlier lines named the containers that are started again; for those of a new pod only their index is logged.
  const started = names.length === toStart.length ? [...names] : toStart.map((n) => `#${n}`);
  const init = of.InitContainersToStart ?? of.NextInitContainerToStart ?? '';
  const kills = [...(of.ContainersToKill ?? '').matchAll(/([0-9a-f]{64})/g)].map((m) => m[1] as string);
  return {
    killPod: of.KillPod === 'true',
    createSandbox: of.CreateSandbox === 'true',
    ...(of.SandboxID && { sandboxID: of.SandboxID }),
    ...(numberOf(of.Attempt) !== undefined && { attempt: numberOf(of.Attempt) as number }),
    initContainersToStart: init.includes('Container{')
      ? [containerNameOf(init)].filter(Boolean)
      : indexes(init).map((n) => `#${n}`),
    containersToStart: started,
    ephemeralContainersToStart: indexes(of.EphemeralContainersToStart).map((n) => `#${n}`),
    containersToKill: [...new Set(kills)].map((id) => ({ id, name: nameOf(id) ?? '', message: '', reason: '' })),
  };
}

/** "Creating PodSandbox for pod" and how that ended. */
export function sandbox(context: LineContext, { at }: Of<'sandbox'>): void {
  const { line, process, writer } = context;
  const track = process.track(line);
  if (!track) return;
  const g = process.worker(writer, track);
  if (at === 'enter') {
    // Before 1.29 the line about the missing sandbox has reported it already.
    const known =
      process.isBefore(ASKED_TWICE) !== false && track.sandbox > 0 && line.at - track.noSandboxAt < SAME_SYNC;
    if (known) return;
    track.sandbox = write(
      context,
      { kind: 'enter', fn: 'createPodSandbox', args: about(track) },
      { g, span: track.method, cause: track.actions || track.method },
    );
    return;
  }
  const { fields } = line.found;
  const error = at === 'failed' ? text(fields.err) || line.entry.msg : undefined;
  if (track.sandbox === 0) return;
  const result = at === 'exit' ? { result: { podSandboxID: text(fields.podSandboxID) } as Json } : {};
  write(
    context,
    { kind: 'exit', of: track.sandbox, fn: 'createPodSandbox', ...(error !== undefined && { error }), ...result },
    { g, span: track.method, cause: track.sandbox },
  );
}

/** "Creating container in pod", "Container start failed in pod". */
export function start(context: LineContext, { at }: Of<'start'>): void {
  const { line, process, writer } = context;
  const { fields } = line.found;
  const track = process.track(line);
  if (!track) return;
  const container = containerNameOf(fields.container);
  const g = process.worker(writer, track);
  if (at === 'failed') {
    if (track.start === 0 || track.startOf !== container) return;
    const error = text(fields.err) || text(fields.containerMessage);
    const { start: of } = track;
    write(context, { kind: 'exit', of, fn: 'startContainer', error }, { g, span: track.method, cause: of });
    track.start = 0;
    return;
  }
  closeStart(context, track);
  if (container === '') return;
  track.start = write(
    context,
    { kind: 'enter', fn: 'startContainer', args: { ...about(track), container } },
    { g, span: track.method, cause: track.actions || track.method },
  );
  track.startOf = container;
  bounded(process.causes, `start ${track.uid} ${container}`, track.start);
  track.started.push({ name: container, basis: line.seq, at: line.at });
  if (track.started.length > 64) track.started.shift();
}

// --- kills and calls -------------------------------------------------------------------------------------------------

/** The first minor version whose log has a message of its own for a kill whose period was overridden. */
const KILLS_HAVE_THEIR_OWN_NAME = 23;
const SAME_KILL = 1e6;
/** Several containers of a pod are killed at the same time, each by its own goroutine. */
const killOf = (writer: RecordWriter, { uid }: Track, id: string, container: string) =>
  writer.goroutine(`killContainer ${id}`, `killContainer ${container}`, { place: 'pod/runtime', uid });

/** "Killing container with a grace period" and how that ended. */
export function kill(context: LineContext, { at }: Of<'kill'>): void {
  const { line, process, writer } = context;
  const { fields } = line.found;
  const id = containerId(fields.containerID);
  const known = process.containers.of(id);
  // Up to 1.20 the line names the container's id alone.
  const track = process.track(line) ?? process.tracks.get(known?.uid ?? '');
  if (!track || id === '') return;
  const name = `killContainer ${id}`;
  const container = text(fields.containerName) || (known?.name ?? '');
  if (at === 'override' && process.isBefore(KILLS_HAVE_THEIR_OWN_NAME) !== true) return;
  if (at === 'enter' || at === 'override') {
    // Up to 1.21 one kill may have two lines.
    const before = process.killedAt.get(id);
    if (before !== undefined && line.at - before < SAME_KILL) return;
    bounded(process.killedAt, id, line.at);
    const gracePeriod =
      numberOf(fields.gracePeriod) ?? (fields.seconds === undefined ? undefined : Number(fields.seconds));
    // Below `-v=4`: a container of a pod that must be terminated is killed by SyncTerminatingPod.
    // Before 1.22 a container is killed outside the pod's worker.
    const byWorker = process.isBefore(WORKERS_END_PODS) !== true;
    if (byWorker && !process.ahead.work && (track.removed || track.deleted) && track.state !== 'terminating') {
      track.state = 'terminating';
      beginWork(context, track, 'terminating', false);
    }
    const args: Json = {
      ...about(track),
      container,
      containerID: id,
      ...(gracePeriod !== undefined && { gracePeriod }),
    };
    const g = killOf(writer, track, id, container);
    const why =
      process.causes.get(`why ${id}`) ??
      (track.killer || track.deadline || track.actions || track.method || track.work || track.moved);
    const seq = write(context, { kind: 'enter', fn: 'killContainer', args }, { g, cause: why });
    bounded(process.causes, id, seq);
    process.causes.delete(`why ${id}`);
    const reason = process.reasons.get(id);
    process.reasons.delete(id);
    const body: RecordBody = {
      kind: 'kill',
      container,
      id,
      ...(gracePeriod !== undefined && { gracePeriod }),
      ...(reason && { reason }),
      ...about(track),
    };
    write(context, body, { g, cause: seq });
    return;
  }
  const of = process.causes.get(id);
  if (!of) return;
  const error = at === 'failed' ? text(fields.err) : undefined;
  write(
    context,
    { kind: 'exit', of, fn: 'killContainer', ...(error !== undefined && { error }) },
    { g: killOf(writer, track, id, container), cause: of },
  );
  process.killedAt.delete(id);
  writer.endGoroutine(name);
}

/** A preStop hook begins or ends. */
export function hook(context: LineContext, { at, fn }: Of<'hook'>): void {
  const { line, process, writer } = context;
  const { fields } = line.found;
  const track = process.track(line);
  const id = containerId(fields.containerID);
  if (!track || id === '') return;
  const key = `hook ${id}`;
  const container = text(fields.containerName);
  const g = killOf(writer, track, id, container);
  if (at === 'enter') {
    const args: Json = { ...about(track), container, containerID: id };
    bounded(process.causes, key, write(context, { kind: 'enter', fn, args }, { g, cause: track.method || track.work }));
    return;
  }
  const of = process.causes.get(key);
  if (!of) return;
  process.causes.delete(key);
  const { msg } = line.entry;
  const error = text(fields.err) || (msg.includes('not completed') ? msg : '');
  write(context, { kind: 'exit', of, fn, ...(error && { error }) }, { g, cause: of });
}

/** gRPC's codes by name, in their order. */
const CODES =
  'OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated'.split(
    ' ',
  );

/** Errors of calls that did not reach the runtime, or that the kubelet gave up. */
const INSIDE = /code = Unavailable desc = connection error|code = Canceled desc = context canceled/;

/** "StartContainer from runtime service failed": the answer of a call that nothing else reports. */
export function callFailed(context: LineContext, says: Of<'call-failed'>): void {
  const { line, process, writer } = context;
  const { fields } = line.found;
  const { method } = says;
  const err = isObject(fields.err) ? '' : text(fields.err);
  // The socket reports it whole, unless it never came so far.
  if (writer.seesCalls && !INSIDE.test(err)) return;
  const [, name = '', details = err] = /rpc error: code = (\w+) desc = ([\s\S]*)/.exec(err) ?? [];
  const code = Math.max(CODES.indexOf(name), name === '' ? 2 : -1);
  const container = containerId(fields.containerID);
  const sandboxID = containerId(fields.podSandboxID);
  writer.write({
    kind: 'cri-return',
    call: 0,
    method,
    error: { code: code < 0 ? 2 : code, details },
    ...(container && { container }),
    ...(sandboxID && { sandbox: sandboxID }),
  });
  void process;
}
