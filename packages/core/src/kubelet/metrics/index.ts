/** What a kubelet counts and times, and the text that Prometheus reads. */
export { imageSizeBucket, KubeletMetrics, metricsOf, newProcessMetrics } from './kubelet-metrics.js';
export * from './registry.js';
export { operationType } from './runtime-operations.js';
