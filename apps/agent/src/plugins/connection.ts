/** A connection to a plug-in's socket: calls as operations of the kernel, errors in the words of grpc-go. */
import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { asCRIError, CRIError, GrpcCode } from '@syncloop/core/cri';
import {
  type Chan,
  type Context,
  ContextError,
  call,
  current,
  DeadlineExceeded,
  type Go,
  makeChan,
  recv,
  select,
  sendTo,
} from '@syncloop/core/kernel';
import type { Json } from '@syncloop/core/trace';
import { StreamReader } from '../cri/stream-reader.js';
import { grpcGoErrorText } from '../cri/transport.js';
import { limits } from './limits.js';
import { decode, encode, pathOf } from './messages.js';

/** A method with the types of its messages. */
export interface Method<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> extends DescMethod {
  readonly input: I;
  readonly output: O;
}

const closing = 'grpc: the client connection is closing';
const same = (bytes: Buffer): Buffer => bytes;

export class PluginConnection {
  private readonly client: Client;
  private readonly live = new Set<{ cancel(): void }>();
  private closed = false;

  private constructor(path: string) {
    this.client = new Client(`unix://${path}`, credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.max_receive_message_length': limits.messageBytes,
      // A plug-in that comes back at the same path is another one, with a connection of its own.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
    });
  }

  /**
   * Connects within `timeout` Micros, however often that fails before. Throws why `ctx` ended, or DeadlineExceeded.
   * upstream: grpc.DialContext with WithBlock
   */
  static *dial(ctx: Context, path: string, timeout: number): Go<PluginConnection> {
    const made = new PluginConnection(path);
    try {
      yield* call('dial', (signal) => made.ready(signal, timeout / 1000), ctx);
      return made;
    } catch (err) {
      made.close();
      throw err;
    }
  }

  private ready(signal: AbortSignal, millis: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.client.waitForReady(Date.now() + millis, (err) => {
        signal.removeEventListener('abort', abort);
        if (err) reject(this.closed ? this.error(undefined, undefined) : DeadlineExceeded);
        else resolve();
      });
    });
  }

  /** Ends all calls with Canceled, then the connection. */
  close(): void {
    this.closed = true;
    for (const live of this.live) live.cancel();
    this.client.close();
  }

  /** Makes a unary call. Throws errors of gRPC only; also when `ctx` ends. */
  *unary<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    ctx: Context,
    request: MessageInitShape<I>,
  ): Go<MessageShape<O>> {
    const bytes = yield* call(
      method.name,
      (signal) =>
        new Promise<Buffer>((resolve, reject) => {
          if (this.closed || signal.aborted) return reject(this.error(undefined, signal.reason));
          const grpc = this.client.makeUnaryRequest<Buffer, Buffer>(
            pathOf(method),
            same,
            same,
            encode(method.input, request),
            new Metadata(),
            {},
            (err, response = Buffer.alloc(0)) => {
              this.live.delete(grpc);
              signal.removeEventListener('abort', abort);
              if (err) reject(this.error(err, signal.reason));
              else resolve(response);
            },
          );
          const abort = () => grpc.cancel();
          this.live.add(grpc);
          signal.addEventListener('abort', abort);
        }),
      ctx,
    );
    return decode(method.output, bytes);
  }

  /**
   * Makes a streaming call. The last item of the channel is the end of the stream: an error of gRPC, or `EOF` if the
   * plug-in ended it. Without a receiver the plug-in is held back in the end. `describe`: an item in the trace.
   */
  stream<I extends DescMessage, O extends DescMessage, T>(
    method: Method<I, O>,
    ctx: Context,
    request: MessageInitShape<I>,
    read: (message: MessageShape<O>) => T,
    describe: (item: T) => Json,
  ): Chan<T | Error> {
    const { kernel } = current();
    const chan = makeChan<T | Error>(kernel, method.name, 0, {
      describe: (item) => (item instanceof Error ? item.message : describe(item)),
    });
    const pump = () => this.pump(method, ctx, request, read, chan);
    kernel.go(method.name, pump, { quiet: true, daemon: true });
    return chan;
  }

  private *pump<I extends DescMessage, O extends DescMessage, T>(
    method: Method<I, O>,
    ctx: Context,
    request: MessageInitShape<I>,
    read: (message: MessageShape<O>) => T,
    chan: Chan<T | Error>,
  ): Go<void> {
    let end: Error;
    let reader: StreamReader<Buffer> | null = null;
    let grpc: { cancel(): void } | null = null;
    try {
      if (this.closed) throw this.error(undefined, undefined);
      const stream = this.client.makeServerStreamRequest<Buffer, Buffer>(
        pathOf(method),
        same,
        same,
        encode(method.input, request),
        new Metadata(),
      );
      grpc = stream;
      this.live.add(stream);
      reader = new StreamReader(stream, limits.streamMessages);
      const from = reader;
      for (;;) {
        const next = yield* call(method.name, (signal) => from.next(signal), ctx);
        if (next.done) break;
        const item = read(decode(method.output, next.value));
        const sent = yield* select({ sent: sendTo<T | Error>(chan, item), done: recv(ctx.done()) });
        if (sent.case === 'done') break;
      }
      end = new Error('EOF');
    } catch (err) {
      end = this.error(err as Error, ctx.err());
    }
    const ended = ctx.err();
    if (ended) end = asCRIError(ended);
    reader?.cancel();
    if (grpc) this.live.delete(grpc);
    // A caller who ended the context may have stopped receiving: its error need not be waited for.
    if (ended) chan.trySend(end);
    else yield* select({ sent: sendTo<T | Error>(chan, end), done: recv(ctx.done()) });
    chan.close();
  }

  /** Returns the error of a call: a call that was ended from this side fails as its context did (`why`). */
  private error(err: Error | undefined, why: unknown): CRIError {
    if (why instanceof ContextError) return asCRIError(why);
    if (err instanceof CRIError) return err;
    if (this.closed) return new CRIError(GrpcCode.Canceled, closing, { cause: err });
    if (!err || !isServiceError(err)) return asCRIError(err ?? new ContextError('canceled'));
    return new CRIError(err.code, pluginErrorText(err.details), { cause: err });
  }
}

/** Turns grpc-js's text into grpc-go's. */
function pluginErrorText(details: string): string {
  const [, size, most] = /^Received message larger than max \((\d+) vs (\d+)\)$/.exec(details) ?? [];
  return size ? `grpc: received message larger than max (${size} vs. ${most})` : grpcGoErrorText(details);
}

function isServiceError(err: Error): err is ServiceError {
  return 'code' in err && typeof err.code === 'number' && 'details' in err;
}
