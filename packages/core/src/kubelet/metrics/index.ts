/** The kubelet's counters and timings, and the text that Prometheus reads. */

export { operationType } from '../../cri/operations.js';
export { imageSizeBucket, KubeletMetrics, metricsOf, newProcessMetrics } from './kubelet-metrics.js';
export * from './registry.js';
