import { type Kernel, Second } from '../../kernel/index.js';
import { metricsOf } from './kubelet-metrics.js';

/** Names that do not follow from the method's. upstream: pkg/kubelet/kuberuntime/instrumented_services.go */
const known = new Map(
  Object.entries({
    RunPodSandbox: 'run_podsandbox',
    StopPodSandbox: 'stop_podsandbox',
    RemovePodSandbox: 'remove_podsandbox',
    PodSandboxStatus: 'podsandbox_status',
    ListPodSandbox: 'list_podsandbox',
    PodSandboxStats: 'podsandbox_stats',
    ListPodSandboxStats: 'list_podsandbox_stats',
    ListPodSandboxMetrics: 'list_podsandbox_metrics',
    UpdatePodSandboxResources: 'update_podsandbox_resources',
    UpdateContainerResources: 'update_container',
    // Upstream's client streams below the counting.
    StreamPodSandboxes: 'list_podsandbox',
    StreamContainers: 'list_containers',
    StreamContainerStats: 'list_container_stats',
    StreamPodSandboxStats: 'list_podsandbox_stats',
    StreamPodSandboxMetrics: 'list_podsandbox_metrics',
    StreamImages: 'list_images',
  }),
);

/** `CreateContainer` as `create_container`. */
export function operationType(method: string): string {
  let name = known.get(method);
  if (name === undefined) {
    name = method.replace(/(?<=[a-z])[A-Z]/g, (c) => `_${c}`).toLowerCase();
    known.set(method, name);
  }
  return name;
}

/**
 * Counts a call to the runtime; the returned function is called at its end.
 * upstream: recordOperation, recordError (fidelity 3:MET-07)
 */
export function runtimeOperation(kernel: Kernel, method: string, request: object): (ok: boolean) => void {
  const started = kernel.now();
  return (ok) => {
    const m = metricsOf(kernel);
    const seconds = (kernel.now() - started) / Second;
    const labels = { operation_type: operationType(method) };
    m.runtimeOperations.add(1, labels);
    m.runtimeOperationsDuration.observe(seconds, labels);
    if (!ok) m.runtimeOperationsErrors.add(1, labels);
    if (method !== 'RunPodSandbox') return;
    const handler = { runtime_handler: (request as { runtimeHandler?: string }).runtimeHandler ?? '' };
    m.runPodSandboxDuration.observe(seconds, handler);
    if (!ok) m.runPodSandboxErrors.add(1, handler);
  };
}
