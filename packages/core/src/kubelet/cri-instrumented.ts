import {
  asCRIError,
  type CRIServices,
  type ImageService,
  invoke,
  type RuntimeService,
  rpcs,
  servicesFrom,
  subjectOf,
  tracedRequest,
  tracedResponse,
} from '../cri/index.js';
import { currentOrNull, type Kernel } from '../kernel/index.js';
import type { Json, Seq } from '../trace/index.js';
import { privateContent } from './cri-private.js';
import { runtimeOperation } from './metrics/runtime-operations.js';

/**
 * The given services, with a `cri-call` record before each call and a `cri-return` after it. What the runtime does is
 * caused by the call; what the kubelet does next, by the return.
 * upstream: pkg/kubelet/kuberuntime/instrumented_services.go newInstrumentedRuntimeService
 */
export function newInstrumentedServices(
  kernel: Kernel,
  services: CRIServices | (RuntimeService & ImageService),
): CRIServices {
  return servicesFrom(function* (method, ctx, request) {
    const subject = subjectOf(request);
    const name = rpcs[method].name;
    const isPrivate = ctx.value(privateContent) === true;
    const started = kernel.now();
    const call: Seq = kernel.emitCause({
      kind: 'cri-call',
      method: name,
      request: isPrivate ? privateRequest(request) : tracedRequest(name, request),
      ...subject,
    });
    const done = { kind: 'cri-return', call, method: name } as const;
    // Upstream's log manager calls the runtime directly, not through the instrumented service. upstream:
    // container_log_manager.go
    const rotates = currentOrNull()?.g.frames.some(({ fn }) => fn === 'rotateLogs');
    const ended = rotates ? () => {} : runtimeOperation(kernel, name, request);
    try {
      const response = yield* invoke(services, method, ctx, request);
      ended(true);
      const sandbox = (response as { podSandboxId?: string }).podSandboxId;
      const container = (response as { containerId?: string }).containerId;
      kernel.emitCause({
        ...done,
        response: rpcs[method].streaming || isPrivate ? null : tracedResponse(name, response),
        took: kernel.now() - started,
        ...subject,
        // The id that a create call returned.
        ...(sandbox && { sandbox }),
        ...(container && { container }),
      });
      return response;
    } catch (err) {
      ended(false);
      const { code, details } = asCRIError(err, method);
      kernel.emitCause({ ...done, error: { code, details }, took: kernel.now() - started, ...subject });
      throw err;
    }
  });
}

/** Keeps only the ids of pod, sandbox and container. */
function privateRequest(request: object): Json {
  const { containerId, podSandboxId } = request as { containerId?: string; podSandboxId?: string };
  return { ...(containerId && { containerId }), ...(podSandboxId && { podSandboxId }) };
}
