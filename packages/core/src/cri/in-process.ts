/**
 * Runtimes that live in this program. {@link unimplementedServices} is what one starts from;
 * {@link inProcessClient} is what the kubelet sees it through, as it sees a real one through gRPC.
 */
import { type Context, ContextError, current, type Go, withTimeout } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import { CRIError, GrpcCode } from './errors.js';
import { callTimeout, defaultRequestTimeout, isStreaming, type RpcMethod, rpcMethods, rpcs } from './rpcs.js';
import type { CRIServices } from './services.js';
import { incomingError, outgoingRequest, verifyResponse } from './verify.js';

/** Any method, seen without its types: what handles all methods alike has to promise them itself. */
export type AnyCall = (ctx: Context, request: object) => Go<object>;

/**
 * Services from one function that handles every method. Decorators (tracing, faults) are made with
 * this and {@link invoke}. A streaming method's generator must end with a channel.
 */
export function servicesFrom(handle: (method: RpcMethod, ...args: Parameters<AnyCall>) => Go<object>): CRIServices {
  const bind =
    (method: RpcMethod): AnyCall =>
    (ctx, request) =>
      handle(method, ctx, request);
  return Object.fromEntries(rpcMethods.map((method) => [method, bind(method)])) as unknown as CRIServices;
}

/** Calls a method chosen at run time. */
export function invoke(services: CRIServices, method: RpcMethod, ctx: Context, request: object): Go<object> {
  return (services[method] as AnyCall).call(services, ctx, request);
}

/**
 * Services in which every method fails with Unimplemented: `{...unimplementedServices(), version}`.
 *
 * upstream: staging/src/k8s.io/cri-api/pkg/apis/runtime/v1 UnimplementedRuntimeServiceServer
 */
export function unimplementedServices(): CRIServices {
  return servicesFrom(function* (method) {
    throw new CRIError(GrpcCode.Unimplemented, `method ${rpcs[method].name} not implemented`, { method });
  });
}

/** Options of {@link inProcessClient}. */
export interface InProcessClientOptions {
  /** The kubelet's runtimeRequestTimeout. Default: 2 min. */
  readonly timeout?: Micros;
}

/**
 * The given services as the kubelet's CRI client would show them: with its deadlines, its checks
 * of answers, and its errors. Whatever goes wrong is a {@link CRIError}: the end of a context is
 * Canceled or DeadlineExceeded, anything else that is thrown is Unknown, as a Go server would say.
 * Streaming calls have no deadline here.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/remote_runtime.go, remote_image.go
 */
export function inProcessClient(services: CRIServices, options: InProcessClientOptions = {}): CRIServices {
  const timeout = options.timeout ?? defaultRequestTimeout;
  return servicesFrom(function* (method, ctx, request) {
    const limit = isStreaming(method) ? undefined : callTimeout(method, request, timeout);
    const [callCtx, cancel] = limit === undefined ? [ctx] : withTimeout(current().kernel, ctx, limit);
    try {
      const ended = callCtx.err();
      if (ended) throw ended;
      const response = yield* invoke(services, method, callCtx, outgoingRequest(method, request, timeout));
      return isStreaming(method) ? response : verifyResponse(method, request, response);
    } catch (err) {
      throw incomingError(method, asCRIError(err, method));
    } finally {
      cancel?.();
    }
  });
}

/**
 * Returns any thrown value as the error of a CRI call.
 *
 * upstream: google.golang.org/grpc/status.FromContextError, status.FromError
 */
export function asCRIError(err: unknown, method?: RpcMethod): CRIError {
  if (err instanceof CRIError) return err;
  const options = { cause: err, ...(method && { method }) };
  if (err instanceof ContextError) {
    const code = err.reason === 'deadline' ? GrpcCode.DeadlineExceeded : GrpcCode.Canceled;
    return new CRIError(code, err.message, options);
  }
  return new CRIError(GrpcCode.Unknown, err instanceof Error ? err.message : String(err), options);
}
