import { podRequests } from '../../api/pod/pod-resources.js';
import { kObj, type Pod } from '../../api/types.js';
import { quantityValue, resourceOf } from '../../base/index.js';
import type { KubeletParts } from '../parts/types.js';
import type { FsStats, PodStats } from '../stats/types.js';
import type { StatsFunc } from './observations.js';
import type { Signal, StarvedResource } from './types.js';

/** Kinds of files that count on a disk. upstream: fsStatsType */
export type FsStatsType = 'localVolumeSource' | 'logs' | 'root' | 'images';

type Compare = (a: Pod, b: Pod) => number;
/** Sorts so that the first is the first to go. upstream: rankFunc */
export type RankFunc = (pods: readonly Pod[], stats: StatsFunc) => Pod[];

/** True before false. upstream: cmpBool */
const cmpBool = (a: boolean, b: boolean): number => (a === b ? 0 : a ? -1 : 1);

/** upstream: orderedBy */
const orderedBy =
  (...compares: readonly Compare[]): Compare =>
  (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };

const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0;
const priority: Compare = (a, b) => priorityOf(a) - priorityOf(b);

/** Compares the figures of two pods; a pod without figures goes first. */
const known =
  (stats: StatsFunc, compare: (a: PodStats, b: PodStats, podA: Pod, podB: Pod) => number): Compare =>
  (a, b) => {
    const [x, y] = [stats(a), stats(b)];
    return x && y ? compare(x, y, a, b) : cmpBool(!x, !y);
  };

/** The request of a whole pod, in whole units. upstream: v1resource.GetResourceRequestQuantity */
export const requestOf = (pod: Pod, resource: StarvedResource): number =>
  quantityValue(resourceOf(podRequests(pod), resource));

/** upstream: volume util IsLocalEphemeralVolume, and hostPath: localVolumeNames */
const localVolumeNames = ({ spec }: Pod): string[] =>
  (spec.volumes ?? [])
    .filter(
      (v) =>
        'hostPath' in v ||
        ('emptyDir' in v && (v.emptyDir as { medium?: string } | null)?.medium !== 'Memory') ||
        'configMap' in v ||
        'downwardAPI' in v ||
        'gitRepo' in v,
    )
    .map((v) => v.name);

/** Bytes, or inodes. upstream: podDiskUsage */
export function podDiskUsage(
  stats: PodStats,
  pod: Pod,
  measured: readonly FsStatsType[],
  resource: 'ephemeral-storage' | 'inodes',
): number {
  const of = (fs: FsStats | undefined): number => (resource === 'inodes' ? fs?.inodesUsed : fs?.usedBytes) ?? 0;
  let sum = 0;
  for (const c of stats.containers) {
    if (measured.includes('root')) sum += of(c.rootfs);
    if (measured.includes('logs')) sum += of(c.logs);
  }
  if (measured.includes('localVolumeSource'))
    for (const name of localVolumeNames(pod)) sum += of(stats.volume?.find((v) => v.name === name));
  return sum;
}

/** Returns a pod's usage of a resource, for ranking and for display; undefined if it is unknown. */
export function usageOf(
  pod: Pod,
  stats: StatsFunc,
  resource: StarvedResource,
  measured: readonly FsStatsType[],
): number | undefined {
  const s = stats(pod);
  if (!s) return undefined;
  if (resource === 'memory') return s.memory?.workingSetBytes ?? 0;
  if (resource === 'pids') return s.process_stats?.process_count ?? 0;
  return podDiskUsage(s, pod, measured, resource);
}

/**
 * Usage over request first, then lower priority, then the greater overshoot.
 * upstream: rankMemoryPressure (fidelity 3:EV-09)
 */
export const rankMemoryPressure: RankFunc = (pods, stats) => {
  const used = (s: PodStats) => s.memory?.workingSetBytes ?? 0;
  const over = (s: PodStats, pod: Pod) => used(s) - requestOf(pod, 'memory');
  return pods.toSorted(
    orderedBy(
      known(stats, (x, y, a, b) => cmpBool(over(x, a) > 0, over(y, b) > 0)),
      priority,
      known(stats, (x, y, a, b) => over(y, b) - over(x, a)),
    ),
  );
};

/** Lower priority, then more processes. upstream: rankPIDPressure */
export const rankPIDPressure: RankFunc = (pods, stats) => {
  const count = (s: PodStats) => s.process_stats?.process_count ?? 0;
  return pods.toSorted(
    orderedBy(
      priority,
      known(stats, (x, y) => count(y) - count(x)),
    ),
  );
};

/**
 * Ranks as for memory, by what counts on that disk. There are no requests for inodes; the overshoot is taken from those
 * for storage.
 * upstream: rankDiskPressureFunc, disk
 */
export const rankDiskPressure =
  (measured: readonly FsStatsType[], resource: 'ephemeral-storage' | 'inodes'): RankFunc =>
  (pods, stats) => {
    const exceeds = (s: PodStats, pod: Pod) => podDiskUsage(s, pod, measured, resource) > requestOf(pod, resource);
    const over = (s: PodStats, pod: Pod) =>
      podDiskUsage(s, pod, measured, resource) - requestOf(pod, 'ephemeral-storage');
    return pods.toSorted(
      orderedBy(
        known(stats, (x, y, a, b) => cmpBool(exceeds(x, a), exceeds(y, b))),
        priority,
        known(stats, (x, y, a, b) => over(y, b) - over(x, a)),
      ),
    );
  };

/**
 * Returns the files that count for a signal, by the split of the disks; nothing for signals of no disk.
 * upstream: buildSignalToRankFunc
 */
export function measuredFor(signal: Signal, imageFs: boolean, splitContainerImageFs: boolean): readonly FsStatsType[] {
  const [disk] = signal.split('.');
  if (disk !== 'nodefs' && disk !== 'imagefs' && disk !== 'containerfs') return [];
  if (!imageFs) return ['images', 'root', 'logs', 'localVolumeSource'];
  if (splitContainerImageFs) return disk === 'imagefs' ? ['images'] : ['logs', 'localVolumeSource', 'root'];
  return disk === 'nodefs' ? ['logs', 'localVolumeSource'] : ['root', 'images'];
}

/** upstream: buildSignalToRankFunc */
export function rankFuncFor(signal: Signal, imageFs: boolean, splitContainerImageFs: boolean): RankFunc {
  if (signal === 'memory.available' || signal === 'allocatableMemory.available') return rankMemoryPressure;
  if (signal === 'pid.available') return rankPIDPressure;
  return rankDiskPressure(
    measuredFor(signal, imageFs, splitContainerImageFs),
    signal.endsWith('.inodesFree') ? 'inodes' : 'ephemeral-storage',
  );
}

/**
 * Ranks pods by a replaced part; null if it is not replaced. Inodes are ranked as ever: nobody requests them, and the
 * overshoot is taken from another resource.
 */
export function rankByPart(
  part: KubeletParts['evictionRank'],
  pods: readonly Pod[],
  resource: StarvedResource,
  usage: (pod: Pod) => number | undefined,
): readonly Pod[] | null {
  if (!part || resource === 'inodes') return null;
  const ranked = part({
    resource,
    pods: pods.map((pod) => ({
      pod: kObj(pod),
      priority: priorityOf(pod),
      usage: usage(pod) ?? null,
      request: requestOf(pod, resource),
    })),
  });
  return ranked.flatMap((name) => pods.find((pod) => kObj(pod) === name) ?? []);
}

/**
 * Returns what is removed for a signal before any pod is, in order.
 * upstream: buildSignalToNodeReclaimFuncs (fidelity 3:EV-08)
 */
export function reclaimFor(
  signal: Signal,
  imageFs: boolean,
  splitContainerImageFs: boolean,
): readonly ('containers' | 'images')[] {
  const [disk] = signal.split('.');
  if (disk !== 'nodefs' && disk !== 'imagefs' && disk !== 'containerfs') return [];
  if (!imageFs) return ['containers', 'images'];
  if (splitContainerImageFs) return disk === 'imagefs' ? ['images'] : ['containers'];
  return disk === 'nodefs' ? [] : ['containers', 'images'];
}
