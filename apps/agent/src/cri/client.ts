/**
 * The CRI over gRPC, as the kubelet speaks it: its deadlines, its message limit, its checks of
 * answers, its errors.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/remote_runtime.go, remote_image.go
 */
import {
  asCRIError,
  callTimeout,
  defaultRequestTimeout,
  type ImageService,
  incomingError,
  isStreaming,
  outgoingRequest,
  type RuntimeService,
  servicesFrom,
  verifyResponse,
} from '@syncloop/core/cri';
import { type Context, current } from '@syncloop/core/kernel';
import { checkSocket, socketPath } from './endpoint.js';
import type { Tap } from './tap.js';
import { GrpcTransport } from './transport.js';

/** Options of {@link connectRuntime}. */
export interface ConnectOptions {
  /** The kubelet's runtimeRequestTimeout, in Micros. Default: 2 min. */
  readonly timeout?: number;
  /** Called for every call, for recordings. */
  readonly tap?: Tap;
}

/** A connection to a runtime. */
export interface RuntimeConnection {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  /** Ends calls in flight with Canceled, and the connection. */
  close(): void;
}

/**
 * Connects to the runtime at `unix:///path`. Rejects with an EndpointError if nobody listens there.
 * Afterwards it reconnects by itself (100 ms to 3 s between tries); while the runtime is away,
 * calls fail at once with Unavailable.
 *
 * The services' methods are for goroutines of a kernel on a real clock. They throw `CRIError` only,
 * with the deadlines of `callTimeout` and the checks of `verifyResponse` (fidelity 2:X-01 and 2:X-03).
 */
export async function connectRuntime(endpoint: string, options: ConnectOptions = {}): Promise<RuntimeConnection> {
  const { timeout = defaultRequestTimeout, tap } = options;
  const path = socketPath(endpoint);
  await checkSocket(path);
  const transport = new GrpcTransport(path, tap);
  const services = servicesFrom(function* (method, ctx, given) {
    try {
      const request = outgoingRequest(method, given, timeout);
      const deadline = deadlineOf(ctx, callTimeout(method, request, timeout));
      if (isStreaming(method)) return transport.stream(method, ctx, request, deadline);
      return verifyResponse(method, request, yield* transport.unary(method, ctx, request, deadline));
    } catch (err) {
      throw incomingError(method, asCRIError(err, method));
    }
  });
  return { runtime: services, image: services, close: () => transport.close() };
}

/** Returns when a call that may take `limit` Micros must be over: then, or when its context ends. */
function deadlineOf(ctx: Context, limit: number | undefined): Date | undefined {
  const end = ctx.deadline();
  const left = Math.min(limit ?? Infinity, end === null ? Infinity : end - current().kernel.now());
  return left === Infinity ? undefined : new Date(Date.now() + left / 1000);
}
