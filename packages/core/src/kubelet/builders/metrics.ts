import type { NodeInfo } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import { type KubeletMetrics, newProcessMetrics } from '../metrics/kubelet-metrics.js';

/** The metrics of this kubelet's process, with what is known from the start. upstream: pkg/kubelet/metrics Register */
export function newKubeletMetrics(
  kernel: Kernel,
  { bootTimeMillis, cgroupVersion }: Pick<NodeInfo, 'bootTimeMillis' | 'cgroupVersion'>,
): KubeletMetrics {
  const metrics = newProcessMetrics(kernel);
  metrics.nodeStartupLatency.bootMillis = bootTimeMillis ?? null;
  metrics.cgroupVersion.set(cgroupVersion);
  // Containers' statistics are the runtime's own: there is no cAdvisor.
  metrics.metricsProvider.set(1, { provider: 'cri' });
  return metrics;
}
