/** How long the calls to the runtime took, and how they failed, as `spec.calls` says it. */
import { GrpcCode } from '../../cri/index.js';
import type { Micros } from '../../trace/index.js';
import { type JsonObject, objectOf, textOf } from './json.js';
import { middle, ranBefore } from './lives.js';
import { cutOff } from './outages.js';
import { type Setting, shortName } from './pods.js';
import { isOutage, type SeenCall } from './seen.js';
import { seconds } from './write.js';

/** By what an entry of a method is told apart. */
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
/** Methods that only look: one entry for each, the middle of what was seen. */
const LOOKS = ['ListPodSandbox', 'ListContainers', 'PodSandboxStatus', 'ContainerStatus', 'ImageStatus'] as const;

/** How much longer a call goes on that the end of the kubelet cut off. */
const CUT = 10e6;

export function callEntries(setting: Setting): JsonObject[] {
  const { seen } = setting;
  const calls = seen.calls.filter(({ method }) => Object.hasOwn(BY, method));
  if (!calls.some(({ error }) => !error) && !seen.events.some(({ reason }) => reason === 'Started'))
    setting.assumptions.assume('calls.took');
  const counts = new Map<string, number>();
  const entries: JsonObject[] = [];
  for (const call of calls) {
    const whose = whoseOf(call, setting);
    if (!whose) continue;
    const cut = cutOff(setting, call);
    if (isOutage(call) && !cut) continue;
    const key = JSON.stringify([call.method, whose]);
    const attempt = counts.get(key) ?? madeBefore(call.method, whose, setting);
    counts.set(key, attempt + 1);
    entries.push({
      method: call.method,
      ...whose,
      attempt,
      ...(cut ? { took: seconds(ms((call.took ?? 0) + CUT)) } : call.took !== null && { took: seconds(ms(call.took)) }),
      ...(!cut && errorOf(call)),
    });
  }
  if (!calls.some(({ error }) => !error)) entries.push(...ofEvents(setting));
  for (const method of LOOKS) {
    const took = middle(
      seen.calls.flatMap((c) => (c.method === method && c.took !== null && !c.error ? [c.took] : [])),
    );
    if (took !== null) entries.push({ method, took: seconds(ms(took)) });
  }
  return entries;
}
/** Sources have whole milliseconds at best. */
const ms = (micros: Micros): Micros => Math.max(500, Math.round(micros / 500) * 500);

/** Calls by which the twin makes what ran before. */
function madeBefore(method: string, whose: JsonObject, setting: Setting): number {
  const { seen } = setting;
  if (!['RunPodSandbox', 'CreateContainer', 'StartContainer'].includes(method)) return 0;
  for (const c of seen.containers.values()) {
    const pod = seen.pods.get(c.uid)?.pod;
    if (!pod || shortName(pod) !== whose.pod || (whose.container !== undefined && whose.container !== c.name)) continue;
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

/** Without a socket the events of a container's start, one after the other, tell how long its calls took. */
function ofEvents({ seen }: Setting): JsonObject[] {
  const entries: JsonObject[] = [];
  const counts = new Map<string, number>();
  const add = (method: string, whose: JsonObject, took: Micros) => {
    const key = JSON.stringify([method, whose]);
    const attempt = counts.get(key) ?? 0;
    counts.set(key, attempt + 1);
    entries.push({ method, ...whose, attempt, took: seconds(ms(took)) });
  };
  const last = new Map<string, Micros>();
  for (const { uid, container, reason, time } of seen.events) {
    const pod = seen.pods.get(uid)?.pod;
    if (!pod || !container) continue;
    const whose = { pod: shortName(pod), container };
    const key = `${uid} ${container}`;
    const before = last.get(key);
    if (reason === 'Created' && before !== undefined) add('CreateContainer', whose, time - before);
    if (reason === 'Started' && before !== undefined) add('StartContainer', whose, time - before);
    if (reason === 'Pulled' || reason === 'Created') last.set(key, time);
    else last.delete(key);
  }
  const open = new Map<number, { readonly pod: string; readonly time: Micros }>();
  for (const r of seen.records) {
    if (r.kind === 'enter' && r.fn === 'createPodSandbox') {
      const pod = textOf(objectOf(r.args).pod);
      if (pod) open.set(r.seq, { pod, time: r.time });
    } else if (r.kind === 'exit' && r.fn === 'createPodSandbox') {
      const found = open.get(r.of);
      if (found) add('RunPodSandbox', { pod: shortName(found.pod) }, r.time - found.time);
    }
  }
  return entries;
}
