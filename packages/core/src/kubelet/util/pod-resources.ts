import { parseQuantity } from '../../base/index.js';
import type { Container, Pod, ResourceList, ResourceRequirements } from '../api/types.js';
import { isRestartableInitContainer } from './podutil.js';

type Kind = 'requests' | 'limits';

/** An amount with the notation that it is written in. upstream: resource.Quantity */
interface Amount {
  readonly value: bigint;
  readonly binary: boolean;
  /** The amount as written, as long as nothing was added to it. */
  readonly text?: string;
}

const read = (text: string): Amount => {
  try {
    return { value: parseQuantity(text), binary: /[KMGTPE]i$/.test(text), text };
  } catch {
    return { value: 0n, binary: false, text };
  }
};

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const nano = 10n ** 9n;

/** The canonical text: the largest unit that leaves a whole number. upstream: (*Quantity).String */
function format({ value, binary, text }: Amount): string {
  if (text !== undefined) return text;
  if (value === 0n) return '0';
  let n = value;
  if (n % nano !== 0n) {
    for (const [suffix, unit] of [
      ['m', 10n ** 6n],
      ['u', 1000n],
    ] as const)
      if (n % unit === 0n) return `${n / unit}${suffix}`;
    return `${n}n`;
  }
  n /= nano;
  const base = binary ? 1024n : 1000n;
  const suffixes = binary ? binarySuffixes : decimalSuffixes;
  let i = 0;
  while (i + 1 < suffixes.length && n % base === 0n) {
    n /= base;
    i++;
  }
  return `${n}${suffixes[i]}`;
}

type Amounts = Map<string, Amount>;

const amounts = (list: ResourceList | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([k, v]) => [k, read(String(v))]));

function add(into: Amounts, more: Amounts): void {
  for (const [name, a] of more) {
    const b = into.get(name);
    into.set(name, b ? { value: a.value + b.value, binary: b.binary } : a);
  }
}
function raise(into: Amounts, other: Amounts): void {
  for (const [name, a] of other) {
    const b = into.get(name);
    if (!b || a.value > b.value) into.set(name, a);
  }
}

/**
 * What a pod as a whole requests or is limited to: the sum of its containers and sidecars, or what its init phase needs
 * if that is more, then pod-level resources, then the overhead.
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
  return Object.fromEntries([...total].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, a]) => [name, format(a)]));
}

const statusOf = ({ status }: Pod, name: string) =>
  [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find((s) => s.name === name);

/**
 * `useStatusResources`: what the status shows counts where it is more.
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
