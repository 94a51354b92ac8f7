import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import type { Pod } from '../../api/types.js';
import { Second } from '../../kernel/index.js';
import { type Checker, seconds, short } from './checker.js';

/**
 * The containers that must have stopped before the sidecar of that name may be stopped: apps, and the next sidecar,
 * which in turn waits for those after it if it runs. Null if the name is not a sidecar's.
 * upstream: newTerminationOrdering
 */
function stopsAfter(pod: Pod, name: string): string[] | null {
  const sidecars = (pod.spec.initContainers ?? []).filter(isRestartableInitContainer).map((c) => c.name);
  const at = sidecars.indexOf(name);
  return at < 0 ? null : [...pod.spec.containers.map((c) => c.name), ...sidecars.slice(at + 1, at + 2)];
}

/**
 * When a whole pod is stopped, a sidecar gets the stop signal only after its users have stopped or the grace period is
 * over.
 */
export const sidecarsStopLast: Checker = function sidecarsStopLast({ facts, report }) {
  return (r) => {
    if (r.kind !== 'cri-call' || r.method !== 'StopContainer') return;
    const kill = facts.within(r.g, 'killPodWithSyncResult');
    const one = facts.within(r.g, 'killContainer');
    // The order is unknown for a pod that only the runtime knows.
    if (!kill || !one || facts.within(r.g, 'SyncTerminatingRuntimePod')) return;
    const uid = String(kill.args.uid);
    const name = String(one.args.container);
    const pod = facts.pod(uid);
    if (!pod || facts.edited(uid)) return;
    const first = stopsAfter(pod, name);
    if (!first) return;
    const stopped = kill.args.containers as readonly string[];
    const override = one.args.gracePeriodOverride;
    const grace = (typeof override === 'number' ? override : (pod.spec.terminationGracePeriodSeconds ?? 2)) * Second;
    if (r.time - kill.at >= grace) return;
    const running = facts
      .of(uid)
      .filter((c) => c.state === 'running' && first.includes(c.name) && stopped.includes(c.name));
    // One that is there twice waits for the other's end, too: names are what counts.
    for (const c of running)
      if (stopped.filter((n) => n === c.name).length === 1)
        report(
          pod.metadata.name,
          `sidecar ${name} was stopped while ${c.name} ran, ${seconds(r.time - kill.at)} into a grace period of ${seconds(grace)}`,
        );
  };
};

const starting = new Set(['RunPodSandbox', 'CreateContainer', 'StartContainer']);

/** A worker that stops its pod, or has stopped it, starts nothing. */
export const nothingStartsWhileTerminating: Checker = function nothingStartsWhileTerminating({ facts, report }) {
  const calls = new Set<string>();
  return (r) => {
    if (r.kind !== 'cri-call' || !starting.has(r.method)) return;
    for (const fn of ['SyncTerminatingPod', 'SyncTerminatingRuntimePod', 'SyncTerminatedPod']) {
      const frame = facts.within(r.g, fn);
      if (frame) report(String(frame.args.pod), `${r.method} within ${fn}`);
    }
    if (!r.uid) return;
    calls.add(r.uid);
    const worker = facts.workers.get(r.uid);
    if (!worker || worker.state === 'terminated' || worker.state === 'finished')
      report(
        facts.pod(r.uid)?.metadata.name ?? r.uid,
        `${r.method} for a pod whose worker is ${worker?.state ?? 'not there'}`,
      );
  };
};

/** The id without its scheme: the kubelet writes `containerd://id`. */
const bare = (id: string): string => id.slice(id.indexOf('//') + 2);

/**
 * A container's preStop hook is not run again once the kubelet has stopped the container; if stopping it failed, it may
 * be. It does no harm to call StopContainer again for a container that has stopped, and this check ignores it.
 */
export const preStopRunsOnce: Checker = function preStopRunsOnce({ facts, report }) {
  /** The times at which StopContainer returned without an error, by id. */
  const stopped = new Map<string, number>();
  return (r) => {
    if (r.kind === 'cri-return' && r.method === 'StopContainer' && r.container && !r.error)
      stopped.set(r.container, r.time);
    if (r.kind !== 'enter' || r.fn !== 'executePreStopHook') return;
    const kill = facts.within(r.g, 'killContainer');
    const id = bare(String(kill?.args.containerID));
    const at = stopped.get(id);
    const c = facts.containers.get(id);
    if (at !== undefined && c)
      report(
        facts.sandboxes.get(c.sandbox)?.pod ?? c.uid,
        `preStop runs again in container ${c.name} (${short(id)}), which was stopped at ${seconds(at)}`,
      );
  };
};

const stopping = new Set(['StopContainer', 'StopPodSandbox']);

/**
 * Once a removed pod is being killed, nothing of it starts any more, neither a sandbox nor a container, unless the pod
 * comes back. What begins when no kubelet waits for it any more is the runtime's doing.
 */
export const nothingStartsAfterKill: Checker = function nothingStartsAfterKill({ facts, report }) {
  /** The times at which pods that nobody wants were killed first, by uid. */
  const killed = new Map<string, number>();
  return (r) => {
    switch (r.kind) {
      case 'cri-call': {
        const kill = stopping.has(r.method) ? facts.within(r.g, 'killPod') : undefined;
        const uid = String(kill?.args.uid);
        if (kill && !facts.wants(uid) && !killed.has(uid)) killed.set(uid, r.time);
        return;
      }
      case 'actual-sandbox':
      case 'actual-container': {
        const at = killed.get(r.uid);
        if (at === undefined || (r.state !== 'ready' && r.state !== 'running')) return;
        const awaited = [...facts.open.values()].some((c) =>
          r.kind === 'actual-sandbox' ? c.method === 'RunPodSandbox' && c.uid === r.uid : c.container === r.id,
        );
        if (facts.wants(r.uid)) killed.delete(r.uid);
        else if (awaited)
          report(
            r.kind === 'actual-sandbox' ? r.pod : (facts.sandboxes.get(r.sandbox)?.pod ?? r.uid),
            `${r.kind === 'actual-sandbox' ? 'a sandbox' : `container ${r.name}`} (${short(r.id)}) started, although the pod was removed and its kill began at ${seconds(at)}`,
          );
        return;
      }
      default:
    }
  };
};
