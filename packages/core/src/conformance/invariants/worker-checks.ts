import type { WorkerState } from '../../trace/index.js';
import { type Checker, seconds, short } from './checker.js';

/**
 * A second static pod of the same name starts only when the first is gone: as far as one kubelet has synced both,
 * whether or not the first still has a worker.
 */
export const oneStaticPodPerName: Checker = function oneStaticPodPerName({ facts, report }) {
  return (r) => {
    if (r.kind !== 'actual-container' || r.state !== 'running') return;
    const name = facts.sandboxes.get(r.sandbox)?.pod;
    if (name === undefined) return;
    for (const c of facts.containers.values()) {
      if (c.uid === r.uid || c.state !== 'running' || c.late) continue;
      if (facts.sandboxes.get(c.sandbox)?.pod !== name || !facts.synced.has(c.uid)) continue;
      report(name, `container ${r.name} of uid ${short(r.uid)} started while ${c.name} of uid ${short(c.uid)} ran`);
    }
  };
};

const syncs = new Set(['SyncPod', 'SyncTerminatingPod', 'SyncTerminatingRuntimePod', 'SyncTerminatedPod']);

/**
 * A worker never acts on a view older than the end of what it did last: GetNewerThan asks for that time, is given a
 * later view, and all that the worker created before is in it.
 */
export const syncsOnFreshView: Checker = function syncsOnFreshView({ facts, report }) {
  /** By goroutine. */
  const lastEnd = new Map<number, number>();
  const made = new Map<number, Set<string>>();
  return (r) => {
    switch (r.kind) {
      case 'goroutine-end':
        lastEnd.delete(r.id);
        made.delete(r.id);
        return;
      case 'cache-wait': {
        const end = lastEnd.get(r.g) ?? 0;
        if (r.newerThan !== end)
          report(
            r.pod,
            `waits for a view newer than ${seconds(r.newerThan)}, but its last sync ended at ${seconds(end)}`,
          );
        return;
      }
      case 'exit': {
        if (syncs.has(r.fn)) lastEnd.set(r.g, r.time);
        if (r.fn !== 'GetNewerThan' || r.error !== undefined) return;
        const view = facts.views.get(r.g);
        const end = lastEnd.get(r.g) ?? 0;
        if (!view) return;
        const pod = facts.pod(view.uid)?.metadata.name ?? view.uid;
        if (view.at < end)
          report(pod, `was given a view of ${seconds(view.at)}, but its last sync ended at ${seconds(end)}`);
        for (const id of made.get(r.g) ?? []) {
          const c = facts.containers.get(id);
          if (!c || c.state === 'removed') continue;
          const seen = view.containers.find((x) => x.id === id);
          if (!seen)
            report(
              pod,
              `its view lacks container ${c.name} (${short(id)}), which it created at ${seconds(c.createdAt)}`,
            );
          else if (seen.state === 'created' && c.startedAt !== null && !c.late && c.startedAt < view.at - 20_000)
            report(
              pod,
              `its view shows container ${c.name} (${short(id)}) as created, but it started at ${seconds(c.startedAt)}`,
            );
        }
        return;
      }
      case 'cri-return':
        if (r.method === 'CreateContainer' && !r.error && r.container) {
          const set = made.get(r.g) ?? new Set();
          made.set(r.g, set.add(r.container));
        }
        return;
      default:
    }
  };
};

const order: readonly WorkerState[] = ['sync', 'terminating', 'terminated', 'finished', 'removed'];

/**
 * A worker's states come in order, one uid has one worker at work at a time, and the work is what its state calls for.
 */
export const workersGoForward: Checker = function workersGoForward({ report }) {
  const states = new Map<string, WorkerState>();
  const atWork = new Map<string, { g: number; workType: string }>();
  return (r) => {
    switch (r.kind) {
      case 'process':
        if (r.process === 'kubelet') {
          states.clear();
          atWork.clear();
        }
        return;
      case 'worker': {
        const before = states.get(r.uid);
        if (before && order.indexOf(r.state) <= order.indexOf(before))
          report(r.pod, `worker went from ${before} to ${r.state}: ${r.reason}`);
        if (r.from !== undefined && before !== undefined && r.from !== before)
          report(r.pod, `worker went from ${r.from} to ${r.state}, but it was ${before}`);
        if (r.state === 'removed') states.delete(r.uid);
        else states.set(r.uid, r.state);
        return;
      }
      case 'work-start': {
        const other = atWork.get(r.uid);
        if (other) report(r.pod, `${r.workType} begins while ${other.workType} goes on in goroutine ${other.g}`);
        if (states.get(r.uid) !== r.workType)
          report(r.pod, `${r.workType} begins while the worker is ${states.get(r.uid) ?? 'not there'}`);
        atWork.set(r.uid, { g: r.g, workType: r.workType });
        return;
      }
      case 'work-done':
        if (atWork.get(r.uid)?.g === r.g) atWork.delete(r.uid);
        return;
      default:
    }
  };
};

/** A pod has one worker: none begins while another goroutine still syncs that pod, and no two sync it at once. */
export const oneWorkerPerPod: Checker = function oneWorkerPerPod({ report }) {
  /** Goroutine and begin of the work under way, by uid. */
  const atWork = new Map<string, { g: number; at: number }>();
  return (r) => {
    switch (r.kind) {
      case 'process':
        if (r.process === 'kubelet') atWork.clear();
        return;
      case 'worker':
      case 'work-start': {
        const other = atWork.get(r.uid);
        const begins = r.kind === 'work-start' || (r.state !== 'removed' && r.from === undefined);
        if (other && begins && (r.kind === 'worker' || other.g !== r.g))
          report(
            r.pod,
            `${r.kind === 'worker' ? 'a second worker begins' : `${r.workType} begins`} while goroutine ${other.g} has been working on the pod since ${seconds(other.at)}`,
          );
        if (r.kind === 'work-start') atWork.set(r.uid, { g: r.g, at: r.time });
        return;
      }
      case 'work-done':
        if (atWork.get(r.uid)?.g === r.g) atWork.delete(r.uid);
        return;
      default:
    }
  };
};
