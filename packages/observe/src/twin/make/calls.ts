/** Makes `spec.calls`: how long the calls to the runtime took, and how they failed. */
import { parseDuration } from '@syncloop/core/base';
import { GrpcCode } from '@syncloop/core/cri';
import type { Micros } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf, seconds, textOf } from '../base/json.js';
import { byPod } from './by-pod.js';
import { middle, ranBefore } from './container-scripts.js';
import { cutOff, runtimeAway } from './outages.js';
import { type Setting, shortName } from './pods.js';
import { isOutage, type SeenCall, type SeenPod } from './seen.js';

/** The key that identifies an entry of a method. */
const BY = {
  RunPodSandbox: 'pod',
  StopPodSandbox: 'pod',
  RemovePodSandbox: 'pod',
  CreateContainer: 'container',
  StartContainer: 'container',
  StopContainer: 'container',
  RemoveContainer: 'container',
  UpdateContainerResources: 'container',
  PullImage: 'image',
} as const satisfies { readonly [method: string]: 'pod' | 'container' | 'image' };
/** Methods that only look: one entry for each, with the median of the observed times. */
const LOOKS = ['ListPodSandbox', 'ListContainers', 'PodSandboxStatus', 'ContainerStatus', 'ImageStatus'] as const;

/** The time that is added to a call that the end of the kubelet cut off. */
const CUT = 10e6;

export function callEntries(setting: Setting): JsonObject[] {
  const { seen } = setting;
  const calls = seen.calls.filter(({ method }) => Object.hasOwn(BY, method));
  if (!calls.some(({ error }) => !error) && !seen.events.some(({ reason }) => reason === 'Started'))
    setting.assumptions.assume('calls.took');
  const counts = new Map<string, number>();
  const entries: JsonObject[] = [];
  const away = runtimeAway(setting);
  for (const call of calls) {
    const whose = whoseOf(call, setting);
    if (!whose) continue;
    const cut = cutOff(setting, call);
    const end = call.time + (call.took ?? 0);
    if (isOutage(call) && !cut && away.some(({ from, to }) => end >= from && end <= to)) continue;
    const key = JSON.stringify([call.method, whose]);
    const attempt = counts.get(key) ?? madeBefore(call.method, whose, setting);
    counts.set(key, attempt + 1);
    // Our kubelet's loop begins at once: what a real one had done by then is done by then, too.
    if (beforeLoop(call, setting)) {
      entries.push({ method: call.method, ...whose, attempt, took: seconds(SHORTEST), ...errorOf(call) });
      continue;
    }
    // A call without an answer stays unanswered as long as it was observed.
    if (call.took === null && !call.error) continue;
    entries.push({
      method: call.method,
      ...whose,
      attempt,
      ...(cut ? { took: seconds(ms((call.took ?? 0) + CUT)) } : call.took !== null && { took: seconds(ms(call.took)) }),
      ...(!cut && errorOf(call)),
    });
  }
  if (!calls.some(({ error }) => !error)) entries.push(...withoutSocket(setting));
  for (const method of LOOKS) {
    const took = middle(
      seen.calls.flatMap((c) => (c.method === method && c.took !== null && !c.error ? [c.took] : [])),
    );
    if (took !== null) entries.push({ method, took: seconds(ms(took)) });
  }
  return entries;
}
/** The shortest duration that a scenario can have. */
const SHORTEST = 1;

/** True if garbage collection at a kubelet's start made it, and had the answer before the first relist. */
function beforeLoop({ method, time, took }: SeenCall, { seen }: Setting): boolean {
  if (!method.startsWith('Remove')) return false;
  const process = seen.processes[byPod(seen).processAt(time)];
  const first = process?.relists[0] ?? process?.loop ?? null;
  return took !== null && first !== null && process?.before === false && time + took < first;
}
/** Sources have whole milliseconds at best. */
const ms = (micros: Micros): Micros => Math.max(500, Math.round(micros / 500) * 500);

/** Counts the calls by which the twin creates what ran before. */
function madeBefore(method: string, whose: JsonObject, setting: Setting): number {
  const { seen } = setting;
  if (!['RunPodSandbox', 'CreateContainer', 'StartContainer'].includes(method)) return 0;
  for (const c of byPod(seen).containersOfName.of(textOf(whose.pod))) {
    if (whose.container !== undefined && whose.container !== c.name) continue;
    if (ranBefore(c, setting)) return 1;
  }
  return 0;
}

function whoseOf(call: SeenCall, { seen }: Setting): JsonObject | null {
  const by = BY[call.method as keyof typeof BY];
  if (by === 'image') {
    const image = textOf(objectOf(call.request.image).image);
    return image ? { image } : null;
  }
  const container = seen.containers.get(call.container);
  const uid = call.uid || container?.uid || seen.sandboxes.get(call.sandbox)?.uid || '';
  const pod = seen.pods.get(uid)?.pod;
  if (!pod) return null;
  if (by === 'pod') return { pod: shortName(pod) };
  const name = container?.name || textOf(objectOf(objectOf(call.request.config).metadata).name);
  return name ? { pod: shortName(pod), container: name } : null;
}

function errorOf({ error }: SeenCall): JsonObject {
  if (!error) return {};
  const code = Object.entries(GrpcCode).find(([, value]) => value === error.code)?.[0] ?? 'Unknown';
  return { error: { code, message: error.details } };
}

/** A call that no socket reports: its subject, its end, and its result. */
interface CallWithoutSocket {
  readonly method: string;
  readonly whose: JsonObject;
  readonly time: Micros;
  /** Null if unknown. */
  readonly took: Micros | null;
  readonly error?: JsonObject;
}

/**
 * Without a socket: the events of a container's start tell how long its calls took, errors of syncs how they failed.
 */
function withoutSocket(setting: Setting): JsonObject[] {
  const bySyncs = setting.seen.records.some(({ kind }) => kind === 'work-done');
  const errors = bySyncs ? ofErrors(setting) : ofStatuses(setting);
  const found = [...ofEvents(setting), ...ofSandboxes(setting), ...errors].sort((a, b) => a.time - b.time);
  const counts = new Map<string, number>();
  return found.flatMap(({ method, whose, took, error }) => {
    const key = JSON.stringify([method, whose]);
    const attempt = counts.get(key) ?? madeBefore(method, whose, setting);
    counts.set(key, attempt + 1);
    if (took === null && !error) return [];
    return [{ method, ...whose, attempt, ...(took !== null && { took: seconds(ms(took)) }), ...(error && { error }) }];
  });
}

function ofEvents({ seen }: Setting): CallWithoutSocket[] {
  const out: CallWithoutSocket[] = [];
  const last = new Map<string, Micros>();
  const withEvents = new Set<string>();
  for (const { uid, container, reason, message, time } of seen.events) {
    const pod = seen.pods.get(uid)?.pod;
    if (!pod || container === '') continue;
    const whose = { pod: shortName(pod), container };
    const key = `${uid} ${container}`;
    const before = last.get(key);
    if (reason === 'Created') {
      withEvents.add(key);
      out.push({ method: 'CreateContainer', whose, time, took: before === undefined ? null : time - before });
    }
    if (reason === 'Started')
      out.push({ method: 'StartContainer', whose, time, took: before === undefined ? null : time - before });
    const pulled = /^Successfully pulled image "([^"]+)" in ([\d.a-zµ]+)/.exec(message);
    if (reason === 'Pulled' && pulled) {
      const took = parseDuration(pulled[2] as string);
      out.push({ method: 'PullImage', whose: { image: pulled[1] as string }, time, took });
    }
    if (reason === 'Pulled' || reason === 'Created') last.set(key, time);
    else last.delete(key);
  }
  // Below -v=3 there are no events: but containers that were there had been created.
  for (const c of seen.containers.values()) {
    const pod = seen.pods.get(c.uid)?.pod;
    const time = c.ran ?? c.ended;
    if (!pod || time === undefined || withEvents.has(`${c.uid} ${c.name}`)) continue;
    for (const method of ['CreateContainer', 'StartContainer'])
      out.push({ method, whose: { pod: shortName(pod), container: c.name }, time, took: null });
  }
  return out;
}

function ofSandboxes({ seen }: Setting): CallWithoutSocket[] {
  const out: CallWithoutSocket[] = [];
  const open = new Map<number, { readonly pod: string; readonly time: Micros }>();
  for (const r of seen.records) {
    if (r.kind === 'enter' && r.fn === 'createPodSandbox') {
      const { pod, uid } = objectOf(r.args);
      if (textOf(pod) && seen.pods.has(textOf(uid))) open.set(r.seq, { pod: textOf(pod), time: r.time });
    } else if (r.kind === 'exit' && r.fn === 'createPodSandbox') {
      const found = open.get(r.of);
      if (!found) continue;
      open.delete(r.of);
      const error = r.error === undefined ? {} : { error: errorIn(r.error) };
      const whose = { pod: shortName(found.pod) };
      out.push({ method: 'RunPodSandbox', whose, time: r.time, took: r.time - found.time, ...error });
    }
  }
  return out;
}

/** Methods by the reason that a failed sync gives. */
const METHODS: { readonly [reason: string]: string } = {
  CreateContainerError: 'CreateContainer',
  RunContainerError: 'StartContainer',
  ErrImagePull: 'PullImage',
  KillContainerError: 'StopContainer',
  KillPodSandboxError: 'StopPodSandbox',
};

/** failed to "StartContainer" for "app" with RunContainerError: "failed to ..." */
function ofErrors(setting: Setting): CallWithoutSocket[] {
  const { seen } = setting;
  const out: CallWithoutSocket[] = [];
  for (const r of seen.records) {
    const pod = r.kind === 'work-done' ? seen.pods.get(r.uid) : undefined;
    if (r.kind !== 'work-done' || r.error === undefined || !pod) continue;
    for (const [, target, reason, quoted] of r.error.matchAll(
      /failed to "\w+" for "([^"]+)" with (\w+): ("(?:[^"\\]|\\.)*")/g,
    )) {
      const method = METHODS[reason as string];
      if (!method) continue;
      out.push(...failure(method, pod, target as string, r.time, unquoted(quoted as string), setting));
    }
  }
  return out;
}

function imageOf(pod: SeenPod, container: string, { seen }: Setting): string {
  const spec = objectOf(pod.objects[0]?.object.spec);
  const all = [...objectsOf(spec.initContainers), ...objectsOf(spec.containers)];
  const listed = textOf(all.find(({ name }) => name === container)?.image);
  if (listed) return listed;
  for (const { container: of, message } of byPod(seen).events.of(pod.uid)) {
    const image = of === container ? /image "([^"]+)"/.exec(message)?.[1] : undefined;
    if (image) return image;
  }
  return '';
}

/** Concludes failures from lists alone: each time that a container waits for such a reason, a call has failed. */
function ofStatuses(setting: Setting): CallWithoutSocket[] {
  const out: CallWithoutSocket[] = [];
  for (const pod of setting.seen.pods.values()) {
    const before = new Map<string, string>();
    for (const { object, time } of pod.objects) {
      const status = objectOf(object.status);
      for (const c of [...objectsOf(status.initContainerStatuses), ...objectsOf(status.containerStatuses)]) {
        const container = textOf(c.name);
        const waiting = objectOf(objectOf(c.state).waiting);
        const reason = textOf(waiting.reason);
        if (before.get(container) === reason) continue;
        before.set(container, reason);
        const method = METHODS[reason];
        if (method) out.push(...failure(method, pod, container, time, textOf(waiting.message), setting));
      }
    }
  }
  return out;
}

function failure(
  method: string,
  pod: SeenPod,
  container: string,
  time: Micros,
  text: string,
  setting: Setting,
): CallWithoutSocket[] {
  const error = errorIn(text);
  if (method !== 'PullImage') {
    const whose = { pod: shortName(pod.pod), ...(method !== 'StopPodSandbox' && { container }) };
    return [{ method, whose, time, took: null, error }];
  }
  const image = imageOf(pod, container, setting);
  return image ? [{ method, whose: { image }, time, took: null, error }] : [];
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** Returns the error in "rpc error: code = NotFound desc = ..."; for some errors the kubelet reports only the text. */
function errorIn(text: string): JsonObject {
  const found = /rpc error: code = (\w+) desc = (.*)$/s.exec(text);
  const code = found && Object.hasOwn(GrpcCode, found[1] as string) ? (found[1] as string) : 'Unknown';
  return { code, message: found ? (found[2] as string) : text };
}
