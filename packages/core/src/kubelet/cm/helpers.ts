import type { Pod, ResourceList } from '../api/types.js';
import { getPodQOS } from '../qos.js';
import { podLimits, podRequests } from '../util/pod-resources.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../util/quantity.js';

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

/** 0 without a limit. upstream: pkg/kubelet/cm MilliCPUToQuota */
export function milliCPUToQuota(milliCPU: number, period: number): number {
  if (milliCPU === 0) return 0;
  return Math.max(minQuotaPeriod, Math.trunc((milliCPU * period) / milliCPUToCPU));
}

/** What a cgroup is set to; a field that is missing is left alone. Bytes, shares, microseconds. upstream: cm.ResourceConfig */
export interface ResourceConfig {
  readonly memory?: number;
  readonly cpuShares?: number;
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
}

/** upstream: mergeResourceConfig */
export const mergeResourceConfig = (source: ResourceConfig, update: ResourceConfig): ResourceConfig => ({
  ...source,
  ...Object.fromEntries(Object.entries(update).filter(([, v]) => v !== undefined)),
});

/** The cgroup of a pod as its spec asks for it. upstream: pkg/kubelet/cm ResourceConfigForPod */
export function resourceConfigForPod(pod: Pod): ResourceConfig {
  const limits = podLimits(pod);
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  // A limit of the pod is one only if no container is without.
  const declared = (name: string) =>
    containers.every((c) => resourceOf(c.resources?.limits, name) > 0n) ||
    resourceOf(pod.spec.resources?.limits, name) > 0n;
  const milli = (list: ResourceList) => quantityMilliValue(resourceOf(list, 'cpu'));
  const cpuShares = milliCPUToShares(milli(podRequests(pod)));
  const cpu = { cpuQuota: milliCPUToQuota(milli(limits), quotaPeriod), cpuPeriod: quotaPeriod };
  const memory = { memory: quantityValue(resourceOf(limits, 'memory')) };
  switch (getPodQOS(pod)) {
    case 'Guaranteed':
      return { cpuShares, ...cpu, ...memory };
    case 'Burstable':
      return { cpuShares, ...(declared('cpu') ? cpu : {}), ...(declared('memory') ? memory : {}) };
    default:
      return { cpuShares: minShares };
  }
}
