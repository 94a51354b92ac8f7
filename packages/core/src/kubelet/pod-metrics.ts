import type { KubeletMetrics } from './metrics/kubelet-metrics.js';
import type { PodWorkerSync } from './podworkers/types.js';

type Static = 'true' | '' | 'unknown';

/** Pods that have a worker, by the state of the worker. Labels of kubelet_working_pods. */
export interface WorkingPods {
  readonly lifecycle: PodWorkerSync['state'];
  readonly config: 'desired' | 'orphan' | 'runtime_only';
  readonly static: Static;
  readonly count: number;
}

/**
 * The counts of housekeeping (fidelity 1:D07); gauges are of its last round.
 * upstream: pkg/kubelet/metrics, set by HandlePodCleanups
 */
export interface PodMetrics {
  /** kubelet_desired_pods, by label static. */
  desiredPods: Readonly<Record<'' | 'true', number>>;
  /** kubelet_active_pods */
  activePods: Readonly<Record<'' | 'true', number>>;
  /** kubelet_mirror_pods */
  mirrorPods: number;
  /** kubelet_working_pods */
  workingPods: readonly WorkingPods[];
  /** kubelet_restarted_pods_total */
  restartedPodsTotal: Record<'' | 'true', number>;
  /** kubelet_orphaned_runtime_pods_total */
  orphanedRuntimePodsTotal: number;
}

export const newPodMetrics = (): PodMetrics => ({
  desiredPods: { '': 0, true: 0 },
  activePods: { '': 0, true: 0 },
  mirrorPods: 0,
  workingPods: [],
  restartedPodsTotal: { '': 0, true: 0 },
  orphanedRuntimePodsTotal: 0,
});

/** Counts the static ones and the others. */
export function countByStatic<T>(list: readonly T[], isStatic: (item: T) => boolean): Record<'' | 'true', number> {
  const yes = list.filter(isStatic).length;
  return { '': list.length - yes, true: yes };
}

/**
 * Counts pods for every combination of labels, those without pods too, as a gauge must say 0.
 * upstream: HandlePodCleanups, WorkingPodCount
 */
export function countWorkingPods(workers: Iterable<PodWorkerSync>): WorkingPods[] {
  const all = [...workers];
  const out: WorkingPods[] = [];
  for (const [config, statics] of [
    ['desired', ['true', '']],
    ['orphan', ['true', '']],
    ['runtime_only', ['unknown']],
  ] as const)
    for (const lifecycle of ['sync', 'terminating', 'terminated'] as const)
      for (const s of statics)
        out.push({
          lifecycle,
          config,
          static: s,
          count: all.filter((w) => w.state === lifecycle && configOf(w) === config && staticOf(w) === s).length,
        });
  return out;
}

const configOf = (w: PodWorkerSync): WorkingPods['config'] =>
  !w.hasConfig ? 'runtime_only' : w.orphan ? 'orphan' : 'desired';
const staticOf = (w: PodWorkerSync): Static => (!w.hasConfig ? 'unknown' : w.static ? 'true' : '');

/** Puts what housekeeping counted where /metrics reads it (fidelity 3:MET-06). */
export function publishPodMetrics(to: KubeletMetrics, counted: PodMetrics): void {
  for (const kind of ['', 'true'] as const) {
    to.desiredPods.set(counted.desiredPods[kind], { static: kind });
    to.activePods.set(counted.activePods[kind], { static: kind });
    const labels = { static: kind };
    to.restartedPods.add(counted.restartedPodsTotal[kind] - to.restartedPods.get(labels), labels);
  }
  to.mirrorPods.set(counted.mirrorPods);
  for (const { count, lifecycle, config, static: kind } of counted.workingPods)
    to.workingPods.set(count, { lifecycle, config, static: kind });
  to.orphanedRuntimePods.add(counted.orphanedRuntimePodsTotal - to.orphanedRuntimePods.get());
}
