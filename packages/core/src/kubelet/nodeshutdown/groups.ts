import type { Pod } from '../../api/types.js';
import { Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** Pods of this priority and above have this many seconds. upstream: kubeletconfig.ShutdownGracePeriodByPodPriority */
export interface ShutdownGracePeriod {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export interface ShutdownConfig {
  /** Seconds for all pods together; 0 for none. */
  readonly shutdownGracePeriod?: Micros;
  /** Part of it that critical pods have. */
  readonly shutdownGracePeriodCriticalPods?: Micros;
  readonly shutdownGracePeriodByPodPriority?: readonly ShutdownGracePeriod[];
}

/** upstream: scheduling.SystemCriticalPriority */
const systemCriticalPriority = 2_000_000_000;

/**
 * The groups in which pods go, lowest priority first; none: pods are not waited for.
 * upstream: newPodManager, migrateConfig
 */
export function shutdownPeriods(config: ShutdownConfig): readonly ShutdownGracePeriod[] {
  const given = config.shutdownGracePeriodByPodPriority ?? [];
  if (given.length > 0) return given.toSorted((a, b) => a.priority - b.priority);
  const requested = config.shutdownGracePeriod ?? 0;
  const critical = config.shutdownGracePeriodCriticalPods ?? 0;
  const others = requested - critical;
  if (requested === 0 || others < 0 || critical < 0) return [];
  return [
    { priority: 0, shutdownGracePeriodSeconds: Math.trunc(others / Second) },
    { priority: systemCriticalPriority, shutdownGracePeriodSeconds: Math.trunc(critical / Second) },
  ];
}

export interface PodShutdownGroup extends ShutdownGracePeriod {
  readonly pods: readonly Pod[];
}

/** Puts each pod into the highest group that it reaches; one below all is in the lowest. upstream: groupByPriority */
export function groupByPriority(periods: readonly ShutdownGracePeriod[], pods: readonly Pod[]): PodShutdownGroup[] {
  const groups = periods.map((p) => ({ ...p, pods: [] as Pod[] }));
  for (const pod of pods) {
    const priority = pod.spec.priority ?? 0;
    const group = groups.findLast((g) => g.priority <= priority) ?? groups[0];
    group?.pods.push(pod);
  }
  return groups;
}
