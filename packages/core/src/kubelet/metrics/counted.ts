/**
 * Metrics that a worker counts in the middle of its work. Each is a call in the trace, by upstream's name, because the
 * articles stop there; what it returns is the metric's new value.
 */
import { frameSync, type Kernel } from '../../kernel/index.js';
import { metricsOf } from './kubelet-metrics.js';

/** Counts a sandbox that is about to be created. */
export const countStartedPod = (kernel: Kernel): number =>
  frameSync(
    'StartedPodsTotal.Inc',
    undefined,
    () => incStartedPods(kernel),
    (total) => ({ total }),
  );

/** upstream: pkg/kubelet/metrics/metrics.go StartedPodsTotal */
function incStartedPods(kernel: Kernel): number {
  const { startedPods } = metricsOf(kernel);
  startedPods.add(1);
  return startedPods.get();
}

/** Notes how many containers a pod has that its worker begins with. */
export const observeContainersPerPod = (kernel: Kernel, containers: number): number =>
  frameSync(
    'ContainersPerPodCount.Observe',
    { containers },
    () => observeContainers(kernel, containers),
    (pods) => ({ pods }),
  );

/** upstream: pkg/kubelet/metrics/metrics.go ContainersPerPodCount */
function observeContainers(kernel: Kernel, containers: number): number {
  const { containersPerPod } = metricsOf(kernel);
  containersPerPod.observe(containers);
  return containersPerPod.count();
}

/**
 * Notes how long a worker was at an update, in seconds. Up to v1.13 the metric was PodWorkerLatency, in microseconds.
 */
export const observePodWorker = (kernel: Kernel, operation: string, seconds: number): number =>
  frameSync(
    'PodWorkerDuration.Observe',
    { operation_type: operation, seconds },
    () => observeDuration(kernel, operation, seconds),
    (count) => ({ count }),
  );

/** upstream: pkg/kubelet/metrics/metrics.go PodWorkerDuration */
function observeDuration(kernel: Kernel, operation: string, seconds: number): number {
  const { podWorkerDuration } = metricsOf(kernel);
  podWorkerDuration.observe(seconds, { operation_type: operation });
  return podWorkerDuration.count({ operation_type: operation });
}
