import { addQuantity, cmpQuantity, newQuantity, type Quantity, quantityText, readQuantity } from '../../base/index.js';
import type { Container, Pod, ResourceList, ResourceRequirements } from '../types.js';
import { isRestartableInitContainer } from './podutil.js';

type Kind = 'requests' | 'limits';

const read = (text: string): Quantity => {
  try {
    return readQuantity(text);
  } catch {
    return newQuantity(0, 'DecimalSI');
  }
};

type Amounts = Map<string, Quantity>;

const amounts = (list: ResourceList | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([k, v]) => [k, read(String(v))]));

function add(into: Amounts, more: Amounts): void {
  for (const [name, a] of more) {
    const b = into.get(name);
    into.set(name, b ? addQuantity(b, a) : a);
  }
}
function raise(into: Amounts, other: Amounts): void {
  for (const [name, a] of other) {
    const b = into.get(name);
    if (!b || cmpQuantity(a, b) > 0) into.set(name, a);
  }
}

/**
 * Returns the requests or limits of a pod as a whole: the sum of its containers and sidecars, or what its init phase
 * needs if that is more, then pod-level resources, then the overhead.
 * upstream: component-helpers resource PodRequests, PodLimits
 */
function podTotal(pod: Pod, kind: Kind, fromStatus = false): ResourceList {
  const of = (c: Container): Amounts => {
    const own = amounts(c.resources?.[kind]);
    // The actual resources, if they are more than the allocated ones.
    if (fromStatus) raise(own, amounts(statusOf(pod, c.name)?.resources?.[kind]));
    return own;
  };
  const total: Amounts = new Map();
  for (const c of pod.spec.containers) add(total, of(c));
  const sidecars: Amounts = new Map();
  const init: Amounts = new Map();
  for (const c of pod.spec.initContainers ?? []) {
    if (isRestartableInitContainer(c)) {
      add(total, of(c));
      add(sidecars, of(c));
      raise(init, sidecars);
      continue;
    }
    const now: Amounts = new Map(of(c));
    add(now, sidecars);
    raise(init, now);
  }
  raise(total, init);
  for (const [name, a] of amounts(pod.spec.resources?.[kind]))
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, a);
  for (const [name, a] of amounts(pod.spec.overhead))
    if (kind === 'requests' || total.has(name)) add(total, new Map([[name, a]]));
  return Object.fromEntries(
    [...total].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, a]) => [name, quantityText(a)]),
  );
}

const statusOf = ({ status }: Pod, name: string) =>
  [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find((s) => s.name === name);

/**
 * `useStatusResources`: what the status shows counts if it is more.
 * upstream: PodResourcesOptions.UseStatusResources
 */
export const podRequests = (pod: Pod, options: { readonly useStatusResources?: boolean } = {}): ResourceList =>
  podTotal(pod, 'requests', options.useStatusResources);
export const podLimits = (pod: Pod): ResourceList => podTotal(pod, 'limits');

/**
 * A pod's resources as its status shows them; empty lists are left out.
 * upstream: pkg/kubelet/kubelet_pods.go getEffectiveAllocatedResources
 */
export function effectiveAllocatedResources(pod: Pod): ResourceRequirements {
  const limits = podLimits(pod);
  const requests = podRequests(pod);
  return {
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...(pod.spec.resources?.claims ? { claims: pod.spec.resources.claims } : {}),
  };
}
