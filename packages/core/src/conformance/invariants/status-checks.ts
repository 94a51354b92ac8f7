import type { ContainerStatus, Pod, PodStatus } from '../../api/types.js';
import type { Checker } from './checker.js';
import type { ContainerFact } from './facts.js';

/** Reasons that a kubelet keeps to itself: with no API server to remember them they go with it. */
const forgotten = new Set(['DeadlineExceeded', 'Evicted']);

/**
 * A pod that has Succeeded or Failed has ended, as long as it is the same pod: it may go from one to the other (what a
 * container made of its last moments counts, too), but not back.
 *
 * Without an API server the phase is made of what the containers left. So it may start over where housekeeping forgot
 * the status of a removed pod that still stops, and in a new kubelet where containers are gone: those of an earlier pod
 * of that uid, and init containers, which are removed when a new sandbox is made. Or if the newest container of a
 * name was created and never started: then the end that the phase reports is its predecessor's, which is removed
 * before it.
 */
export const terminalPhaseStays: Checker = function terminalPhaseStays({ facts, report }) {
  const ends = new Map<string, { phase: string; life: number; kubelet: number; forgotten: boolean }>();
  return (r) => {
    if (r.kind === 'status-removed') ends.delete(r.uid);
    if (r.kind !== 'status') return;
    const status = r.status as unknown as PodStatus;
    const { phase } = status;
    const life = facts.life(r.uid);
    const end = ends.get(r.uid);
    const terminal = phase === 'Succeeded' || phase === 'Failed';
    const remembered =
      life === 0 &&
      !end?.forgotten &&
      !facts.pod(r.uid)?.spec.initContainers?.length &&
      !newestNeverStarted(facts.of(r.uid));
    const valid = end && end.life === life && (end.kubelet === facts.kubelets || remembered);
    if (valid && !terminal) report(r.pod, `phase went from ${end.phase} to ${phase}`);
    if (!terminal) ends.delete(r.uid);
    if (terminal) {
      // If a pod is being terminated, its worker knows the phase as well; that is lost when the kubelet ends.
      const state = facts.workers.get(r.uid)?.state ?? 'sync';
      const lost = forgotten.has(status.reason ?? '') || (state !== 'sync' && restarts(facts.pod(r.uid)));
      ends.set(r.uid, { phase, life, kubelet: facts.kubelets, forgotten: lost });
    }
  };
};

/** True if a container that ends in the pod would start again. */
const restarts = (pod: Pod | undefined): boolean => (pod?.spec.restartPolicy ?? 'Always') !== 'Never';

function newestNeverStarted(containers: readonly ContainerFact[]): boolean {
  return containers.some(
    (c) => c.startedAt === null && !containers.some((x) => x.name === c.name && x.attempt > c.attempt),
  );
}

/**
 * Restart counts of a pod's containers only grow, as long as its status is kept. A new kubelet reads them off the
 * containers; those of init containers may be gone, because they are removed before the init containers run again, and
 * those of an earlier pod of that uid go sooner or later.
 */
export const restartCountsGrow: Checker = function restartCountsGrow({ facts, report }) {
  const counts = new Map<string, { count: number; life: number; kubelet: number }>();
  return (r) => {
    if (r.kind === 'status-removed')
      for (const key of [...counts.keys()]) if (key.startsWith(`${r.uid}/`)) counts.delete(key);
    if (r.kind !== 'status') return;
    const status = r.status as unknown as PodStatus;
    const life = facts.life(r.uid);
    const kubelet = facts.kubelets;
    const compare = (statuses: readonly ContainerStatus[] | undefined, init: boolean) => {
      for (const { name, restartCount } of statuses ?? []) {
        const key = `${r.uid}/${name}`;
        const before = counts.get(key);
        if (
          before &&
          before.life === life &&
          (before.kubelet === kubelet || (!init && life === 0)) &&
          restartCount < before.count
        )
          report(r.pod, `restart count of ${name} went from ${before.count} to ${restartCount}`);
        counts.set(key, { count: restartCount, life, kubelet });
      }
    };
    compare(status.initContainerStatuses, true);
    compare(status.containerStatuses, false);
  };
};

/**
 * A pod's startTime is set once. Without an API server nobody keeps it when the kubelet forgets the status: in a
 * restart, and when housekeeping comes by while a static pod whose manifest is gone still stops.
 */
export const startTimeStays: Checker = function startTimeStays({ facts, report }) {
  const times = new Map<string, { time: string; life: number; kubelet: number }>();
  return (r) => {
    if (r.kind === 'status-removed') times.delete(r.uid);
    if (r.kind !== 'status') return;
    const { startTime } = r.status as unknown as PodStatus;
    const life = facts.life(r.uid);
    const before = times.get(r.uid);
    if (before && before.life === life && before.kubelet === facts.kubelets && startTime !== before.time)
      report(r.pod, `startTime went from ${before.time} to ${startTime ?? 'none'}`);
    if (startTime) times.set(r.uid, { time: startTime, life, kubelet: facts.kubelets });
  };
};

/**
 * The last status of a removed pod says how it ended: once housekeeping is done, the pod has no worker and its
 * containers have stopped, its last reported status has no running container. Not checked if the status manager has
 * refused a status, because then an older one remains.
 */
export const endIsTold: Checker = function endIsTold({ facts, report }) {
  /** Names of the containers that run according to the last reported status, by pod UID. */
  const running = new Map<string, readonly string[]>();
  const reported = new Set<string>();
  const refused = new Set<string>();
  return (r) => {
    if (r.kind === 'decision' && r.rule === 'updateStatusInternal' && r.verdict === 'aborted' && r.uid)
      refused.add(r.uid);
    if (r.kind === 'status') {
      const { initContainerStatuses = [], containerStatuses = [] } = r.status as unknown as PodStatus;
      const names = [...initContainerStatuses, ...containerStatuses].filter((c) => c.state.running).map((c) => c.name);
      running.set(r.uid, names);
      reported.delete(r.uid);
    }
    if (r.kind !== 'exit' || r.fn !== 'HandlePodCleanups' || r.error !== undefined) return;
    for (const [uid, names] of running) {
      if (names.length === 0 || reported.has(uid) || refused.has(uid)) continue;
      if (facts.wants(uid) || facts.workers.has(uid) || !facts.synced.has(uid)) continue;
      const all = facts.of(uid);
      if (all.some((c) => c.state === 'running')) continue;
      reported.add(uid);
      const pod = facts.sandboxes.get(all[0]?.sandbox ?? '')?.pod ?? uid;
      report(pod, `removed, and nothing of it runs, but the last reported status says that ${names.join(', ')} runs`);
    }
  };
};
