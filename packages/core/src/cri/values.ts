/**
 * Reading zero values. Protobuf's JSON shape leaves zero values out, and the zero values of some
 * enums matter: a missing `state` is READY or CREATED, not "unknown". Never compare such a field
 * without these.
 */
import type {
  CgroupDriver,
  ContainerEventType,
  ContainerState,
  NamespaceMode,
  PodSandboxState,
  SupplementalGroupsPolicy,
} from './types.js';

/** State of a PodSandbox, a PodSandboxStatus or a filter's PodSandboxStateValue. */
export const sandboxState = (s: { state?: PodSandboxState }): PodSandboxState => s.state ?? 'SANDBOX_READY';

/** State of a Container, a ContainerStatus or a filter's ContainerStateValue. */
export const containerState = (c: { state?: ContainerState }): ContainerState => c.state ?? 'CONTAINER_CREATED';

/** Kind of a ContainerEventResponse. */
export const containerEventType = (e: { containerEventType?: ContainerEventType }): ContainerEventType =>
  e.containerEventType ?? 'CONTAINER_CREATED_EVENT';

/** A namespace mode, given the field: `namespaceMode(options.network)`. */
export const namespaceMode = (mode: NamespaceMode | undefined): NamespaceMode => mode ?? 'POD';

/** Supplemental groups policy of a security context. */
export const supplementalGroupsPolicy = (c: {
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}): SupplementalGroupsPolicy => c.supplementalGroupsPolicy ?? 'Merge';

/** Cgroup driver of a LinuxRuntimeConfiguration. */
export const cgroupDriver = (c: { cgroupDriver?: CgroupDriver }): CgroupDriver => c.cgroupDriver ?? 'SYSTEMD';

/** A 64-bit field as a bigint: times in Unix nanoseconds lose precision as numbers. */
export function int64(value: string | undefined): bigint {
  if (value === undefined) return 0n;
  const known = parsed.get(value);
  if (known !== undefined) return known;
  const result = BigInt(value);
  // The same times are read over and over, with every list.
  if (parsed.size >= 4096) parsed.clear();
  parsed.set(value, result);
  return result;
}
const parsed = new Map<string, bigint>();

/** Order of two 64-bit fields, as `a - b`. Without a bigint if there is no sign: lists are sorted every second. */
export function compareInt64(a = '0', b = '0'): number {
  if (a === b) return 0;
  if (a[0] === '-' || b[0] === '-' || a[0] === '0' || b[0] === '0') {
    const x = BigInt(a);
    const y = BigInt(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
