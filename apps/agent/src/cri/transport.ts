/** CRI calls over one gRPC channel, as kernel operations: bytes, cancellation, errors. */
import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { asCRIError, CRIError, GrpcCode, type RpcMethod, rpcs } from '@syncloop/core/cri';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import {
  type Chan,
  type Context,
  ContextError,
  call,
  current,
  type Go,
  makeChan,
  recv,
  select,
  sendTo,
} from '@syncloop/core/kernel';
import { StreamReader } from './stream-reader.js';
import { CallTrace, type Tap } from './tap.js';

/** Largest message in bytes. upstream: staging/src/k8s.io/cri-client/pkg/utils.go maxMsgSize */
export const maxMessageSize = 16 * 1024 * 1024;

interface Call {
  cancel(): void;
}

/** One channel to a runtime. Methods throw {@link CRIError} only. */
export class GrpcTransport {
  private readonly client: Client;
  private readonly live = new Set<Call>();
  private closed = false;
  private calls = 0;

  /** Does not connect yet: the first call does, and later ones reconnect as needed. */
  constructor(
    path: string,
    private readonly tap?: Tap,
  ) {
    this.client = new Client(`unix://${path}`, credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.max_receive_message_length': maxMessageSize,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 3000,
      // A channel here is a connection: none is shared with another part of this process.
      'grpc.use_local_subchannel_pool': 1,
      // Its statistics would cost work on every call, and nobody reads them.
      'grpc.enable_channelz': 0,
    });
  }

  /** Ends all calls with Canceled, then the connection. */
  close(): void {
    this.closed = true;
    for (const live of this.live) live.cancel();
    this.client.close();
  }

  /** Makes a unary call. */
  *unary(method: RpcMethod, ctx: Context, request: object, deadline: Date | undefined): Go<object> {
    return yield* call(
      `cri ${rpcs[method].name}`,
      (signal) =>
        new Promise<object>((resolve, reject) => {
          this.refuseIfClosed(method);
          const trace = this.trace(method, request);
          const fail = (error: CRIError) => {
            trace.end({ error });
            reject(error);
          };
          if (signal.aborted) return fail(this.error(method, undefined, signal.reason));
          const { path, serialize, deserialize } = wire(method);
          const grpc = this.client.makeUnaryRequest<object, object>(
            path,
            serialize,
            deserialize,
            request,
            new Metadata(),
            deadline ? { deadline } : {},
            (err, response = {}) => {
              this.live.delete(grpc);
              signal.removeEventListener('abort', abort);
              if (err) return fail(this.error(method, err, signal.reason));
              trace.end({ response });
              resolve(response);
            },
          );
          const abort = () => grpc.cancel();
          this.live.add(grpc);
          signal.addEventListener('abort', abort);
        }),
      ctx,
    );
  }

  /**
   * Makes a streaming call: a channel without buffer, filled by a goroutine of its own. Without a receiver the sender
   * is held back in the end.
   */
  stream(method: RpcMethod, ctx: Context, request: object, deadline: Date | undefined): Chan<object> {
    this.refuseIfClosed(method);
    const { kernel } = current();
    const name = `cri ${rpcs[method].name}`;
    const chan = makeChan<object>(kernel, name, 0, { quiet: true });
    const trace = this.trace(method, request);
    const { path, serialize, deserialize } = wire(method);
    const grpc: ClientReadableStream<object> = this.client.makeServerStreamRequest<object, object>(
      path,
      serialize,
      deserialize,
      request,
      new Metadata(),
      deadline ? { deadline } : {},
    );
    this.live.add(grpc);
    const reader = new StreamReader(grpc);
    const pump = () => this.pump(method, ctx, reader, chan, trace, () => this.live.delete(grpc));
    kernel.go(name, pump, { quiet: true, daemon: true });
    return chan;
  }

  private *pump(
    method: RpcMethod,
    ctx: Context,
    reader: StreamReader<object>,
    chan: Chan<object>,
    trace: CallTrace,
    over: () => void,
  ): Go<void> {
    let error: CRIError | undefined;
    try {
      for (;;) {
        const next = yield* call(chan.name, (signal) => reader.next(signal), ctx);
        if (next.done) break;
        trace.message(next.value);
        const sent = yield* select({ sent: sendTo(chan, next.value), done: recv(ctx.done()) });
        if (sent.case === 'done') break;
      }
    } catch (err) {
      error = this.error(method, err as Error, ctx.err());
    }
    const ended = ctx.err();
    if (ended) error = asCRIError(ended, method);
    reader.cancel();
    over();
    trace.end(error ? { error } : {});
    if (error) {
      // A caller who ended the context may have stopped receiving: its error need not be waited for.
      if (ended) chan.trySend(error);
      else yield* select({ sent: sendTo<object>(chan, error), done: recv(ctx.done()) });
    }
    chan.close();
  }

  private trace(method: RpcMethod, request: object): CallTrace {
    return new CallTrace(this.tap, ++this.calls, method, request);
  }

  private refuseIfClosed(method: RpcMethod): void {
    if (this.closed) throw new CRIError(GrpcCode.Canceled, closing, { method });
  }

  /**
   * Returns the error of a call, in grpc-go's words if grpc-js has its own: a call that was ended from this side fails
   * as its context did (`why`).
   */
  private error(method: RpcMethod, err: Error | undefined, why: unknown): CRIError {
    if (why instanceof ContextError) return asCRIError(why, method);
    if (!err || !isServiceError(err)) return asCRIError(err ?? new ContextError('canceled'), method);
    const options = { method, cause: err };
    if (err.code === GrpcCode.Canceled && this.closed) return new CRIError(err.code, closing, options);
    if (err.code === GrpcCode.DeadlineExceeded && err.details.startsWith('Deadline exceeded')) {
      return new CRIError(err.code, 'context deadline exceeded', options);
    }
    return new CRIError(err.code, grpcGoErrorText(err.details), options);
  }
}

const closing = 'grpc: the client connection is closing';

const dialReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
};

/** Turns grpc-js's text about a runtime that is away into grpc-go's; returns any other text as it is. */
export function grpcGoErrorText(details: string): string {
  const [, code, path] =
    /^No connection established\. Last error: (?:Error: )?connect (E[A-Z]+) (.*?)(?:\. Resolution note: .*)?$/s.exec(
      details,
    ) ?? [];
  if (code !== undefined)
    return `connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: ${dialReasons[code] ?? code}"`;
  return details === 'Connection dropped' ? 'error reading from server: EOF' : details;
}

function wire(method: RpcMethod) {
  const { path, request, response } = rpcCodecs[method];
  return {
    path,
    serialize: (message: object) => Buffer.from(request.encode(message)),
    deserialize: (bytes: Buffer): object => response.decode(bytes),
  };
}

function isServiceError(err: Error): err is ServiceError {
  return 'code' in err && typeof err.code === 'number' && 'details' in err;
}
