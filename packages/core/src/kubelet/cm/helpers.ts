import { podLimits, podRequests } from '../../api/pod/pod-resources.js';
import { getPodQOS } from '../../api/pod/qos.js';
import type { Pod, ResourceList } from '../../api/types.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';

const minShares = 2;
const maxShares = 262144;
const sharesPerCPU = 1024;
const milliCPUToCPU = 1000;
const minQuotaPeriod = 1000;
/** cpu.cfs_period_us, microseconds. upstream: cm.QuotaPeriod */
export const quotaPeriod = 100_000;
/** Below this a limit makes no difference. upstream: cm.MinMilliCPULimit */
export const minMilliCPULimit = 10;
/** upstream: cm.MinShares */
export const MinShares = minShares;

/** upstream: pkg/kubelet/cm MilliCPUToShares */
export function milliCPUToShares(milliCPU: number): number {
  if (milliCPU === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.trunc((milliCPU * sharesPerCPU) / milliCPUToCPU)));
}

/** Rounded up, so that it leads back to the same shares. upstream: pkg/kubelet/cm SharesToMilliCPU */
export const sharesToMilliCPU = (shares: number): number =>
  shares < minShares ? 0 : Math.ceil((shares * milliCPUToCPU) / sharesPerCPU);

/** Returns the quota of a CPU limit, 0 without one. upstream: pkg/kubelet/cm MilliCPUToQuota */
export function milliCPUToQuota(milliCPU: number, period: number): number {
  if (milliCPU === 0) return 0;
  return Math.max(minQuotaPeriod, Math.trunc((milliCPU * period) / milliCPUToCPU));
}

/**
 * The settings of a cgroup; a missing field changes nothing. Bytes, shares, microseconds.
 * upstream: cm.ResourceConfig
 */
export interface ResourceConfig {
  readonly memory?: number;
  readonly cpuShares?: number;
  /** -1: no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly pidsLimit?: number;
  /** Bytes by page size in bytes. */
  readonly hugePageLimit?: Readonly<Record<string, number>>;
}

/** The value that means no limit. upstream: within setHugePagesUnbounded */
export const unboundedHugePages = 2 ** 62;

/** Converts from the range of version 1, 2 to 262144, to that of version 2, 1 to 10000. upstream: cm.getCPUWeight */
export const cpuSharesToWeight = (shares: number): number =>
  shares >= maxShares ? 10_000 : 1 + Math.trunc(((shares - 2) * 9999) / 262_142);
/** Converts back, not always to the original value. upstream: cm.cpuWeightToCPUShares */
export const cpuWeightToShares = (weight: number): number => Math.trunc(((weight - 1) * 262_142) / 9999) + 2;

/** A CFS period of the configuration in microseconds; anything but the default needs its gate. */
export const microsecondsPeriod = (config: { readonly cpuCFSQuotaPeriod?: number }): number =>
  config.cpuCFSQuotaPeriod ?? quotaPeriod;

/** Names a page size as the kernel's files and runtimes do: `2MB`. upstream: v1helper.HugePageUnitSizeFromByteSize */
export function hugePageUnitSize(bytes: number): string {
  const [unit, of] = (
    [
      ['GB', 2 ** 30],
      ['MB', 2 ** 20],
      ['KB', 2 ** 10],
    ] as const
  ).find(([, n]) => bytes % n === 0) ?? ['B', 1];
  return `${bytes / of}${unit}`;
}

/** Returns amounts such as `hugepages-2Mi` of a list, by page size. upstream: cm.HugePageLimits */
export function hugePageLimits(list: ResourceList): Record<string, number> {
  const out: Record<string, number> = {};
  for (const name of Object.keys(list)) {
    if (!name.startsWith('hugepages-')) continue;
    const size = quantityValue(resourceOf({ size: name.slice('hugepages-'.length) }, 'size'));
    if (size > 0) out[size] = (out[size] ?? 0) + quantityValue(resourceOf(list, name));
  }
  return out;
}

/** Returns the settings of a cgroup that shares `list` out. upstream: cm.getCgroupConfigInternal */
export function cgroupConfigOf(list: ResourceList, compressibleOnly: boolean): ResourceConfig {
  const cpu =
    list.cpu === undefined ? {} : { cpuShares: milliCPUToShares(quantityMilliValue(resourceOf(list, 'cpu'))) };
  if (compressibleOnly) return cpu;
  return {
    ...(list.memory !== undefined && { memory: quantityValue(resourceOf(list, 'memory')) }),
    ...cpu,
    ...(list.pid !== undefined && { pidsLimit: quantityValue(resourceOf(list, 'pid')) }),
    hugePageLimit: hugePageLimits(list),
  };
}

/** upstream: mergeResourceConfig */
export const mergeResourceConfig = (source: ResourceConfig, update: ResourceConfig): ResourceConfig => ({
  ...source,
  ...Object.fromEntries(Object.entries(update).filter(([, v]) => v !== undefined)),
});

export interface ResourceConfigOptions {
  /** False: no container is held to its CPU limit. Default: true. upstream: cpuCFSQuota */
  readonly enforceCPULimits?: boolean;
  /** Microseconds. Default: 100 ms. */
  readonly cpuPeriod?: number;
}

/** The cgroup of a pod as its spec asks for it. upstream: pkg/kubelet/cm ResourceConfigForPod */
export function resourceConfigForPod(pod: Pod, options: ResourceConfigOptions = {}): ResourceConfig {
  const { enforceCPULimits = true, cpuPeriod = quotaPeriod } = options;
  const limits = podLimits(pod);
  const requests = podRequests(pod);
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  // A limit of the pod is one only if no container is without.
  const declared = (name: string) =>
    containers.every((c) => resourceOf(c.resources?.limits, name) > 0n) ||
    resourceOf(pod.spec.resources?.limits, name) > 0n;
  const milli = (list: ResourceList) => quantityMilliValue(resourceOf(list, 'cpu'));
  const cpuShares = milliCPUToShares(milli(requests));
  const cpuQuota = enforceCPULimits ? milliCPUToQuota(milli(limits), cpuPeriod) : -1;
  const cpu = { cpuQuota, cpuPeriod };
  const memory = { memory: quantityValue(resourceOf(limits, 'memory')) };
  const pages = hugePageLimits(requests);
  const huge = Object.keys(pages).length > 0 ? { hugePageLimit: pages } : {};
  switch (getPodQOS(pod)) {
    case 'Guaranteed':
      return { cpuShares, ...cpu, ...memory, ...huge };
    case 'Burstable':
      return { cpuShares, ...(declared('cpu') ? cpu : {}), ...(declared('memory') ? memory : {}), ...huge };
    default:
      return { cpuShares: minShares, ...huge };
  }
}
