import {
  asCRIError,
  CRIError,
  type CRIServices,
  GrpcCode,
  invoke,
  type RpcMethod,
  rpcs,
  servicesFrom,
} from '../cri/index.js';
import { type Chan, type Context, type Go, type Kernel, receive, withTimeout } from '../kernel/index.js';
import type { Json, Micros } from '../trace/index.js';
import { Logger } from './klog.js';

/** List calls, the stream that does the same in chunks, and the field that holds the items. */
const streamed: Partial<Record<RpcMethod, { readonly stream: RpcMethod; readonly items: string }>> = {
  listPodSandbox: { stream: 'streamPodSandboxes', items: 'podSandboxes' },
  listContainers: { stream: 'streamContainers', items: 'containers' },
  listContainerStats: { stream: 'streamContainerStats', items: 'containerStats' },
  listPodSandboxStats: { stream: 'streamPodSandboxStats', items: 'podSandboxStats' },
  listPodSandboxMetrics: { stream: 'streamPodSandboxMetrics', items: 'podSandboxMetrics' },
  listImages: { stream: 'streamImages', items: 'images' },
};
/** Unary answers that name their items differently from the chunks. */
const unaryItems: Partial<Record<RpcMethod, string>> = {
  listPodSandbox: 'items',
  listContainerStats: 'stats',
  listPodSandboxStats: 'stats',
  listPodSandboxMetrics: 'podMetrics',
};

/**
 * The given services, whose list calls go through the Stream* RPCs (gate CRIListStreaming, fidelity 2:X-04). A runtime
 * that does not know one of them is called in the old way from then on; this is decided for each of the two services.
 * upstream: cri-client pkg/remote_runtime.go, remote_image.go useStreaming
 */
export function newStreamingListServices(kernel: Kernel, services: CRIServices, timeout: Micros): CRIServices {
  const useStreaming = { RuntimeService: true, ImageService: true };
  const log = {
    RuntimeService: new Logger(kernel, 'remote_runtime.go'),
    ImageService: new Logger(kernel, 'remote_image.go'),
  };
  return servicesFrom(function* (method, ctx, request) {
    const how = streamed[method];
    const { service } = rpcs[method];
    if (!how || !useStreaming[service]) return yield* invoke(services, method, ctx, request);
    try {
      const items = yield* collect(kernel, services, how, ctx, request, timeout);
      return { [unaryItems[method] ?? how.items]: items };
    } catch (err) {
      const filter = ((request as { filter?: Json }).filter ?? null) as Json;
      if (asCRIError(err, how.stream).code !== GrpcCode.Unimplemented) {
        log[service].error(err, `${rpcs[how.stream].name} recv failed`, { filter });
        throw err;
      }
      log[service].info(0, `${rpcs[how.stream].name} not implemented, falling back to ${rpcs[method].name}`, {
        filter,
      });
      useStreaming[service] = false;
      return yield* invoke(services, method, ctx, request);
    }
  });
}

function* collect(
  kernel: Kernel,
  services: CRIServices,
  how: { readonly stream: RpcMethod; readonly items: string },
  parent: Context,
  request: object,
  timeout: Micros,
): Go<object[]> {
  const [ctx, cancel] = withTimeout(kernel, parent, timeout);
  try {
    const chunks = (yield* invoke(services, how.stream, ctx, request)) as Chan<object | CRIError>;
    const items: object[] = [];
    for (;;) {
      const [value, ok] = yield* receive(chunks);
      if (!ok) break;
      if (value instanceof CRIError) throw value;
      items.push(...((value as Record<string, object[] | undefined>)[how.items] ?? []));
    }
    // A stream that was cut short ends without an error of its own.
    const ended = ctx.err();
    if (ended) throw asCRIError(ended, how.stream);
    return items;
  } finally {
    cancel();
  }
}
