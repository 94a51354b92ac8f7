/** Reads facts from the other sources of a capture: spans, the runtime's events, statuses, counters. */
import { type Capture, readFileOf, readLinesOf } from './capture.js';
import type { Fact, Facts } from './facts.js';

type Values = { readonly [key: string]: unknown };
const object = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {});
const list = (value: unknown): readonly Values[] => (Array.isArray(value) ? (value as Values[]) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const bare = (id: unknown): string => text(id).replace(/^\w+:\/\//, '');

const SYNCS: ReadonlySet<string> = new Set(['syncPod', 'syncTerminatingPod', 'syncTerminatedPod']);
const CALLS = ['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer'] as const;

/** The fields of a protobuf message: number, and bytes or a number. */
function* fieldsOf(bytes: Buffer): Generator<readonly [number, Buffer | bigint]> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; at < bytes.length; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    if (wire === 0) yield [key >> 3, varint()];
    else if (wire === 1) {
      yield [key >> 3, bytes.readBigUInt64LE(at)];
      at += 8;
    } else if (wire === 5) at += 4;
    else {
      const length = Number(varint());
      yield [key >> 3, bytes.subarray(at, at + length)];
      at += length;
    }
  }
}
const inner = (bytes: Buffer, field: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap(([n, value]) => (n === field && typeof value !== 'bigint' ? [value] : []));

/** Name, start (ms since 1970) and pod of each span of an ExportTraceServiceRequest. */
function spansOf(request: Buffer): { name: string; at: number; end: number; uid: string; failed: boolean }[] {
  const spans = inner(request, 1)
    .flatMap((resource) => inner(resource, 2))
    .flatMap((scope) => inner(scope, 2));
  return spans.map((span) => {
    const times = [...fieldsOf(span)];
    const time = (field: number): number => {
      const found = times.find(([n]) => n === field)?.[1];
      return typeof found === 'bigint' ? Number(found / 1000n) / 1000 : 0;
    };
    const status = inner(span, 15)[0];
    const uid = inner(span, 9).find((attribute) => inner(attribute, 1)[0]?.toString() === 'k8s.pod.uid');
    const value = uid && inner(uid, 2)[0];
    return {
      name: inner(span, 5)[0]?.toString() ?? '',
      at: time(7),
      end: time(8),
      failed: status !== undefined && [...fieldsOf(status)].some(([n, value]) => n === 3 && value === 2n),
      uid: value ? (inner(value, 1)[0]?.toString() ?? '') : '',
    };
  });
}

/** Worker syncs and calls that change something. Empty if the kubelet exported none. */
async function ofSpans(capture: Capture): Promise<Facts> {
  const lines = await readLinesOf(capture, 'otlp.ndjson');
  const syncs: Fact[] = [];
  const calls: { [K in (typeof CALLS)[number]]: Fact[] } = {
    RunPodSandbox: [],
    CreateContainer: [],
    StartContainer: [],
    StopContainer: [],
  };
  for (const line of lines)
    for (const span of spansOf(Buffer.from(text(line.b64), 'base64'))) {
      if (SYNCS.has(span.name) && span.uid !== '') syncs.push({ key: `${span.name} ${span.uid}`, at: span.at });
      const call = CALLS.find((method) => span.name.endsWith(`/${method}`));
      if (call) calls[call].push({ key: call, at: span.at, until: span.end });
    }
  return { ...(syncs.length > 0 && { 'worker syncs': syncs }), ...(lines.length > 0 && calls) };
}

/** Sandboxes, containers, names and codes, as the runtime reported them. */
async function ofEvents(capture: Capture): Promise<Facts> {
  const lines = await readLinesOf(capture, 'container-events.ndjson');
  if (lines.length === 0) return {};
  const sandboxes = new Set<string>();
  const ran = new Set<string>();
  const ended = new Set<string>();
  const names = new Set<string>();
  for (const line of lines) {
    const event = object(line.event);
    const sandbox = text(object(event.podSandboxStatus).id);
    for (const status of list(event.containersStatuses)) {
      const id = text(status.id);
      names.add(`${id} ${text(object(status.metadata).name)}`);
      if (status.state === 'CONTAINER_RUNNING' || status.state === 'CONTAINER_EXITED') ran.add(id);
      if (status.state === 'CONTAINER_EXITED') ended.add(`${id} ${Number(status.exitCode ?? 0)}`);
    }
    const id = text(event.containerId);
    if (event.containerEventType === 'CONTAINER_STARTED_EVENT') (id === sandbox ? sandboxes : ran).add(id);
  }
  return {
    sandboxes: facts(sandboxes),
    'containers that ran': facts(ran),
    'containers that ended, with code': facts(ended),
    'names of containers': facts(names),
  };
}
const facts = (keys: Iterable<string>): Fact[] => [...keys].map((key) => ({ key }));

/**
 * The times at which the runtime started and stopped containers, with the PLEG's event types. Below `-v=4` the log does
 * not report events of pods that are gone: conclusions from calls about them are compared with this.
 */
export async function runtimeEventsOf(capture: Capture): Promise<Fact[]> {
  const lines = await readLinesOf(capture, 'container-events.ndjson');
  return lines.flatMap((line) => {
    const event = object(line.event);
    const uid = text(object(object(event.podSandboxStatus).metadata).uid);
    const type = { CONTAINER_STARTED_EVENT: 'ContainerStarted', CONTAINER_STOPPED_EVENT: 'ContainerDied' }[
      text(event.containerEventType)
    ];
    return type
      ? [{ key: `${type} ${uid} ${text(event.containerId)}`, at: (capture.startedMillis ?? 0) + Number(line.at) }]
      : [];
  });
}

/** Calls as the runtime's events confirm them: a kubelet that is stopped loses its last spans. */
export async function confirmedCallsOf(capture: Capture): Promise<Fact[]> {
  const lines = await readLinesOf(capture, 'container-events.ndjson');
  return lines.flatMap((line) => {
    const event = object(line.event);
    const sandbox = text(event.containerId) === text(object(event.podSandboxStatus).id);
    const key = {
      CONTAINER_CREATED_EVENT: sandbox ? 'RunPodSandbox' : 'CreateContainer',
      CONTAINER_STARTED_EVENT: sandbox ? 'RunPodSandbox' : 'StartContainer',
      CONTAINER_STOPPED_EVENT: sandbox ? 'StopPodSandbox' : 'StopContainer',
    }[text(event.containerEventType) || 'CONTAINER_CREATED_EVENT'];
    return key ? [{ key, at: (capture.startedMillis ?? 0) + Number(line.at) }] : [];
  });
}

/**
 * Syncs and calls whose spans have an error. The kubelet's log leaves out a failure that is the same again within
 * minutes.
 */
export async function failedSpansOf(capture: Capture): Promise<Fact[]> {
  const lines = await readLinesOf(capture, 'otlp.ndjson');
  return lines.flatMap((line) =>
    spansOf(Buffer.from(text(line.b64), 'base64')).flatMap(({ name, end, failed }) => {
      const method = /^runtime\.v1\w*\.\w+Service\/(\w+)$/.exec(name)?.[1] ?? name;
      return failed ? [{ key: method, at: end }] : [];
    }),
  );
}

/** Phases and restarts as `/pods` and the recording of the run have them. */
async function ofStatuses(capture: Capture): Promise<Facts> {
  const snapshots: Values[] = [];
  const truth = await readFileOf(capture, 'truth.json');
  if (truth)
    for (const entry of list(object(JSON.parse(Buffer.from(truth).toString())).status))
      snapshots.push(...list(entry.pods));
  for (const line of await readLinesOf(capture, 'pods.ndjson')) {
    const pods = Array.isArray(line.pods) ? line.pods : list(object(line.pods).items ?? object(line.list).items);
    for (const pod of list(pods)) {
      const { name, uid } = object(pod.metadata);
      snapshots.push({ name, uid, status: pod.status });
    }
  }
  if (snapshots.length === 0) return {};
  const phases = new Set<string>();
  const restarts = new Map<string, number>();
  const ids = new Map<string, Set<string>>();
  const names = new Set<string>();
  const ended = new Set<string>();
  for (const pod of snapshots) {
    const status = object(pod.status);
    if (text(status.phase) !== '') phases.add(`${text(pod.uid)} ${text(status.phase)}`);
    for (const key of ['containerStatuses', 'initContainerStatuses'])
      for (const one of list(status[key])) {
        const name = `${text(pod.uid)} ${text(one.name)}`;
        const id = bare(one.containerID);
        const had = ids.get(name) ?? new Set();
        ids.set(name, had);
        if (id !== '') {
          names.add(`${id} ${text(one.name)}`);
          had.add(id);
        }
        // An init container that runs again in another sandbox keeps its count.
        restarts.set(name, Math.max(restarts.get(name) ?? 0, Number(one.restartCount ?? 0), had.size - 1));
        for (const state of [one.state, one.lastState]) {
          const terminated = object(object(state).terminated);
          const last = bare(terminated.containerID);
          if (last !== '') ended.add(`${last} ${Number(terminated.exitCode ?? 0)}`);
        }
      }
  }
  const all: Fact[] = [];
  for (const [name, n] of restarts) for (let i = 0; i < n; i++) all.push({ key: `${name}` });
  return {
    'phases of pods': facts(phases),
    restarts: all,
    'names of containers': facts(names),
    'containers that ended, with code': facts(ended),
  };
}

/** Returns the facts of all other sources; one that two of them report counts once. */
export async function truthOfOthers(capture: Capture): Promise<Facts> {
  const [spans, events, statuses] = await Promise.all([ofSpans(capture), ofEvents(capture), ofStatuses(capture)]);
  const together: Facts = { ...statuses, ...events, ...spans };
  // Statuses do not have each container, nor each end: without the runtime's events they are not the truth about these.
  for (const kind of ['names of containers', 'containers that ended, with code'] as const) {
    if (events[kind])
      together[kind] = facts(new Set([...events[kind], ...(statuses[kind] ?? [])].map(({ key }) => key)));
    else delete together[kind];
  }
  return together;
}
