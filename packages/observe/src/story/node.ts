/** Statuses, probes, volumes, evictions, the node itself, and the events that the kubelet reports. */
import { isObject, parseShallowJson } from '@syncloop/core/base';
import type { Json, RecordBody, Seq } from '@syncloop/core/trace';
import type { Says } from '../catalogue/index.js';
import { podName } from '../identity.js';
import { containerNameOf, type JsonObject, killReasonIn, numberOf, podList, text } from './fields.js';
import { about, bounded, type LineContext, write } from './process.js';
import { inSync } from './sync.js';

type Of<K extends Says['is']> = Extract<Says, { is: K }>;

// --- statuses --------------------------------------------------------------------------------------------------------

/** The object in a JSON text; null for any other text. */
function json(value: string): JsonObject | null {
  try {
    const found = parseShallowJson(value) as Json;
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}
/** The `status` of a patch; null for a text that is not a patch, such as one that was cut. */
export function patchedStatus(fields: { readonly [key: string]: Json }): { status: JsonObject; uid: string } | null {
  const patch = json(text(fields.patch));
  if (!patch || !isObject(patch.status)) return null;
  return { status: patch.status, uid: isObject(patch.metadata) ? text(patch.metadata.uid) : '' };
}

/** Takes a strategic merge patch of a status: conditions by their type, all other lists whole, null removes. */
export function mergeStatus(before: JsonObject, patch: JsonObject): { [key: string]: Json } {
  const status = { ...before } as { [key: string]: Json };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$') || value === undefined) continue;
    if (value === null) delete status[key];
    else if (key === 'conditions' && Array.isArray(value)) status[key] = mergeConditions(status[key], value as Json[]);
    else status[key] = value;
  }
  return status;
}
function mergeConditions(before: Json | undefined, patch: readonly Json[]): Json {
  const objects = (of: readonly Json[]) => of.filter((one): one is JsonObject => isObject(one));
  const list = objects(Array.isArray(before) ? before : []);
  for (const one of objects(patch)) {
    const at = list.findIndex((c) => c.type === one.type);
    const merged = Object.fromEntries(Object.entries({ ...list[at], ...one }).filter(([, v]) => v !== null));
    if (at < 0) list.push(merged);
    else list[at] = merged;
  }
  return list as Json;
}

/** "Patch status for pod": the status manager's request to the API server. */
export function statusPatch(context: LineContext): void {
  const track = context.process.track(context.line);
  const patch = patchedStatus(context.line.found.fields);
  if (!track || !patch) return;
  track.status = mergeStatus(track.status as JsonObject, patch.status);
}

/** "Status for pod updated successfully": that status has this version. */
export function status(context: LineContext, { changed }: Of<'status'>): void {
  if (!changed) return;
  const { process, line, writer } = context;
  const track = process.track(line);
  if (!track) return;
  const { fields } = line.found;
  const version = numberOf(fields.statusVersion);
  if (isObject(fields.status) && typeof fields.status.phase === 'string') track.status = fields.status;
  if (Object.keys(track.status).length === 0) return;
  const body: RecordBody = {
    kind: 'status',
    ...(version !== undefined && { version }),
    status: track.status as Json,
    ...about(track),
  };
  writer.write(body, { g: process.goroutine(writer, 'statusManager') });
}

// --- probes ----------------------------------------------------------------------------------------------------------

/** "Probe succeeded" and its like: one run of a probe. */
export function probe(context: LineContext, { outcome }: Of<'probe'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const track = process.track(line);
  const container = text(fields.containerName);
  // Up to 1.20 the message begins with it.
  const probeType = (text(fields.probeType) || (/^\w+/.exec(line.entry.msg)?.[0] ?? '')).toLowerCase();
  if (!track || container === '' || !(probeType === 'liveness' || probeType === 'readiness' || probeType === 'startup'))
    return;
  const seq = writer.write(
    {
      kind: 'probe',
      container,
      probeType,
      outcome,
      output: text(fields.output) || text(fields.err),
      ...about(track),
    },
    {
      g: writer.goroutine(`probe ${track.uid} ${container} ${probeType}`, `${probeType} probe ${container}`, {
        place: 'probes',
      }),
    },
  );
  const key = `${track.uid} ${probeType}`;
  const ran = process.probes.get(key) ?? new Map<string, Seq>();
  ran.delete(container);
  bounded(ran, container, seq);
  bounded(process.probes, key, ran);
}

// --- volumes ---------------------------------------------------------------------------------------------------------

/** The plugin of a volume by its unique name, `kubernetes.io/configmap/...`. */
const pluginOf = (unique: string): string => /^([\w.-]+\/[\w.~-]+)/.exec(unique)?.[1] ?? '';

export function volume(context: LineContext, { op, phase }: Of<'volume'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  // On unmount the text has the UID where the name would be.
  const uid = text(fields.podUID) || text(fields.podText);
  const name = text(fields.volume);
  if (uid === '' || name === '') return;
  const pod = process.tracks.get(uid)?.pod ?? podName(fields.pod);
  writer.write(
    { kind: 'volume', volume: name, plugin: pluginOf(text(fields.unique)), op, phase, pod, uid },
    { g: process.goroutine(writer, 'volumes') },
  );
}

/** "Operation for ... failed": a mount that has to be tried again. */
export function volumeFailed(context: LineContext): void {
  const { process, line, writer } = context;
  const err = text(line.found.fields.err).replaceAll('\\"', '"');
  const found =
    /(MountVolume|UnmountVolume)\.\w+ failed for volume "([^"]+)" \(UniqueName: "([^"]+)"\) pod "([^"]*)" \(UID: "([^"]*)"\) ?: ?([\s\S]*)/.exec(
      err,
    );
  if (!found) return;
  const [, verb, name = '', unique = '', , uid = '', error = ''] = found;
  const op = verb === 'MountVolume' ? 'volume_mount' : 'volume_unmount';
  const pod = process.tracks.get(uid)?.pod ?? '';
  writer.write(
    { kind: 'volume', volume: name, plugin: pluginOf(unique), op, phase: 'done', error, pod, uid },
    { g: process.goroutine(writer, 'volumes') },
  );
}

// --- eviction --------------------------------------------------------------------------------------------------------

export function eviction(context: LineContext, { phase }: Of<'eviction'>): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const g = process.goroutine(writer, 'eviction');
  const resource = text(fields.resourceName);
  const refs = podList(fields.pods ?? (fields.pod === undefined ? undefined : [fields.pod])) ?? [];
  const tracks = refs.map(({ pod, uid }) =>
    uid === '' ? process.tracks.provisional(pod, line.at) : process.tracks.of(pod, uid),
  );
  if (phase === 'reclaim' || phase === 'reclaimed') {
    writer.write({ kind: 'eviction', phase, ...(resource && { resource }) }, { g });
    return;
  }
  if (phase === 'rank') {
    writer.write({ kind: 'eviction', phase, ranked: tracks.map(about) }, { g });
    return;
  }
  const { msg } = line.entry;
  const error = msg.includes('timed out') ? { error: msg.replace('Eviction manager: ', '') } : {};
  for (const track of tracks) writer.write({ kind: 'eviction', phase, ...error, ...about(track) }, { g });
}

// --- the node --------------------------------------------------------------------------------------------------------

/** The conditions that the kubelet's events about its node report. upstream: pkg/kubelet/events */
export const NODE_EVENTS: { readonly [reason: string]: { readonly type: string; readonly status: 'True' | 'False' } } =
  {
    NodeReady: { type: 'Ready', status: 'True' },
    NodeNotReady: { type: 'Ready', status: 'False' },
    NodeHasSufficientMemory: { type: 'MemoryPressure', status: 'False' },
    NodeHasInsufficientMemory: { type: 'MemoryPressure', status: 'True' },
    NodeHasNoDiskPressure: { type: 'DiskPressure', status: 'False' },
    NodeHasDiskPressure: { type: 'DiskPressure', status: 'True' },
    NodeHasSufficientDisk: { type: 'OutOfDisk', status: 'False' },
    NodeOutOfDisk: { type: 'OutOfDisk', status: 'True' },
    NodeHasSufficientPID: { type: 'PIDPressure', status: 'False' },
    NodeHasInsufficientPID: { type: 'PIDPressure', status: 'True' },
  };

/** Type, status, reason and message of a condition: of JSON, or as Go prints the struct. */
export function conditionOf(value: Json | undefined): { readonly [fact: string]: string } | null {
  const found = isObject(value)
    ? value
    : /\bType:(?<type>\w+) Status:(?<status>\w+) [\s\S]*?Reason:(?<reason>\S*) Message:(?<message>[\s\S]*)\}$/.exec(
        text(value),
      )?.groups;
  if (!found) return null;
  const { type, status: is, reason, message } = found as JsonObject;
  return { type: text(type), status: text(is), reason: text(reason), message: text(message) };
}

/** "Node became not ready". */
export function nodeCondition(context: LineContext): void {
  const { type = '', status: is, reason = '', message = '' } = conditionOf(context.line.found.fields.condition) ?? {};
  if (is !== 'True' && is !== 'False' && is !== 'Unknown') return;
  context.writer.write({ kind: 'node-condition', type, status: is, reason, message });
}

/** "Recording event message for node": the condition that the node has now. */
export function nodeEvent({ line, writer }: LineContext): void {
  const reason = text(line.found.fields.event);
  const known = NODE_EVENTS[reason];
  if (known) writer.write({ kind: 'node-condition', ...known, reason, message: '' }, { concluded: true });
}

export function nodeStatus(context: LineContext, { op }: Of<'node-status'>, node: string): void {
  const { fields } = context.line.found;
  const name = text(fields.node) || node;
  if (name === '') return;
  const error = text(fields.err);
  context.writer.write({ kind: 'node-status', op, node: name, ...(op === 'failed' && error && { error }) });
}

// --- events ----------------------------------------------------------------------------------------------------------

const START_STEPS: { readonly [reason: string]: readonly [number, string] } = {
  Pulling: [1, 'pull image'],
  Pulled: [1, 'pull image'],
  Created: [2, 'create container'],
  Started: [3, 'start container'],
  FailedPostStartHook: [4, 'postStart hook'],
};

/** "Event occurred": the event recorder's own line. It is written a moment after the event. */
export function kubeEvent(context: LineContext): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const { kind, reason, type, message, fieldPath } = Object.fromEntries(
    ['kind', 'reason', 'type', 'message', 'fieldPath'].map((key) => [key, text(fields[key])]),
  ) as { [key: string]: string };
  const whole = podName(fields.object);
  const slash = whole.indexOf('/');
  const name = text(fields.name) || whole.slice(slash + 1);
  const namespace = text(fields.namespace) || (slash < 0 ? '' : whole.slice(0, slash));
  if (!name || !kind || !reason || (type !== 'Normal' && type !== 'Warning')) return;
  const track = kind === 'Pod' ? process.tracks.current(`${namespace}/${name}`, line.at) : undefined;
  const uid = text(fields.uid) || (track?.uid ?? '');
  const container = /\{([^}]*)\}/.exec(fieldPath ?? '')?.[1] ?? containerInMessage(reason, message ?? '');
  const started = START_STEPS[reason];
  let cause = 0;
  if (track && started && container && track.start > 0 && track.startOf === container) cause = track.start;
  const seq = writer.write(
    {
      kind: 'kube-event',
      object: { kind, namespace, name, uid, fieldPath: fieldPath ?? '' },
      type,
      reason,
      message: message ?? '',
    },
    { cause },
  );
  if (!track) return;
  // At a low verbosity the event is all that the log has of a kill; calls report it with the grace period.
  if (reason === 'Killing' && container && !process.ahead.kills && !writer.seesCalls) {
    const why = killReasonIn(message ?? '');
    writer.write(
      { kind: 'kill', container, ...(why && { reason: why }), ...about(track) },
      {
        cause: track.killer || track.deadline || track.actions || track.method || track.work || track.moved,
        concluded: true,
      },
    );
  }
  if (started && container && reason !== 'Pulling') {
    const [n, step] = started;
    const how = inSync(context, track);
    // The line trails the step: if the next one has begun, it belongs to none.
    const here = cause > 0 ? how : { g: how.g, cause: seq };
    write(
      context,
      { kind: 'step', fn: 'startContainer', n, name: step, container, ...about(track) },
      { ...here, concluded: true },
    );
  }
  // Each status that is generated from then on reports it again.
  if (reason === 'DeadlineExceeded' && track.deadline === 0)
    track.deadline = writer.write(
      { kind: 'decision', rule: 'pastActiveDeadline', verdict: 'evict', values: {}, ...about(track) },
      { g: process.worker(writer, track), cause: seq, concluded: true },
    );
  // A pod that is not admitted gets this event, too; it is not evicted.
  if (reason === 'Evicted' && !track.denied) {
    const body: RecordBody = { kind: 'eviction', phase: 'evict', message: message ?? '', ...about(track) };
    // It decides the worker's next work.
    bounded(process.evicted, track.uid, writer.write(body, { cause: seq, concluded: true }), 200);
  }
}

/** Before 1.22 the line does not name its container; the words of some messages do. */
function containerInMessage(reason: string, message: string): string {
  const found = /^(?:Created|Started|Stopping) container (\S+)$/.exec(message)?.[1] ?? '';
  return reason === 'Created' || reason === 'Started' || reason === 'Killing' ? containerNameOf(found) : '';
}
