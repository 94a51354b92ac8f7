import { resourceOf } from '../../base/index.js';
import type { Pod, ResourceRequirements } from '../types.js';

export type QOSClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const supported = ['cpu', 'memory'] as const;

const hasAny = (r: ResourceRequirements): boolean =>
  (r.requests !== undefined && Object.keys(r.requests).length > 0) ||
  (r.limits !== undefined && Object.keys(r.limits).length > 0);

const podLevelSet = (pod: Pod): boolean => pod.spec.resources !== undefined && hasAny(pod.spec.resources);

/** upstream: pkg/apis/core/v1/helper/qos GetPodQOS */
export const getPodQOS = (pod: Pod): QOSClass => pod.status.qosClass ?? computePodQOS(pod);

/**
 * Computes the class from cpu and memory of all regular and init containers; pod-level resources win if set.
 * upstream: ComputePodQOS
 */
export function computePodQOS(pod: Pod): QOSClass {
  const of = podLevelSet(pod)
    ? [pod.spec.resources ?? {}]
    : [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map((c) => c.resources ?? {});
  // Most pods ask for nothing, and the class is asked for often.
  if (!of.some(hasAny)) return 'BestEffort';
  const sum = (kind: 'requests' | 'limits', name: string) => of.reduce((n, r) => n + resourceOf(r[kind], name), 0n);
  const requested = supported.filter((name) => sum('requests', name) > 0n);
  const limited = supported.filter((name) => sum('limits', name) > 0n);
  if (requested.length === 0 && limited.length === 0) return 'BestEffort';
  const everyLimited = of.every((r) => supported.every((name) => resourceOf(r.limits, name) > 0n));
  const equal = requested.every((name) => sum('limits', name) === sum('requests', name));
  return everyLimited && equal && requested.length === limited.length ? 'Guaranteed' : 'Burstable';
}
