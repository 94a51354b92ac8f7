import { aggregateContainers } from '../../api/pod/resources.js';
import type { Container, Pod, ResourceList } from '../../api/types.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';
import type { LinuxContainerResources } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import {
  hugePageLimits as cgroupHugePageLimits,
  hugePageUnitSize,
  microsecondsPeriod,
  milliCPUToQuota,
  milliCPUToShares,
  type ResourceConfig,
  sharesToMilliCPU,
} from '../cm/helpers.js';
import type { KubeletConfig } from '../config.js';
import type { ContainerResources } from '../container/types.js';
import { getContainerOOMScoreAdjust } from '../qos.js';

const milliCPUToCPU = 1000;

const isSet = (list: ResourceList | undefined, name: string): boolean => list?.[name] !== undefined;

/** The configuration of CPU limits. upstream: cpuCFSQuota, cpuCFSQuotaPeriod */
export type CFSConfig = Pick<KubeletConfig, 'cpuCFSQuota' | 'cpuCFSQuotaPeriod'>;

/**
 * Computes the Linux resources. cpuRequest null: not given, the limit counts instead (fidelity 2:G-09). Amounts in
 * milli-CPUs and bytes.
 * upstream: calculateLinuxResources
 */
export function calculateLinuxResources(
  cpuRequest: number | null,
  cpuLimit: number,
  memoryLimit: number,
  cgroupVersion: 1 | 2,
  cfs: CFSConfig = {},
): LinuxContainerResources {
  const out: LinuxContainerResources = {
    cpuShares: String(milliCPUToShares(cpuRequest ?? cpuLimit)),
  };
  if (cfs.cpuCFSQuota ?? true) {
    const period = microsecondsPeriod(cfs);
    const quota = milliCPUToQuota(cpuLimit, period);
    out.cpuPeriod = String(period);
    if (quota !== 0) out.cpuQuota = String(quota);
  }
  if (memoryLimit !== 0) out.memoryLimitInBytes = String(memoryLimit);
  // A process that runs out of memory takes its whole container along.
  if (cgroupVersion === 2) out.unified = { 'memory.oom.group': '1' };
  return out;
}

/** upstream: generateLinuxContainerResources, configureContainerSwapResources */
export function generateLinuxContainerResources(
  pod: Pod,
  container: Container,
  node: Pick<NodeInfo, 'memoryCapacityBytes' | 'cgroupVersion' | 'swapControllerAvailable' | 'hugePages'>,
  cfs: CFSConfig = {},
): LinuxContainerResources {
  const { requests, limits } = container.resources ?? {};
  // A pod-level limit applies to a container without one.
  const limit = (name: string) => resourceOf(limits, name) || resourceOf(pod.spec.resources?.limits, name);
  const cpuRequest = isSet(requests, 'cpu') ? quantityMilliValue(resourceOf(requests, 'cpu')) : null;
  const out = calculateLinuxResources(
    cpuRequest,
    quantityMilliValue(limit('cpu')),
    quantityValue(limit('memory')),
    node.cgroupVersion,
    cfs,
  );
  const oomScoreAdj = getContainerOOMScoreAdjust(pod, container, node.memoryCapacityBytes);
  if (oomScoreAdj !== 0) out.oomScoreAdj = String(oomScoreAdj);
  // A container's own limit goes before the pod's, size by size.
  const huge = hugepageLimits({ ...pod.spec.resources?.limits, ...limits }, node.hugePages ?? []);
  if (huge.length > 0) out.hugepageLimits = huge;
  // No swap: the default behaviour. In version 1 the limit is of memory and swap together.
  if (node.swapControllerAvailable ?? true) {
    if (node.cgroupVersion === 2) out.unified = { ...out.unified, 'memory.swap.max': '0' };
    else if (out.memoryLimitInBytes) out.memorySwapLimitInBytes = out.memoryLimitInBytes;
  }
  return out;
}

/**
 * One entry for each page size of the node, without a limit if the container has none.
 * upstream: GetHugepageLimitsFromResources
 */
function hugepageLimits(
  limits: ResourceList | undefined,
  sizes: readonly { readonly pageSizeKB: number }[],
): NonNullable<LinuxContainerResources['hugepageLimits']> {
  const given = cgroupHugePageLimits(limits ?? {});
  return sizes.map(({ pageSizeKB }) => {
    const limit = given[pageSizeKB * 1024] ?? 0;
    const pageSize = hugePageUnitSize(pageSizeKB * 1024);
    return limit === 0 ? { pageSize } : { pageSize, limit: String(limit) };
  });
}

/**
 * A pod's request or limit without overhead; null if the pod gives none.
 * upstream: component-helpers resource PodRequests, PodLimits
 */
export function podResource(pod: Pod, kind: 'requests' | 'limits', name: string): bigint | null {
  const ofPod = pod.spec.resources?.[kind];
  return isSet(ofPod, name) ? resourceOf(ofPod, name) : aggregateContainers(pod.spec, kind, name);
}

/**
 * The sandbox' resources without and its overhead alone (fidelity 2:S-12).
 * upstream: calculateSandboxResources, convertOverheadToLinuxResources
 */
export function sandboxResources(
  pod: Pod,
  cgroupVersion: 1 | 2,
  cfs: CFSConfig = {},
): { resources: LinuxContainerResources; overhead: LinuxContainerResources } {
  const request = podResource(pod, 'requests', 'cpu');
  const cpuLimit = quantityMilliValue(podResource(pod, 'limits', 'cpu') ?? 0n);
  const memoryLimit = quantityValue(podResource(pod, 'limits', 'memory') ?? 0n);
  const resources = calculateLinuxResources(
    request === null ? null : quantityMilliValue(request),
    cpuLimit,
    memoryLimit,
    cgroupVersion,
    cfs,
  );
  return { resources, overhead: overheadResources(pod, cgroupVersion, cfs) };
}

/** The overhead alone. upstream: convertOverheadToLinuxResources */
export function overheadResources(pod: Pod, cgroupVersion: 1 | 2, cfs: CFSConfig = {}): LinuxContainerResources {
  if (!pod.spec.overhead) return {};
  const cpu = quantityMilliValue(resourceOf(pod.spec.overhead, 'cpu'));
  return calculateLinuxResources(cpu, cpu, quantityValue(resourceOf(pod.spec.overhead, 'memory')), cgroupVersion, cfs);
}

/**
 * A pod's cgroup without what its overhead adds, for the runtime.
 * upstream: subtractOverheadFromResourceConfig, convertResourceConfigToLinuxContainerResources
 */
export function podCgroupToLinuxResources(config: ResourceConfig, pod: Pod): LinuxContainerResources {
  const { overhead } = pod.spec;
  let { cpuPeriod, cpuQuota, cpuShares, memory } = config;
  if (overhead?.cpu !== undefined) {
    const cpu = quantityMilliValue(resourceOf(overhead, 'cpu'));
    if (cpuPeriod !== undefined && cpuQuota !== undefined) cpuQuota -= milliCPUToQuota(cpu, cpuPeriod);
    if (cpuShares !== undefined) cpuShares = milliCPUToShares(sharesToMilliCPU(cpuShares) - cpu);
  }
  if (overhead?.memory !== undefined && memory !== undefined) memory -= quantityValue(resourceOf(overhead, 'memory'));
  return {
    ...(cpuPeriod ? { cpuPeriod: String(cpuPeriod) } : {}),
    ...(cpuQuota ? { cpuQuota: String(cpuQuota) } : {}),
    ...(cpuShares ? { cpuShares: String(cpuShares) } : {}),
    ...(memory ? { memoryLimitInBytes: String(memory) } : {}),
  };
}

/**
 * Returns a container's resources as the runtime reports them; null if it reports none.
 * upstream: toKubeContainerResources
 */
export function toKubeContainerResources(linux: LinuxContainerResources | undefined): ContainerResources | null {
  if (!linux) return null;
  const out: { -readonly [K in keyof ContainerResources]: ContainerResources[K] } = {};
  const period = Number(linux.cpuPeriod ?? 0);
  const quota = Number(linux.cpuQuota ?? 0);
  const shares = Number(linux.cpuShares ?? 0);
  const memory = Number(linux.memoryLimitInBytes ?? 0);
  if (period > 0 && quota > 0) out.cpuLimit = Math.trunc((quota * milliCPUToCPU) / period);
  if (sharesToMilliCPU(shares) > 0) out.cpuRequest = sharesToMilliCPU(shares);
  if (memory > 0) out.memoryLimit = memory;
  return Object.keys(out).length > 0 ? out : null;
}
