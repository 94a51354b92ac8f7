import type { ResourceList } from '../../api/types.js';
import { formatBytes, formatMilli, parseQuantity, quantityMilliValue, quantityValue } from '../../base/index.js';

/** An amount of this resource, in billionths, as the API writes it: cpu in thousandths, bytes with Ki and so on. */
export function formatAmount(name: string, amount: bigint): string {
  if (name === 'cpu') return formatMilli(quantityMilliValue(amount));
  const bytes = name === 'memory' || name === 'ephemeral-storage' || isHugePage(name);
  return bytes ? formatBytes(quantityValue(amount)) : String(quantityValue(amount));
}

/** upstream: v1helper.IsHugePageResourceName */
export const isHugePage = (name: string): boolean => name.startsWith('hugepages-');

/** True if a resource has a domain that is not Kubernetes' own. upstream: v1helper.IsExtendedResourceName */
export const isExtendedResource = (name: string): boolean =>
  name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');

/** The resources that pods may not use. */
export interface Reservations {
  /** Quantities by resource. */
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  /** The amounts that hard eviction keeps free. */
  readonly eviction: ResourceList;
}

const amountOf = (list: Readonly<Record<string, string>>, name: string): bigint =>
  Object.hasOwn(list, name) ? parseQuantity(list[name] as string) : 0n;

/**
 * Returns the amounts that pods do not get of each resource, in billionths; without resources of which they get all.
 * upstream: cm (*containerManagerImpl).GetNodeAllocatableReservation
 */
export function nodeAllocatableReservation(
  capacity: ResourceList,
  { kubeReserved, systemReserved, eviction }: Reservations,
): ReadonlyMap<string, bigint> {
  const out = new Map<string, bigint>();
  for (const name of Object.keys(capacity)) {
    const amount = amountOf(systemReserved, name) + amountOf(kubeReserved, name) + amountOf(eviction, name);
    if (amount !== 0n) out.set(name, amount);
  }
  return out;
}
