import { operationType } from '../../cri/operations.js';
import { type Kernel, Second } from '../../kernel/index.js';
import { metricsOf } from './kubelet-metrics.js';
import type { Labels } from './registry.js';

/** The labels of each method of the CRI. */
const labelsOf = new Map<string, Labels>();
function operationLabels(method: string): Labels {
  let labels = labelsOf.get(method);
  if (!labels) {
    labels = { operation_type: operationType(method) };
    labelsOf.set(method, labels);
  }
  return labels;
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
    const labels = operationLabels(method);
    m.runtimeOperations.add(1, labels);
    m.runtimeOperationsDuration.observe(seconds, labels);
    if (!ok) m.runtimeOperationsErrors.add(1, labels);
    if (method !== 'RunPodSandbox') return;
    const handler = { runtime_handler: (request as { runtimeHandler?: string }).runtimeHandler ?? '' };
    m.runPodSandboxDuration.observe(seconds, handler);
    if (!ok) m.runPodSandboxErrors.add(1, handler);
  };
}
