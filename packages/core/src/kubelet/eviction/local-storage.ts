import { podLimits } from '../../api/pod/pod-resources.js';
import type { Pod } from '../../api/types.js';
import { cmpQuantity, newQuantity, type Quantity, quantityText } from '../../base/index.js';
import type { FsStats, PodStats } from '../stats/types.js';
import { quantityIn } from './message.js';
import type { LimitSignal } from './types.js';

export interface Violation {
  readonly signal: LimitSignal;
  readonly message: string;
}

const used = (fs: FsStats | undefined): number => fs?.usedBytes ?? 0;
const bytes = (n: number): Quantity => newQuantity(n, 'BinarySI');

/**
 * Returns the limits of storage that a pod exceeds, as reasons to evict it, the first first: an emptyDir over its size,
 * the pod over the sum of its limits, a container over its own.
 * upstream: emptyDirLimitEviction, podEphemeralStorageLimitEviction, containerEphemeralStorageLimitEviction
 */
export function localStorageViolation(pod: Pod, stats: PodStats, dedicatedImageFs: boolean): Violation[] {
  const found = [emptyDir(pod, stats), wholePod(pod, stats), container(pod, stats, dedicatedImageFs)];
  return found.filter((v) => v !== null);
}

function emptyDir({ spec }: Pod, stats: PodStats): Violation | null {
  for (const v of spec.volumes ?? []) {
    const { emptyDir: source } = v as { emptyDir?: { sizeLimit?: string | number } | null };
    const limit = source ? quantityIn(source as Record<string, string | number>, 'sizeLimit') : bytes(0);
    const usage = stats.volume?.find((s) => s.name === v.name);
    if (!usage || limit.nano <= 0n || cmpQuantity(bytes(used(usage)), limit) <= 0) continue;
    return {
      signal: 'emptydirfs.limit',
      message: `Usage of EmptyDir volume ${JSON.stringify(v.name)} exceeds the limit ${JSON.stringify(quantityText(limit))}. `,
    };
  }
  return null;
}

function wholePod(pod: Pod, stats: PodStats): Violation | null {
  const limits = podLimits(pod);
  if (!Object.hasOwn(limits, 'ephemeral-storage')) return null;
  const limit = quantityIn(limits, 'ephemeral-storage');
  if (cmpQuantity(bytes(used(stats['ephemeral-storage'])), limit) <= 0) return null;
  return {
    signal: 'ephemeralpodfs.limit',
    message: `Pod ephemeral local storage usage exceeds the total limit of containers ${quantityText(limit)}. `,
  };
}

function container(pod: Pod, stats: PodStats, dedicatedImageFs: boolean): Violation | null {
  for (const s of stats.containers) {
    const spec = pod.spec.containers.find((c) => c.name === s.name);
    const limit = quantityIn(spec?.resources?.limits, 'ephemeral-storage');
    // On a disk of their own, writable layers do not count.
    const usage = used(s.logs) + (dedicatedImageFs ? 0 : used(s.rootfs));
    if (limit.nano === 0n || cmpQuantity(limit, bytes(usage)) >= 0) continue;
    return {
      signal: 'ephemeralcontainerfs.limit',
      message: `Container ${s.name} exceeded its local ephemeral storage limit ${JSON.stringify(quantityText(limit))}. `,
    };
  }
  return null;
}
