import type { Pod } from '../../api/types.js';
import { cmpQuantity, newQuantity, type Quantity, quantityText, readQuantity } from '../../base/index.js';
import type { StatsFunc } from './observations.js';
import { thresholdQuantity } from './thresholds.js';
import { type SignalObservations, type StarvedResource, signals, type Threshold } from './types.js';

/** The reason in the pod's status and in the event. upstream: helpers.go Reason */
export const evictedReason = 'Evicted';

/** A quantity of a list, in canonical notation; 0 if it is missing or cannot be read. */
export function quantityIn(list: Readonly<Record<string, string | number>> | undefined, name: string): Quantity {
  const text = list && Object.hasOwn(list, name) ? list[name] : undefined;
  if (text === undefined) return newQuantity(0, 'DecimalSI');
  try {
    return readQuantity(String(text));
  } catch {
    return newQuantity(0, 'DecimalSI');
  }
}

/**
 * Says why a pod is evicted, in words and as the event's annotations; no annotations if nothing is known of the pod.
 * `plain`: without the threshold, in the words of v1.25 and before.
 * upstream: helpers.go evictionMessage (fidelity 3:EV-12)
 */
export function evictionMessage(
  resource: StarvedResource,
  pod: Pod,
  stats: StatsFunc,
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  plain = false,
): { readonly message: string; readonly annotations: Readonly<Record<string, string>> } {
  let message = `The node was low on resource: ${resource}. `;
  const threshold = thresholds.find((t) => signals[t.signal].resource === resource && observations.has(t.signal));
  const observed = threshold && observations.get(threshold.signal);
  if (threshold && observed && !plain)
    message += `Threshold quantity: ${quantityText(thresholdQuantity(threshold.value, observed.capacity))}, available: ${quantityText(observed.available)}. `;
  const podStats = stats(pod);
  if (!podStats) return { message, annotations: {} };
  const annotations: Record<string, string> = {};
  const { spec } = pod;
  const ofPod = spec.resources?.requests;
  if (resource === 'memory' && ofPod && Object.hasOwn(ofPod, 'memory') && podStats.memory) {
    const used = quantityText(newQuantity(podStats.memory.workingSetBytes ?? 0, 'BinarySI'));
    message += `Pod ${pod.metadata.name} was using ${used}, request is ${quantityText(quantityIn(ofPod, 'memory'))}, has larger consumption of ${resource}. `;
    annotations.offending_pod = pod.metadata.name;
    annotations.offending_pod_usage = used;
  }
  const names: string[] = [];
  const usages: string[] = [];
  // Ephemeral containers cannot ask for anything, and are not blamed.
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  for (const s of podStats.containers) {
    const container = containers.find((c) => c.name === s.name);
    if (!container) continue;
    let used: number | undefined;
    if (resource === 'memory') used = s.memory?.workingSetBytes;
    else if (resource === 'ephemeral-storage' && s.rootfs?.usedBytes !== undefined && s.logs?.usedBytes !== undefined)
      used = s.rootfs.usedBytes + s.logs.usedBytes;
    if (used === undefined) continue;
    const usage = newQuantity(used, 'BinarySI');
    const request = quantityIn(container.resources?.requests, resource);
    if (cmpQuantity(usage, request) <= 0) continue;
    const than = plain
      ? `which exceeds its request of ${quantityText(request)}`
      : `request is ${quantityText(request)}, has larger consumption of ${resource}`;
    message += `Container ${container.name} was using ${quantityText(usage)}, ${than}. `;
    names.push(container.name);
    usages.push(quantityText(usage));
  }
  return {
    message,
    annotations: {
      ...annotations,
      offending_containers: names.join(','),
      offending_containers_usage: usages.join(','),
      starved_resource: resource,
    },
  };
}
