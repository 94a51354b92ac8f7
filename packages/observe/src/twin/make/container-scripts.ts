/** Makes `spec.lives`: how the containers of an observed run lived. */
import { GrpcCode } from '@syncloop/core/cri';
import type { Json, Micros } from '@syncloop/core/trace';
import {
  bareId,
  decoded,
  type JsonObject,
  numberOf,
  objectOf,
  objectsOf,
  sameJson,
  seconds,
  textOf,
} from '../base/json.js';
import { byPod } from './by-pod.js';
import { heldBack } from './kills.js';
import { deathsInEvents, HALF_RELIST } from './outages.js';
import { type Setting, shortName } from './pods.js';
import { periodOf } from './probes.js';
import type { SeenCall, SeenContainer, SeenStep } from './seen.js';
import { LONGEST_WAIT } from './write.js';

/** Numbers the containers of one pod's name and one name in the order of their creation, whatever their pods' UIDs. */
export function numberedContainers(setting: Setting): Map<SeenContainer, number> {
  const { seen } = setting;
  const order = new Map([...seen.pods.keys()].map((uid, i) => [uid, i]));
  const groups = new Map<string, SeenContainer[]>();
  for (const c of seen.containers.values()) {
    const pod = seen.pods.get(c.uid);
    if (!pod || c.name === '') continue;
    const key = `${pod.pod} ${c.name}`;
    const group = groups.get(key);
    if (group) group.push(c);
    else groups.set(key, [c]);
  }
  const numbers = new Map<SeenContainer, number>();
  for (const list of groups.values()) {
    const incarnation = ({ uid }: SeenContainer) => order.get(uid) ?? -1;
    list.sort(
      (a, b) =>
        incarnation(a) - incarnation(b) ||
        (a.createdAt !== undefined && b.createdAt !== undefined ? a.createdAt - b.createdAt : 0) ||
        (a.attempt !== null && b.attempt !== null ? a.attempt - b.attempt : 0) ||
        a.order - b.order,
    );
    let uid = '';
    let base = 0;
    let n = -1;
    for (const c of list) {
      if (c.uid !== uid) {
        base = n + 1;
        uid = c.uid;
        // Containers that ran before the twin begins are not made again.
        if (seen.pods.get(uid)?.there) base -= c.attempt ?? 0;
      }
      // A container that no source saw counts as well.
      n = Math.max(n + 1, base + (c.attempt ?? 0));
      numbers.set(c, n);
    }
  }
  return numbers;
}

export function lifeEntries(setting: Setting): JsonObject[] {
  const { seen } = setting;
  const entries: JsonObject[] = [];
  const numbers = numberedContainers(setting);
  for (const [c, attempt] of numbers) {
    const pod = seen.pods.get(c.uid)?.pod ?? '';
    const life = lifeOf(c, setting);
    entries.push({ pod: shortName(pod), container: c.name, attempt, ...life });
  }
  return entries.sort((a, b) => (textOf(a.pod) < textOf(b.pod) ? -1 : textOf(a.pod) > textOf(b.pod) ? 1 : 0));
}

function lifeOf(c: SeenContainer, setting: Setting): JsonObject {
  const stop = stopOf(c, setting);
  const began = beganAt(c, setting);
  const ended = endedAt(c, setting, began);
  const life: { [key: string]: Json | undefined } = {};
  if (ended !== null && began !== null) {
    const about = `${shortName(setting.seen.pods.get(c.uid)?.pod ?? '')} ${c.name}`;
    if (c.exitCode === undefined) setting.assumptions.assume('container.code', about);
    if (c.finishedAt === undefined) setting.assumptions.assume('container.end', about);
    const code = c.exitCode ?? 0;
    if (stop !== null && stop.at <= ended + 20_000) {
      const after = Math.max(0, ended - stop.at);
      const killed = code === 137 && stop.grace !== null && after > stop.grace * 1e6 - 300_000;
      life.stops = killed ? {} : { after: seconds(rounded(after)), ...(code !== 0 && { exits: code }) };
    } else if (ended - began <= LONGEST_WAIT) {
      // A container that runs longer outlives its twin.
      life.runs = seconds(Math.max(1000, rounded(ended - began)));
      if (c.reason === 'OOMKilled') life.oom = true;
      else if (code === 137) life.signal = 'KILL';
      else if (code === 139) life.signal = 'SEGV';
      else if (code !== 0) life.exits = code;
    }
  }
  if (c.message && !/^Back-off|^failed to/.test(c.message)) life.message = c.message;
  const probes = probesOf(c, setting, began);
  if (Object.keys(probes).length > 0) life.probes = probes as Json;
  const hooks = hooksOf(c, setting);
  if (Object.keys(hooks).length > 0) life.hooks = hooks as Json;
  return life;
}
const rounded = (micros: Micros): Micros => Math.round(micros / 1000) * 1000;

/** Calls about a container, in order. */
const callsOf = (c: SeenContainer, setting: Setting, method: string): SeenCall[] =>
  byPod(setting.seen)
    .callsOfContainer.of(c.id)
    .filter((call) => call.method === method);

/** From the twin's start to its first containers: what comes before is not re-enacted. */
const FIRST_START = 800_000;

/** Returns true if it ran before what is re-enacted begins: the twin creates it in its first seconds. */
export function ranBefore(c: SeenContainer, { seen }: Setting): boolean {
  const first = seen.processes[0];
  return (
    seen.pods.get(c.uid)?.there === true &&
    first !== undefined &&
    !byPod(seen)
      .callsOfContainer.of(c.id)
      .some((call) => call.method === 'CreateContainer') &&
    (c.ran === undefined || c.ran <= first.from + 2_500_000)
  );
}

/** Returns when its process began, by the clock of the records; for one that ran before, when the twin starts it. */
function beganAt(c: SeenContainer, setting: Setting): Micros | null {
  if (ranBefore(c, setting)) return FIRST_START - setting.toTwin(0);
  const start = callsOf(c, setting, 'StartContainer')[0];
  if (start) return start.time + (start.took ?? 0);
  const event = startedEvent(c, setting);
  if (event !== null) return event;
  // It ended before it was seen to run.
  return c.ran ?? (c.ended === undefined ? null : c.ended - 1_000_000);
}

/** The moment of its event "Started"; null if there is none that is its own. */
function startedEvent(c: SeenContainer, { seen }: Setting): Micros | null {
  const seenFirst = c.ran ?? c.ended;
  if (seenFirst === undefined) return null;
  let found: Micros | null = null;
  for (const { container, reason, time } of byPod(seen).events.of(c.uid))
    if (reason === 'Started' && container === c.name && time <= seenFirst) found = time;
  return found !== null && seenFirst - found < 5e6 ? found : null;
}

function endedAt(c: SeenContainer, setting: Setting, began: Micros | null): Micros | null {
  if (c.startedAt !== undefined && c.finishedAt !== undefined && began !== null && !ranBefore(c, setting))
    return began + (c.finishedAt - c.startedAt);
  const kill = killOf(c, setting);
  if (kill && kill.to !== null) return kill.to;
  if (c.ended === undefined) return null;
  // The PLEG looks once a second: half of that before, on average.
  const stop = callsOf(c, setting, 'StopContainer')[0];
  if (stop && stop.took !== null && stop.time + stop.took <= c.ended) return stop.time + stop.took;
  // A container that was stopped just before its end was seen ended for that reason.
  const stopped = kill && kill.time <= c.ended ? kill.time : 0;
  const least = Math.max(began ?? 0, c.ran ?? 0, stopped, c.ended - 1_000_000);
  return Math.round((least + c.ended) / 2);
}

/** Returns when the kubelet began to stop it, with the grace period in seconds; null: it did not. */
function stopOf(c: SeenContainer, setting: Setting): { readonly at: Micros; readonly grace: number | null } | null {
  const call = callsOf(c, setting, 'StopContainer')[0];
  if (call) return { at: call.time, grace: numberOf(call.request.timeout) ?? 0 };
  if (byPod(setting.seen).callsOfMethod.has('StartContainer')) return null;
  const kill = killOf(c, setting);
  if (kill) return { at: kill.time, grace: kill.grace };
  const ended = c.ended ?? Number.POSITIVE_INFINITY;
  const killing = byPod(setting.seen)
    .events.of(c.uid)
    .filter(
      ({ reason, container, time }) =>
        reason === 'Killing' && container === c.name && time <= ended && time >= (c.ran ?? 0),
    );
  const last = killing.at(-1);
  const began = beganAt(c, setting);
  if (!last && began !== null && hookError(c, setting) !== null) return { at: began + HOOK, grace: null };
  if (last) return { at: last.time, grace: null };
  return deletedBefore(c, setting) ?? sandboxDiedBefore(c, setting);
}

/** From the death of a sandbox to the kill of its containers at most: a relist, and a sync. */
const KILLED = 1_500_000;

/** Concludes from the runtime's events alone that the kubelet stopped it because its sandbox had died. */
function sandboxDiedBefore(
  c: SeenContainer,
  { seen }: Setting,
): { readonly at: Micros; readonly grace: number | null } | null {
  if (c.ended === undefined || seen.sources.has('log')) return null;
  const { ended, uid, ran = 0 } = c;
  const spec = objectOf(seen.pods.get(uid)?.objects.at(-1)?.object.spec);
  const grace = numberOf(spec.terminationGracePeriodSeconds) ?? 30;
  const death = deathsInEvents(seen).find(
    ({ pod, at }) => pod === seen.pods.get(uid)?.pod && at >= ran && at <= ended && ended - at <= grace * 1e6 + KILLED,
  );
  if (death === undefined) return null;
  // One that was killed had all of its grace period.
  const whole = c.exitCode === 137 && ended - death.at >= grace * 1e6;
  return { at: whole ? ended - grace * 1e6 : Math.min(ended, death.at + HALF_RELIST), grace };
}

/** Returns the kubelet's own step that stops it, from its log. */
const killOf = (c: SeenContainer, { seen }: Setting): SeenStep | undefined =>
  byPod(seen)
    .stepsOfContainer.of(c.id)
    .find(({ fn }) => fn === 'killContainer');

/** The assumed duration of a hook that only a list reports. */
const HOOK = 30_000;

/** Returns the error of the postStart hook from a list; null: none is reported. */
function hookError(c: SeenContainer, { seen }: Setting): string | null {
  for (const { object } of seen.pods.get(c.uid)?.objects ?? [])
    for (const status of objectsOf(objectOf(object.status).containerStatuses)) {
      const { reason, message } = objectOf(objectOf(status.state).waiting);
      if (status.name === c.name && reason === 'PostStartHookError' && textOf(status.containerID).endsWith(c.id))
        return textOf(message);
    }
  return null;
}

/** Concludes from lists alone that its pod was deleted before it ended. */
function deletedBefore(
  c: SeenContainer,
  { seen }: Setting,
): { readonly at: Micros; readonly grace: number | null } | null {
  const pod = seen.pods.get(c.uid);
  if (!pod || c.ended === undefined || pod.ops.length > 0) return null;
  const marked = pod.objects.find(({ object }) => objectOf(object.metadata).deletionTimestamp !== undefined);
  const at = marked?.time ?? pod.unlisted;
  return at !== null && at !== undefined && at <= c.ended + 300_000 ? { at: Math.min(at, c.ended), grace: null } : null;
}

const RESULTS = { success: 'success', warning: 'success', failure: 'failure', unknown: 'error' } as const;
interface Outcome {
  readonly result: string;
  readonly output?: string;
  readonly took?: string;
  readonly code?: number;
  /** The age of the container's process from which on the result holds, microseconds. */
  readonly from: Micros;
}

function probesOf(c: SeenContainer, setting: Setting, began: Micros | null): { [type: string]: unknown } {
  const { seen } = setting;
  const from = began ?? 0;
  const to = c.ended ?? seen.end + 1;
  const spec = specOf(c, setting);
  const out: { [type: string]: unknown } = {};
  for (const type of ['startup', 'readiness', 'liveness'] as const) {
    const results = byPod(seen)
      .probes.of(c.uid)
      .filter((p) => p.container === c.name && p.probeType === type && p.time >= from && p.time <= to);
    const probe = objectOf(spec[`${type}Probe`]);
    const calls = execsOf(c, setting, objectOf(probe.exec));
    // A result that the kubelet received in time must not time out in the twin, however long the socket took.
    const most = (numberOf(probe.timeoutSeconds) ?? 1) * 1e6 - 50_000;
    const usual = middle(calls.flatMap((call) => (call.took === null || call.error ? [] : [call.took])));
    const took = usual === null ? null : Math.min(usual, most);
    const list: Outcome[] = [];
    let before = from;
    const add = (result: string, output: string, time: Micros) => {
      const last = list.at(-1);
      const now: Outcome = {
        result,
        ...(output !== '' && result !== 'success' && { output }),
        ...(took !== null && { took: seconds(rounded(took)) }),
        // The result changed at some time since the probe before.
        from: last ? Math.round((before + time) / 2) - from : 0,
      };
      if (!last || last.result !== result || last.output !== now.output) list.push(now);
      before = time;
    };
    const listed = Object.keys(spec).length > 0;
    const period = listed ? (numberOf(probe.periodSeconds) ?? 10) * 1e6 : periodOf(c.uid, c.name, type, seen);
    const successes = results.some(({ outcome }) => outcome === 'success');
    for (const p of results) {
      // Below -v=3 only failures are logged: between them the probe succeeded. It also succeeded if it ran before the
      // log begins.
      const silent = !successes || (p === results[0] && ranBefore(c, setting));
      if (silent && p.time - before > period * 1.5) {
        add('success', '', before + period);
        before = p.time - period;
      }
      const timedOut = /timed out|deadline exceeded/i.test(p.output) && p.outcome !== 'success';
      add(timedOut ? 'hang' : RESULTS[p.outcome], timedOut ? '' : p.output, p.time);
    }
    if (results.length > 0 && !successes && to - before > period * 1.5) add('success', '', before + period);
    if (results.length === 0)
      for (const call of calls) {
        if (call.error)
          add(call.error.code === GrpcCode.DeadlineExceeded ? 'hang' : 'error', call.error.details, call.time);
        else {
          const text = decoded(call.response?.stdout) + decoded(call.response?.stderr);
          add((numberOf(call.response?.exitCode) ?? 0) === 0 ? 'success' : 'failure', text, call.time);
        }
      }
    if (results.length === 0 && calls.length === 0 && probe.exec !== undefined) {
      const threshold = (key: string, usual: number) => (numberOf(probe[key]) ?? usual) * period;
      for (const { passed, time } of answersInStatuses(c, type, setting)) {
        // A status shows an answer once it came as often as the threshold says, and a new container has failed so far.
        const often = passed ? threshold('successThreshold', 1) : threshold('failureThreshold', 3);
        before = Math.max(before, time - 2 * often + period);
        if (list.length > 0 || passed || time - from > period) add(passed ? 'success' : 'failure', '', time);
      }
    }
    if (list.length === 0) continue;
    if (list.length === 1 && list[0]?.result === 'success' && took === null) continue;
    out[type] = list.map(({ from: age, ...rest }) => ({
      ...rest,
      ...(list.length > 1 && { from: seconds(rounded(age)) }),
    }));
  }
  return out;
}

/** The answers of a probe as the pod's statuses show them while the container runs, each time they changed. */
function answersInStatuses(
  c: SeenContainer,
  type: 'startup' | 'readiness' | 'liveness',
  { seen }: Setting,
): { readonly passed: boolean; readonly time: Micros }[] {
  if (type === 'liveness') return [];
  const found: { readonly passed: boolean; readonly time: Micros }[] = [];
  for (const { time, object } of seen.pods.get(c.uid)?.objects ?? []) {
    const status = objectOf(object.status);
    const own = [...objectsOf(status.initContainerStatuses), ...objectsOf(status.containerStatuses)].find(
      ({ containerID, state }) => bareId(textOf(containerID)) === c.id && objectOf(state).running !== undefined,
    );
    // A container is not ready before it has started.
    if (!own || (type === 'readiness' && own.started === false)) continue;
    const passed = (type === 'readiness' ? own.ready : own.started) === true;
    if (found.at(-1)?.passed !== passed) found.push({ passed, time });
  }
  return found;
}

function hooksOf(c: SeenContainer, setting: Setting): { [hook: string]: unknown } {
  const lifecycle = objectOf(specOf(c, setting).lifecycle);
  const about = byPod(setting.seen);
  const out: { [hook: string]: unknown } = {};
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = objectOf(lifecycle[hook]);
    const [call] = execsOf(c, setting, objectOf(handler.exec));
    const word = hook === 'postStart' ? 'FailedPostStartHook' : 'FailedPreStopHook';
    const listed = hook === 'postStart' ? hookError(c, setting) : null;
    const failed = about.events.of(c.uid).find(({ reason, container }) => reason === word && container === c.name);
    const step = about
      .stepsAbout(c)
      .find(
        ({ fn, containerID, uid, container, time }) =>
          fn === (hook === 'preStop' ? 'executePreStopHook' : 'executePostStartHook') &&
          (containerID ? containerID === c.id : uid === c.uid && container === c.name && time <= (c.ended ?? time)),
      );
    if (call?.took !== null && call !== undefined) {
      const code = numberOf(call.response?.exitCode) ?? 0;
      const took = seconds(rounded(call.took));
      if (call.error)
        out[hook] = {
          result: call.error.code === GrpcCode.DeadlineExceeded ? 'hang' : 'error',
          output: call.error.details,
          took,
        };
      else if (code !== 0)
        out[hook] = {
          result: 'failure',
          code,
          took,
          output: decoded(call.response?.stdout) + decoded(call.response?.stderr),
        };
      else out[hook] = { result: 'success', took };
    } else if (failed) {
      const code = /exited with (\d+)/.exec(failed.message)?.[1];
      out[hook] = { result: 'failure', ...(code !== undefined && { code: Number(code) }) };
    } else if (listed !== null) {
      const code = /exited with (\d+)/.exec(listed)?.[1];
      const took = HOOK;
      out[hook] = { result: 'failure', took: seconds(took), ...(code !== undefined && { code: Number(code) }) };
    } else if (step && step.to !== null) {
      out[hook] = { result: 'success', took: seconds(rounded(Math.max(1000, step.to - step.time))) };
    } else if (hook === 'preStop') {
      const held = heldBack(c.uid, setting.seen).find(({ by, step: one }) => by === 'hook' && one.containerID === c.id);
      if (held) out[hook] = { result: 'success', took: seconds(rounded(held.for)) };
    }
  }
  return out;
}

function execsOf(c: SeenContainer, setting: Setting, exec: JsonObject): SeenCall[] {
  if (!Array.isArray(exec.command)) return [];
  return callsOf(c, setting, 'ExecSync').filter(({ request }) => sameJson(request.cmd, exec.command));
}

/** Returns the container in the pod's specification, if a list shows it. */
function specOf(c: SeenContainer, { seen }: Setting): JsonObject {
  const spec = objectOf(seen.pods.get(c.uid)?.objects.at(-1)?.object.spec);
  const all = [...objectsOf(spec.initContainers), ...objectsOf(spec.containers)];
  return all.find(({ name }) => name === c.name) ?? {};
}

function middle(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

export { middle };
