import { deepEqual } from '../../base/deep.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';
import type { Container, PodSpec, ResourceList, ResourceRequirements } from '../types.js';

const sameList = (a: ResourceList | undefined, b: ResourceList | undefined): boolean => {
  if (a === b) return true;
  const names = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
  // A resource that is not listed is another thing than one of amount 0.
  return [...names].every((n) => n in (a ?? {}) === n in (b ?? {}) && resourceOf(a, n) === resourceOf(b, n));
};

const sameClaims = (a: ResourceRequirements['claims'], b: ResourceRequirements['claims']): boolean =>
  a === b || deepEqual(a ?? [], b ?? []);

/**
 * True if both are equal as amounts, however they are written; a missing list is an empty one.
 * upstream: apiequality.Semantic.DeepEqual
 */
export const sameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  sameList(a?.limits, b?.limits) && sameList(a?.requests, b?.requests) && sameClaims(a?.claims, b?.claims);

/**
 * CPU and memory of a container or pod: milli-CPUs and bytes, 0 if none is given.
 * upstream: kuberuntime resourceRequirements
 */
export interface ResourceNumbers {
  readonly memoryLimit: number;
  readonly memoryRequest: number;
  readonly cpuLimit: number;
  readonly cpuRequest: number;
}

/** upstream: podResourcesFromRequirements */
export const resourceNumbers = (r: ResourceRequirements | undefined): ResourceNumbers => ({
  memoryLimit: quantityValue(resourceOf(r?.limits, 'memory')),
  memoryRequest: quantityValue(resourceOf(r?.requests, 'memory')),
  cpuLimit: quantityMilliValue(resourceOf(r?.limits, 'cpu')),
  cpuRequest: quantityMilliValue(resourceOf(r?.requests, 'cpu')),
});

export const sameNumbers = (a: ResourceNumbers, b: ResourceNumbers): boolean =>
  a.memoryLimit === b.memoryLimit &&
  a.memoryRequest === b.memoryRequest &&
  a.cpuLimit === b.cpuLimit &&
  a.cpuRequest === b.cpuRequest;

/**
 * A container's limits; the pod-level limits apply to CPU and memory that it does not limit.
 * upstream: pkg/kubelet/util GetLimits
 */
export function limitsOf(
  pod: ResourceRequirements | undefined,
  container: ResourceRequirements | undefined,
): ResourceList {
  const limits: ResourceList = { ...container?.limits };
  for (const name of ['cpu', 'memory']) {
    const own = pod?.limits?.[name];
    if (resourceOf(limits, name) === 0n && own !== undefined) limits[name] = own;
  }
  return limits;
}

/**
 * Returns the most that a pod's containers need at one time; null if none names a resource.
 * upstream: component-helpers resource AggregateContainerRequests, AggregateContainerLimits
 */
export function aggregateContainers(
  spec: Pick<PodSpec, 'containers' | 'initContainers'>,
  kind: 'requests' | 'limits',
  name: string,
): bigint | null {
  const inits = spec.initContainers ?? [];
  if (![...spec.containers, ...inits].some((c) => c.resources?.[kind]?.[name] !== undefined)) return null;
  const of = (c: Container) => resourceOf(c.resources?.[kind], name);
  let running = spec.containers.reduce((n, c) => n + of(c), 0n);
  let sidecars = 0n;
  let most = 0n;
  for (const c of inits) {
    // A plain init container runs at the same time as the sidecars before it.
    let now = sidecars + of(c);
    if (c.restartPolicy === 'Always') {
      running += of(c);
      sidecars += of(c);
      now = sidecars;
    }
    if (now > most) most = now;
  }
  return running > most ? running : most;
}
