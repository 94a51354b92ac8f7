/**
 * The summary API's answer, and /metrics/resource made from it.
 * upstream: pkg/kubelet/server/stats, pkg/kubelet/metrics/collectors/resource_metrics.go
 */

import { toTime } from '../../api/time.js';
import { type Kernel, Second } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import { type Counter, type Gauge, Registry } from '../metrics/registry.js';
import type { Summary } from '../stats/types.js';

/** The answer as it goes over the wire: instants of the run become dates (fidelity 3:HTTP-10). */
export function summaryToWire(kernel: Kernel, summary: Summary): Json {
  const convert = (value: unknown, key: string): Json => {
    if ((key === 'time' || key === 'startTime') && typeof value === 'number') return toTime(kernel, value);
    if (Array.isArray(value)) return value.map((item) => convert(item, ''));
    if (typeof value !== 'object' || value === null) return value as Json;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, convert(v, k)]));
  };
  return convert(summary, '');
}

/** `only_cpu_and_memory=true`, once and nothing else, asks for the cheap form. upstream: handleSummary */
export const onlyCPUAndMemory = (query: { getAll(name: string): string[] }): boolean => {
  const given = query.getAll('only_cpu_and_memory');
  return given.length === 1 && given[0] === 'true';
};

/** The text of /metrics/resource; null: the figures could not be read. upstream: NewResourceMetricsCollector */
export function resourceMetrics(kernel: Kernel, summary: Summary | null): string {
  const registry = new Registry();
  const ofContainer = ['container', 'pod', 'namespace'] as const;
  const ofPod = ['pod', 'namespace'] as const;
  const make = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    labels?: readonly string[],
    alpha = false,
  ): Counter => registry[type]({ name, help, stability: alpha ? 'ALPHA' : 'STABLE', labels: labels ?? [] });
  const set = (
    to: Counter,
    sample: { readonly time: number } | undefined,
    value: number | undefined,
    labels: Readonly<Record<string, string>> = {},
  ) => {
    if (!sample || value === undefined) return;
    const millis = kernel.clock.epochMillis + sample.time / 1000;
    // A scrape shows totals that another component counts.
    (to as Gauge).set(value, labels, millis);
  };
  const nodeCPU = make('counter', 'node_cpu_usage_seconds_total', 'Processor time of the node, in seconds.');
  const nodeMemory = make('gauge', 'node_memory_working_set_bytes', "The node's working set, in bytes.");
  const nodeSwap = make('gauge', 'node_swap_usage_bytes', "The node's swap in use, in bytes.", undefined, true);
  const started = make(
    'gauge',
    'container_start_time_seconds',
    'When a container started, in seconds since 1970.',
    ofContainer,
  );
  const cpu = make(
    'counter',
    'container_cpu_usage_seconds_total',
    'Processor time of a container, in seconds.',
    ofContainer,
  );
  const memory = make(
    'gauge',
    'container_memory_working_set_bytes',
    "A container's working set, in bytes.",
    ofContainer,
  );
  const swap = make('gauge', 'container_swap_usage_bytes', "A container's swap in use, in bytes.", ofContainer, true);
  const swapLimit = make(
    'gauge',
    'container_swap_limit_bytes',
    'Swap that a container may use, in bytes.',
    ofContainer,
    true,
  );
  const podCPU = make('counter', 'pod_cpu_usage_seconds_total', 'Processor time of a pod, in seconds.', ofPod);
  const podMemory = make('gauge', 'pod_memory_working_set_bytes', "A pod's working set, in bytes.", ofPod);
  const podSwap = make('gauge', 'pod_swap_usage_bytes', "A pod's swap in use, in bytes.", ofPod, true);
  const failed = summary ? 0 : 1;
  const help = '1 if the figures could not be obtained, else 0.';
  registry.gauge({ name: 'resource_scrape_error', help, stability: 'STABLE' }).set(failed);
  registry.gauge({ name: 'scrape_error', help }).set(failed);
  if (!summary) return registry.text();

  const seconds = (nanos: number | undefined) => (nanos === undefined ? undefined : nanos / 1e9);
  const { node, pods } = summary;
  set(nodeCPU, node.cpu, seconds(node.cpu?.usageCoreNanoSeconds));
  set(nodeMemory, node.memory, node.memory?.workingSetBytes);
  set(nodeSwap, node.swap, node.swap?.swapUsageBytes);
  for (const pod of pods) {
    const { name, namespace } = pod.podRef;
    const labels = { pod: name, namespace };
    for (const c of pod.containers) {
      const own = { ...labels, container: c.name };
      const at = kernel.clock.epochMillis / 1000 + c.startTime / Second;
      if (at > 0) started.add(at, own);
      set(cpu, c.cpu, seconds(c.cpu?.usageCoreNanoSeconds), own);
      set(memory, c.memory, c.memory?.workingSetBytes, own);
      const used = c.swap?.swapUsageBytes;
      set(swap, c.swap, used, own);
      const left = c.swap?.swapAvailableBytes;
      set(swapLimit, c.swap, left === undefined ? undefined : left + (used ?? 0), own);
    }
    set(podCPU, pod.cpu, seconds(pod.cpu?.usageCoreNanoSeconds), labels);
    set(podMemory, pod.memory, pod.memory?.workingSetBytes, labels);
    set(podSwap, pod.swap, pod.swap?.swapUsageBytes, labels);
  }
  return registry.text();
}
