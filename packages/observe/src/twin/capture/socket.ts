import { base64Encode, concatBytes } from '@syncloop/core/base';
import {
  type AnyCall,
  asCRIError,
  type ContainerEventResponse,
  type CRIServices,
  GrpcCode,
  invoke,
  isStreaming,
  type RpcMethod,
  rpcs,
  servicesFrom,
} from '@syncloop/core/cri';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import { current, type Go, type Process } from '@syncloop/core/kernel';
import type { Micros } from '@syncloop/core/trace';
import type { CaptureLine } from '../../cri/capture.js';
import { answer, answerHead, cancel, data, PREFACE, percentEncoded, request, settings, trailers } from './http2.js';

interface Connection {
  readonly conn: number;
  readonly process: Process;
  readonly service: string;
  /** The stream id of the next call. */
  stream: number;
  open: boolean;
  /** Streams of container events that are open. */
  readonly events: Set<number>;
}

/** Stands between kubelet and runtime, and keeps the lines of cri-bytes.ndjson that a pipe there would write. */
export class SocketTap {
  readonly lines: CaptureLine[] = [];
  private readonly connections: Connection[] = [];

  /** `at`: milliseconds since the capture's start. `runs`: whether a runtime listens on the socket. */
  constructor(
    private readonly at: (now: Micros) => number,
    private readonly runs: () => boolean,
  ) {}

  readonly tap = (services: CRIServices): CRIServices => {
    const self = this;
    return servicesFrom(function* (method: RpcMethod, ...[ctx, message]: Parameters<AnyCall>): Go<object> {
      // No runtime accepts the connection: there are no bytes.
      if (!self.runs()) return yield* invoke(services, method, ctx, message);
      const { kernel, g } = current();
      const c = self.connection(g.process, rpcs[method].service, kernel.now());
      const stream = c.stream;
      c.stream += 2;
      const codec = rpcCodecs[method];
      const deadline = ctx.deadline();
      const more = {
        'content-type': 'application/grpc',
        ...(deadline !== null && { 'grpc-timeout': timeoutOf(deadline - kernel.now()) }),
      };
      self.say(c, 'c', request(stream, codec.path, (codec.request.encode as Encode)(message), more), kernel.now());
      try {
        const response = yield* invoke(services, method, ctx, message);
        if (method === 'getContainerEvents') {
          self.say(c, 's', answerHead(stream), kernel.now());
          c.events.add(stream);
        } else if (!isStreaming(method))
          self.say(c, 's', answer(stream, (codec.response.encode as Encode)(response)), kernel.now());
        return response;
      } catch (thrown) {
        const error = asCRIError(thrown, method);
        if (ctx.err()) self.say(c, 'c', cancel(stream), kernel.now());
        else if (error.code === GrpcCode.Unavailable && !self.runs()) self.close(c, kernel.now());
        else self.say(c, 's', trailers(stream, error.code, percentEncoded(error.details)), kernel.now());
        throw thrown;
      }
    });
  };

  /** Sends an event to the runtime's streams. */
  event(event: ContainerEventResponse, now: Micros): void {
    for (const c of this.connections)
      for (const stream of c.events)
        this.say(c, 's', data(stream, rpcCodecs.getContainerEvents.response.encode(event), false), now);
  }

  /** The processes that have ended have no connections any more. */
  sweep(now: Micros): void {
    for (const c of this.connections) if (c.process.dead) this.close(c, now);
  }

  private connection(process: Process, service: string, now: Micros): Connection {
    let c = this.connections.find((x) => x.open && x.process === process && x.service === service);
    if (c) return c;
    const conn = this.connections.length;
    c = { conn, process, service, stream: 1, open: true, events: new Set() };
    this.connections.push(c);
    this.lines.push({ at: this.at(now), conn, open: true });
    this.say(c, 'c', concatBytes([PREFACE, settings]), now);
    this.say(c, 's', settings, now);
    return c;
  }

  private close(c: Connection, now: Micros): void {
    if (!c.open) return;
    c.open = false;
    c.events.clear();
    this.lines.push({ at: this.at(now), conn: c.conn, close: true });
  }

  private say(c: Connection, dir: 'c' | 's', said: Uint8Array, now: Micros): void {
    if (c.open) this.lines.push({ at: this.at(now), conn: c.conn, dir, b64: base64Encode(said) });
  }
}
type Encode = (message: object) => Uint8Array;

/** upstream: grpc-go internal/grpcutil EncodeDuration: at most eight digits. */
const timeoutOf = (micros: Micros): string =>
  micros < 100_000_000 ? `${Math.max(1, Math.ceil(micros))}u` : `${Math.ceil(micros / 1000)}m`;
