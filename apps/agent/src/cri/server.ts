/**
 * Any RuntimeService and ImageService on a unix socket: the mock for crictl, for a real kubelet and
 * for the contract suite.
 */
import { once } from 'node:events';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import {
  asCRIError,
  CRIError,
  type CRIServices,
  GrpcCode,
  type ImageService,
  invoke,
  isStreaming,
  type Rpc,
  type RpcMethod,
  type RuntimeService,
  rpcMethods,
  rpcs,
} from '@syncloop/core/cri';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import {
  background,
  type CancelFunc,
  type Chan,
  type Context,
  call as callOut,
  type Go,
  type Kernel,
  type Process,
  recv,
  select,
  withCancel,
  withDeadline,
} from '@syncloop/core/kernel';
import { socketPath } from './endpoint.js';
import { placeSocket } from './socket-file.js';
import { maxMessageSize } from './transport.js';

/** Options of {@link serveRuntime}. */
export interface ServeOptions {
  /** The process whose goroutines serve the calls: once it is dead, calls fail with Unavailable. */
  readonly process?: Process;
}

/** A runtime that is being served. */
export interface RuntimeServer {
  /** Cancels the calls in flight, hangs up, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves a runtime at `unix:///path` (mode 0600). Rejects with an EndpointError if something is
 * there that must not be replaced, or nothing can be made there.
 *
 * Each call is a goroutine of `kernel`, which must be on a real clock and driven. Its context ends
 * with Canceled when the client hangs up, with DeadlineExceeded at the client's deadline. Errors
 * that are not a CRIError become Unknown, as a Go server's do.
 *
 * Node's HTTP/2 refuses the `:authority` that Go clients of kubelet 1.26 and older send on a unix
 * socket: those cannot connect here. Newer ones, and crictl, send `localhost`.
 */
export async function serveRuntime(
  kernel: Kernel,
  runtime: RuntimeService,
  image: ImageService,
  endpoint: string,
  options: ServeOptions = {},
): Promise<RuntimeServer> {
  const path = socketPath(endpoint);
  const live = new Set<CancelFunc>();
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageSize,
    'grpc.max_send_message_length': -1,
  });
  for (const service of ['RuntimeService', 'ImageService'] as const) {
    const from = (service === 'RuntimeService' ? runtime : image) as CRIServices;
    const methods = rpcMethods.filter((method) => (rpcs[method] as Rpc).service === service);
    server.addService(
      Object.fromEntries(methods.map((method) => [method, definition(method)])),
      Object.fromEntries(methods.map((method) => [method, handler(kernel, from, method, live, options.process)])),
    );
  }
  const remove = await placeSocket(path, (at) => bind(server, at)).catch((err) => {
    server.forceShutdown();
    throw err;
  });
  return {
    async close() {
      await remove();
      kernel.post(() => {
        for (const cancel of live) cancel();
      });
      server.forceShutdown();
    },
  };
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix://${path}`, ServerCredentials.createInsecure(), (err) => (err ? reject(err) : resolve()));
  });
}

function definition(method: RpcMethod) {
  const { path, request, response } = rpcCodecs[method];
  return {
    path,
    requestStream: false,
    responseStream: isStreaming(method),
    requestSerialize: (message: object) => Buffer.from(request.encode(message)),
    requestDeserialize: (bytes: Buffer): object => request.decode(bytes),
    responseSerialize: (message: object) => Buffer.from(response.encode(message)),
    responseDeserialize: (bytes: Buffer): object => response.decode(bytes),
  };
}

type UnaryCall = ServerUnaryCall<object, object>;
type StreamCall = ServerWritableStream<object, object>;

function handler(kernel: Kernel, from: CRIServices, method: RpcMethod, live: Set<CancelFunc>, process?: Process) {
  /** Runs `body` as a goroutine with the call's context; `fail` gets its error. */
  const serve = (
    grpc: UnaryCall | StreamCall,
    body: (ctx: Context) => Go<void>,
    fail: (err: Pick<CRIError, 'name' | 'message' | 'code' | 'details'>) => void,
  ) =>
    kernel.post(() => {
      const [ctx, cancel] = callContext(kernel, grpc);
      live.add(cancel);
      grpc.on('cancelled', () => kernel.post(cancel));
      const run = function* (): Go<void> {
        try {
          yield* body(ctx);
        } catch (err) {
          fail(asCRIError(err, method));
        } finally {
          live.delete(cancel);
          cancel();
        }
      };
      const g = kernel.go(`serve ${rpcs[method].name}`, run, process ? { process } : {});
      if (g.state === 'dead') {
        live.delete(cancel);
        cancel();
        fail(new CRIError(GrpcCode.Unavailable, 'the runtime is not running', { method }));
      }
    });

  const unary: handleUnaryCall<object, object> = (grpc, respond) =>
    serve(
      grpc,
      function* (ctx) {
        respond(null, yield* invoke(from, method, ctx, grpc.request));
      },
      respond,
    );
  const stream: handleServerStreamingCall<object, object> = (grpc) =>
    serve(
      grpc,
      function* (ctx) {
        yield* writeAll(ctx, (yield* invoke(from, method, ctx, grpc.request)) as Chan<object>, grpc);
        grpc.end();
      },
      (err) => grpc.emit('error', err),
    );
  return isStreaming(method) ? stream : unary;
}

/** A context that ends with the call: at its deadline, or by the returned function. */
function callContext(kernel: Kernel, grpc: UnaryCall | StreamCall): [Context, CancelFunc] {
  const deadline = Number(grpc.getDeadline());
  if (!Number.isFinite(deadline)) return withCancel(kernel, background);
  return withDeadline(kernel, background, kernel.now() + Math.round((deadline - Date.now()) * 1000));
}

/** Sends the items of a stream's channel as fast as the client takes them. Throws the error that ends it early. */
function* writeAll(ctx: Context, chan: Chan<object>, grpc: StreamCall): Go<void> {
  for (;;) {
    const next = yield* select({ item: recv(chan), done: recv(ctx.done()) });
    if (next.case === 'done') throw ctx.err();
    if (!next.ok) return;
    if (next.value instanceof CRIError) throw next.value;
    if (!grpc.write(next.value)) yield* callOut('drain', (signal) => once(grpc, 'drain', { signal }), ctx);
  }
}
