/** Makes outages: of the kubelet's process, the runtime, the API server; and sandboxes that died. */
import { countBefore } from '@syncloop/core/base';
import type { Json, Micros } from '@syncloop/core/trace';
import { objectOf, objectsOf, textOf } from '../base/json.js';
import { byPod, firstAfter } from './by-pod.js';
import { because, type Setting, shortName } from './pods.js';
import { isOutage, type Seen, type SeenCall, type SeenPod } from './seen.js';
import type { TimedStep } from './write.js';

/** Failures that are further apart belong to two outages. */
const APART = 15e6;

export function outageSteps(setting: Setting): TimedStep[] {
  return [
    ...processSteps(setting),
    ...runtimeSteps(setting),
    ...networkSteps(setting),
    ...shutdownSteps(setting),
    ...apiSteps(setting),
    ...sandboxSteps(setting),
  ];
}

function processSteps(setting: Setting): TimedStep[] {
  const { seen, starts, toTwin } = setting;
  const first = seen.processes[0];
  const steps: TimedStep[] = [];
  if (first) steps.push({ at: 0, do: { startKubelet: {} }, why: because(setting, first.from, 'the kubelet starts') });
  for (const [i, process] of seen.processes.entries()) {
    const next = seen.processes[i + 1];
    const to = process.to;
    if (to === null) continue;
    // A process ends without logging it: it was alive at its last line or call.
    const lastLine = byPod(seen).lastSignBefore(next?.from ?? to + 1);
    const at = next ? Math.min(to, lastLine ?? to) : to;
    if (next) {
      const start = starts[i + 1] ?? toTwin(next.from);
      const down = toTwin(at) < start ? toTwin(at) : start - 1000;
      steps.push({ at: down, do: { stopKubelet: {} }, why: because(setting, at, 'the kubelet has ended') });
      steps.push({ at: start, do: { startKubelet: {} }, why: because(setting, next.from, 'the kubelet starts again') });
    } else steps.push({ at: toTwin(at), do: { stopKubelet: {} }, why: because(setting, at, 'the kubelet has ended') });
  }
  return steps;
}

function spans(times: readonly Micros[]): { readonly from: Micros; readonly to: Micros }[] {
  const out: { from: Micros; to: Micros }[] = [];
  for (const time of [...times].sort((a, b) => a - b)) {
    const last = out.at(-1);
    if (last && time - last.to < APART) last.to = time;
    else out.push({ from: time, to: time });
  }
  return out;
}

const GONE = /code = Unavailable|connection refused|error reading from server: EOF|connect: no such file or directory/;

/** Returns the steps of the pod network from the runtime's status, each time it changed. */
function networkSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin } = setting;
  const steps: TimedStep[] = [];
  let ready = true;
  for (const r of seen.records) {
    const now = networkIn(r);
    if (now === null || now === ready) continue;
    ready = now;
    const why = because(setting, r.time, `the pod network is ${now ? 'ready again' : 'not ready'}`, r.seq);
    steps.push({ at: toTwin(r.time) - STATUS_TIME, do: { network: now ? 'ready' : 'notReady' }, why });
  }
  return steps;
}
/** The runtime's answer is a little older than what follows from it. */
const STATUS_TIME = 20_000;

function networkIn(r: Setting['seen']['records'][number]): boolean | null {
  if (r.kind === 'cri-return' && r.method === 'Status' && r.response) {
    const { status } = r.response as { readonly status?: Json };
    const one = objectsOf(objectOf(status).conditions).find(({ type }) => type === 'NetworkReady');
    return one ? one.status === true : null;
  }
  if (r.kind !== 'log') return null;
  if (r.msg === 'Container runtime network not ready') return false;
  if (r.msg !== 'Container runtime status') return null;
  const { status } = r.kv;
  const one = objectsOf(objectOf(status).conditions).find(({ type }) => type === 'NetworkReady');
  if (one) return one.status === true;
  const found = /NetworkReady=(true|false)/.exec(textOf(status));
  return found ? found[1] === 'true' : null;
}

/** The machine was to go down, or was not after all. */
function shutdownSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin } = setting;
  return seen.logs.flatMap(({ msg, kv, time, seq }) => {
    if (!/^Shutdown manager detected new shutdown event$/.test(msg)) return [];
    const on = textOf(kv.event) !== 'cancel';
    const why = because(setting, time, on ? 'the machine shuts down' : 'the machine does not shut down after all', seq);
    return [{ at: toTwin(time) - 10, do: { [on ? 'shutdown' : 'cancelShutdown']: {} }, why }];
  });
}

/** The kubelet's process ended while the call was under way: its result is unknown. */
export function cutOff({ seen }: Setting, call: SeenCall): boolean {
  const end = call.took === null ? Number.POSITIVE_INFINITY : call.time + call.took;
  const index = byPod(seen);
  const at = index.processAt(call.time);
  // A call at the very moment at which one starts may be of the one before.
  return [at - 1, at].some((i) => {
    const process = seen.processes[i];
    if (!process || process.to === null) return false;
    const next = seen.processes[i + 1];
    const over = next ? (index.lastSignBefore(next.from) ?? process.to) : process.to;
    return call.time <= (next?.from ?? over) && end >= over - 50_000;
  });
}

/** Returns when the runtime was away: no call of that time succeeded. */
export function runtimeAway(setting: Setting): { readonly from: Micros; readonly to: Micros }[] {
  const { seen } = setting;
  const failed = seen.calls
    .filter((call) => isOutage(call) && !cutOff(setting, call))
    .map(({ time, took }) => time + (took ?? 0));
  for (const { severity, msg, kv, time } of seen.logs) {
    const err = textOf(kv.err);
    if (
      severity !== 'I' &&
      /runtime|sandbox|container|image/i.test(msg) &&
      /containerd|\.sock|code = Unavailable/.test(err) &&
      GONE.test(err)
    )
      failed.push(time);
  }
  const well = seen.calls.flatMap(({ error, took, time }) => (!error && took !== null ? [time] : []));
  return spans(failed).filter(({ from, to }) => {
    // A failure while all goes on is that call's own.
    if ((firstAfter(well, from) ?? to) < to) return false;
    const { calls } = seen;
    const next = calls[countBefore(calls.length, (i) => (calls[i] as SeenCall).time <= to)];
    return to > from || !next || next.error !== null;
  });
}

function runtimeSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin, assumptions } = setting;
  const steps: TimedStep[] = [];
  const answered = seen.calls.flatMap(({ error, time }) => (error ? [] : [time]));
  for (const { from, to } of runtimeAway(setting)) {
    assumptions.assume('outage.length', 'the container runtime');
    const back = firstAfter(answered, to) ?? to + 500_000;
    steps.push({
      at: toTwin(from) - 1000,
      do: { stopRuntime: {} },
      why: because(setting, from, 'calls to the runtime fail'),
    });
    steps.push({
      at: toTwin(Math.max(to + 1000, back - 1000)),
      do: { startRuntime: {} },
      why: because(setting, back, 'the runtime answers again'),
    });
  }
  return steps;
}

/** No reflector waits longer than this before it asks again. */
const LONGEST_DELAY = 60e6;

function apiSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin, assumptions } = setting;
  const failed: Micros[] = [];
  const well: Micros[] = [];
  for (const r of seen.records) {
    if (r.kind === 'api' && r.phase === 'response')
      (r.code === undefined && r.error !== undefined ? failed : well).push(r.time);
    if (r.kind === 'node-lease') (r.op === 'failed' ? failed : well).push(r.time);
    if (r.kind === 'node-status' && r.op === 'reported') well.push(r.time);
    if (r.kind !== 'log') continue;
    if (/^(Watch closed$|Exiting watch because received the bookmark)/.test(r.msg)) well.push(r.time);
    // A reflector reports a refusal as of nothing bad.
    if (r.severity === 'I' && !/ - backing off$/.test(r.msg)) continue;
    const text = `${r.msg} ${textOf(r.kv.err)}`;
    if (
      /https?:\/\/\S+/.test(text) &&
      /connection refused|i\/o timeout|no route to host|EOF|TLS handshake timeout/.test(text) &&
      !/\.sock/.test(text)
    )
      failed.push(r.time);
  }
  const expired = seen.logs.filter(
    ({ msg, kv }) => msg === 'Watch closed' && /too old resource version/.test(textOf(kv.err)),
  );
  const steps: TimedStep[] = [];
  for (const [i, { from, to }] of spans(failed).entries()) {
    assumptions.assume('outage.length', 'the API server');
    const back = firstAfter(well, to) ?? to + 1e6;
    const name = `api-${i + 1}`;
    const until = Math.min(back, to + 10e6);
    // A server that had only been cut off knows the position of each watch.
    const restarted = expired.some(({ time }) => time > to && time < to + LONGEST_DELAY);
    steps.push({
      at: toTwin(from) - 1000,
      do: { fault: { api: 'unreachable', name } },
      why: because(setting, from, 'requests to the API server fail'),
    });
    if (restarted)
      steps.push({
        at: toTwin(until) - 1001,
        do: { fault: { api: 'restart' } },
        why: because(setting, until, 'the API server knows no version from before'),
      });
    steps.push({
      at: toTwin(until) - 1000,
      do: { clearFaults: name },
      why: because(setting, until, 'the API server answers again'),
    });
  }
  return steps;
}

/** Two sources do not show the order of steps so close to each other. */
const NEAR = 1_000_000;
/** Sources have whole milliseconds: steps closer than this may have come in the other order. */
const ROUNDED = 2000;

/** A relist of the PLEG sees a death at most this much later; half of it before, on average. */
export const HALF_RELIST = 500_000;

/** Steps for sandboxes that became not ready without being stopped. */
function sandboxSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin } = setting;
  const index = byPod(seen);
  const bySocket = index.callsOfMethod.has('RunPodSandbox');
  const byLog = seen.sources.has('log');
  const deaths = bySocket ? deathsOnSocket(setting) : byLog ? deathsInLog(setting) : deathsInEvents(seen);
  return deaths.map(({ at, pod, seq }) => ({
    at: toTwin(at),
    do: { killSandbox: shortName(pod) },
    pod,
    why: because(setting, at, `${pod}: its sandbox died, and the kubelet had not stopped it`, seq),
  }));
}

export interface Death {
  readonly at: Micros;
  readonly pod: string;
  readonly seq: number;
}

function deathsOnSocket({ seen }: Setting): Death[] {
  const index = byPod(seen);
  const deaths: Death[] = [];
  const stopped = new Map<string, Micros>();
  for (const { method, sandbox, time } of seen.calls)
    if (method === 'StopPodSandbox' && !stopped.has(sandbox)) stopped.set(sandbox, time);
  // If another sandbox was created then, or a container still ran, the kubelet found this one dead; otherwise a stop
  // close by may be the kubelet's own.
  const least = (uid: string, time: Micros) =>
    isAlive(seen, uid, time) ||
    index.calls.of(uid).some((c) => c.method === 'RunPodSandbox' && c.time > time && c.time < time + 10e6)
      ? ROUNDED
      : NEAR;
  const dead = new Set<string>();
  for (const r of seen.records) {
    const found = diedIn(r);
    if (!found || dead.has(found)) continue;
    const one = seen.sandboxes.get(found);
    const owner = one && seen.pods.get(one.uid);
    const pod = owner?.pod;
    if (!pod || isEnding(owner, r.time + NEAR)) continue;
    if (r.time >= (stopped.get(found) ?? Number.POSITIVE_INFINITY) - least(owner.uid, r.time)) continue;
    dead.add(found);
    deaths.push({ at: r.time, pod, seq: r.seq });
  }
  return deaths;
}

/**
 * Without a socket: a sync that finds no ready sandbox while a container of the pod still runs. The kubelet stops a
 * sandbox only after its containers.
 */
function deathsInLog({ seen }: Setting): Death[] {
  const deaths: Death[] = [];
  /** When the PLEG saw the latest sandbox of a pod end, by UID. */
  const ended = new Map<string, Micros>();
  /** Pods whose sandbox is known to be dead. */
  const dead = new Set<string>();
  for (const r of seen.records) {
    if (r.kind === 'pleg-transition' && r.sandbox === true) {
      if (r.new === 'exited') ended.set(r.uid, r.time);
      else if (r.new === 'running') {
        ended.delete(r.uid);
        dead.delete(r.uid);
      }
    }
    if (r.kind !== 'decision' || r.rule !== 'PodSandboxChanged' || !/^No ready sandbox/.test(r.verdict)) continue;
    const uid = r.uid ?? '';
    const owner = seen.pods.get(uid);
    if (!owner || dead.has(uid) || isEnding(owner, r.time) || !isAlive(seen, uid, r.time)) continue;
    dead.add(uid);
    deaths.push({ at: Math.min(ended.get(uid) ?? r.time, r.time) - HALF_RELIST, pod: owner.pod, seq: r.seq });
  }
  return deaths;
}

const knownDeaths = new WeakMap<Seen, Death[]>();

/** By the runtime's events alone: a sandbox that ends before its containers do. */
export function deathsInEvents(seen: Seen): readonly Death[] {
  const found = knownDeaths.get(seen) ?? findInEvents(seen);
  knownDeaths.set(seen, found);
  return found;
}

function findInEvents(seen: Seen): Death[] {
  const dead = new Set<string>();
  return seen.records.flatMap((r) => {
    const found = r.kind === 'container-event' ? diedIn(r) : null;
    const uid = found === null ? undefined : seen.sandboxes.get(found)?.uid;
    const owner = uid === undefined ? undefined : seen.pods.get(uid);
    if (found === null || dead.has(found) || !owner || isEnding(owner, r.time + NEAR)) return [];
    if (!isAlive(seen, owner.uid, r.time)) return [];
    dead.add(found);
    return [{ at: r.time, pod: owner.pod, seq: r.seq }];
  });
}

/** True if a container of the pod ran at that time, as far as the kubelet knew. */
const isAlive = (seen: Setting['seen'], uid: string, time: Micros): boolean =>
  byPod(seen)
    .containers.of(uid)
    .some(({ ran, ended }) => ran !== undefined && ran <= time && (ended === undefined || ended > time));

/** True if the kubelet had been asked to end the pod by then. */
function isEnding({ ops, objects, unlisted }: SeenPod, by: Micros): boolean {
  const last = ops.filter(({ time }) => time <= by).findLast(({ op }) => op !== 'RECONCILE' && op !== 'UPDATE');
  if (last) return last.op !== 'ADD';
  if (unlisted !== null && unlisted <= by) return true;
  return objects.some(({ object, time }) => time <= by && objectOf(object.metadata).deletionTimestamp !== undefined);
}

/** The sandbox that this record shows dead. */
function diedIn(r: Setting['seen']['records'][number]): string | null {
  if (r.kind === 'container-event') {
    const event = r.event as { readonly [key: string]: unknown } | null;
    const status = (event?.podSandboxStatus ?? {}) as { readonly [key: string]: unknown };
    if (event?.containerEventType === 'CONTAINER_STOPPED_EVENT' && event.containerId === status.id)
      return textOf(status.id);
  }
  if (r.kind === 'cri-return' && r.method === 'PodSandboxStatus') {
    const status = ((r.response as { readonly status?: unknown } | undefined)?.status ?? {}) as {
      readonly [key: string]: unknown;
    };
    if (status.state === 'SANDBOX_NOTREADY') return textOf(status.id);
  }
  if (r.kind === 'actual-sandbox' && r.state === 'notready') return r.id;
  return null;
}
