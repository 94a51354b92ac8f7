/** The mutating calls of each pod, in order, under names that do not depend on ids. */

import { Names } from './names.js';
import { at, type CriEntry, type Loose, listAt, type Recording, textAt } from './recording.js';

/** One call of one pod. */
export interface PodCall {
  /** The call as text: `CreateContainer app#1`, `StopContainer app#0 timeout=5`; ends in FAILED if it failed. */
  readonly op: string;
  /** ms since the start. */
  readonly at: number;
  readonly end: number;
  /** Configuration in the request, for RunPodSandbox and CreateContainer. */
  readonly config?: Loose;
  readonly container?: string | undefined;
  readonly attempt?: number;
}

/** The calls in a recording. */
export interface Conversation {
  readonly names: Names;
  /** Calls by pod; pulls are under `images`, since a pull belongs to no pod. */
  readonly pods: Map<string, PodCall[]>;
  /** Containers and sandboxes that were removed while their pod was not being stopped. */
  readonly removed: Set<string>;
}

const byId = new Set(['StopPodSandbox', 'StartContainer', 'StopContainer', 'ExecSync', 'UpdateContainerResources']);

/** Reads all calls of a recording. */
export function conversation(recording: Recording): Conversation {
  const out: Conversation = { names: new Names(), pods: new Map(), removed: new Set() };
  const probes = probeCommands(recording);
  for (const entry of recording.cri) add(out, entry, probes);
  return out;
}

function add({ names, pods, removed }: Conversation, entry: CriEntry, probes: Set<string>): void {
  const { method, response, error } = entry;
  const request = entry.request ?? {};
  const record = (pod: string, op: string, more: Partial<PodCall> = {}) => {
    const calls = pods.get(pod) ?? [];
    pods.set(pod, calls);
    calls.push({ op: error ? `${op} FAILED` : op, at: entry.at, end: entry.at + entry.tookMs, ...more });
  };
  const podOf = (metadata: unknown) => names.pod(textAt(metadata, 'name'), textAt(metadata, 'uid'));
  const config = at(request, 'config') as Loose;
  const attempt = Number(at(config, 'metadata', 'attempt') ?? 0);
  const id = textAt(request, 'containerId') || textAt(request, 'podSandboxId');

  if (method === 'RunPodSandbox') {
    const pod = podOf(at(config, 'metadata'));
    if (response) names.learn(textAt(response, 'podSandboxId'), { pod, short: `sandbox#${attempt}` });
    record(pod, `RunPodSandbox #${attempt}`, { config });
  } else if (method === 'CreateContainer') {
    const pod = names.find(textAt(request, 'podSandboxId'))?.pod ?? podOf(at(request, 'sandboxConfig', 'metadata'));
    const container = textAt(config, 'metadata', 'name');
    const short = `${container}#${attempt}`;
    if (response) names.learn(textAt(response, 'containerId'), { pod, short, container });
    record(pod, `CreateContainer ${short}`, { config, container, attempt });
  } else if (method === 'PullImage') {
    record('images', `PullImage ${textAt(request, 'image', 'image')}`);
  } else if (method === 'RemoveContainer' || method === 'RemovePodSandbox') {
    const target = names.find(id);
    if (!target) return;
    const calls = pods.get(target.pod) ?? [];
    if (method === 'RemovePodSandbox') dropSecondStop(calls, `StopPodSandbox ${target.short}`, entry.at);
    const stopped = calls.some(({ op }) => op.startsWith('StopPodSandbox'));
    if (!stopped && !error) removed.add(`${target.pod}/${target.short}`);
  } else if (byId.has(method)) {
    const target = names.find(id);
    const command = JSON.stringify(at(request, 'cmd'));
    if (!target || (method === 'ExecSync' && probes.has(command))) return;
    const detail =
      method === 'StopContainer'
        ? ` timeout=${at(request, 'timeout') ?? 0}`
        : method === 'ExecSync'
          ? ` ${command}`
          : '';
    record(target.pod, `${method} ${target.short}${detail}`, { container: target.container });
  }
}

/**
 * The garbage collector stops a sandbox once more right before it removes it. The time of its visit is chance, so this
 * stop is not compared.
 */
function dropSecondStop(calls: PodCall[], op: string, removedAt: number): void {
  const stops = calls.filter((call) => call.op === op);
  const last = stops.at(-1);
  if (stops.length > 1 && last && removedAt - last.end < 2000) calls.splice(calls.indexOf(last), 1);
}

/**
 * Removes a second kill: up to v1.26 housekeeping may kill a removed pod once more, if the runtime cache still shows
 * it: sandboxes and containers are stopped again, and hooks fail in containers that have exited. The phase of two
 * clocks decides whether it happens.
 */
export function withoutSecondKill(calls: readonly PodCall[]): PodCall[] {
  const stopped = new Set<string>();
  return calls.filter(({ op, container = '' }) => {
    if (op.startsWith('RunPodSandbox')) stopped.clear();
    // The hook before a stop that comes again.
    if (op.startsWith('ExecSync') && op.endsWith('FAILED') && stopped.has(container)) return false;
    if (!op.startsWith('Stop') || op.endsWith('FAILED')) return true;
    const target = op.split(' ').slice(0, 2).join(' ');
    if (stopped.has(target)) return false;
    stopped.add(target);
    if (container) stopped.add(container);
    return true;
  });
}

/** Commands of exec probes: how often these run is chance. */
function probeCommands(recording: Recording): Set<string> {
  const out = new Set<string>();
  for (const [verb, pod] of recording.steps ?? []) {
    if (verb !== 'put' && verb !== 'create') continue;
    for (const container of [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')]) {
      for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
        const command = at(container, kind, 'exec', 'command');
        if (at(container, kind, 'exec')) out.add(JSON.stringify(command));
      }
    }
  }
  return out;
}

/** Groups calls that overlapped in time: within a group the order is free. */
export function overlapping(calls: readonly PodCall[]): PodCall[][] {
  const out: PodCall[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    if (out.length > 0 && call.at < end) {
      out.at(-1)?.push(call);
      end = Math.max(end, call.end);
    } else {
      out.push([call]);
      end = call.end;
    }
  }
  return out;
}

/** Returns ms since the start before, by the op of each container creation after the first. */
export function restartGaps(calls: readonly PodCall[]): Map<string, number> {
  const out = new Map<string, number>();
  const starts = calls.filter(({ op }) => op.startsWith('StartContainer'));
  for (const call of calls) {
    if (!call.container || !(call.attempt && call.attempt > 0)) continue;
    const before = starts.filter((s) => s.container === call.container && s.at < call.at).at(-1);
    if (before) out.set(call.op, call.at - before.at);
  }
  return out;
}

/** The first place at which the order of two conversations of one pod differs. */
export interface OrderDifference {
  /** How many calls before it agree. */
  readonly index: number;
  /** The calls that were to come there, in any order; none if there should be no more. */
  readonly expected: readonly PodCall[];
  /** As many calls as came there instead; all the rest if there should be no more. */
  readonly got: readonly PodCall[];
}

/** Returns the first difference in order; null if `got` has the calls of `want`, those that overlapped in any order. */
export function orderDifference(want: readonly PodCall[], got: readonly PodCall[]): OrderDifference | null {
  const ops = (calls: readonly PodCall[]) => calls.map(({ op }) => op).sort();
  let index = 0;
  for (const expected of overlapping(want)) {
    const found = got.slice(index, index + expected.length);
    if (ops(expected).join() !== ops(found).join()) return { index, expected, got: found };
    index += expected.length;
  }
  const more = got.slice(index);
  return more.length > 0 ? { index, expected: [], got: more } : null;
}

/** A pause before a restart that is not longer than this is not compared, ms. */
export const shortGap = 3000;

/**
 * True if two pauses before a restart, ms, count as equal: the kubelet adds up to half by chance, and looks about once
 * a second.
 */
export const isGapNear = (want: number, got: number): boolean => got >= want / 1.5 - 2500 && got <= want * 1.5 + 2500;
