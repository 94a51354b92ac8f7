/**
 * An OTLP receiver for the spans of a kubelet, or of a Collector that passes them on: gRPC and HTTP, protobuf and JSON.
 *
 * upstream: opentelemetry-specification, protocol/otlp.md
 */

import { timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type Server as HTTPServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createGunzip } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { logVerbosity, Server, ServerCredentials, type ServerUnaryCall, setLogVerbosity, status } from '@grpc/grpc-js';
import {
  binaryOfJson,
  type PartialSuccess,
  responseBinary,
  responseJson,
  type SpanFacts,
  spansOfBinary,
} from '@syncloop/observe/spans';
import { SetupError, UsageError } from '../base/errors.js';
import { hostPort, isLoopback, listen } from '../net/listen.js';
import { Rate } from '../net/rate.js';
import { isAddressOrLocalhost, isFromAnotherSite } from '../net/same-machine.js';

export interface Address {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}
/** Takes the spans of one request, with the request in binary protobuf. The sender waits until it resolves. */
export type TakeSpans = (spans: readonly SpanFacts[], request: Uint8Array) => Promise<void>;

export interface ReceiverOptions {
  readonly grpc?: Address;
  readonly http?: Address;
  /** Asked of everyone (`authorization: Bearer TOKEN`). Beyond loopback there must be one; a kubelet can give none. */
  readonly token?: string;
  readonly take: TakeSpans;
  readonly limits?: Partial<ReceiverLimits>;
  /** Monotonic milliseconds, and those since 1970. */
  readonly now?: () => number;
  readonly wall?: () => number;
}
export interface ReceiverLimits {
  /** Bytes of a request, before and after it is inflated. */
  readonly request: number;
  /** The most requests at a time, and the most bytes of all of them. */
  readonly inFlight: number;
  readonly bytes: number;
  /** Spans a second. */
  readonly spans: number;
  /** Milliseconds until a request must have come whole. */
  readonly patience: number;
}
const MIB = 1024 * 1024;
export const receiverLimits: ReceiverLimits = {
  request: 8 * MIB,
  inFlight: 16,
  bytes: 32 * MIB,
  spans: 20_000,
  patience: 10_000,
};

/** A span from further ahead, forged or of a clock that is wrong, would put all that comes after it there. In µs. */
const AHEAD = 60e6;

/** The reason why a request is refused: the code of gRPC, that of HTTP, and a sentence. */
class Refusal extends Error {
  constructor(
    readonly code: status,
    readonly http: number,
    message: string,
  ) {
    super(message);
  }
}

const PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

export class SpansReceiver {
  private readonly limits: ReceiverLimits;
  private readonly rate: Rate;
  private grpc: Server | null = null;
  private http: HTTPServer | null = null;
  private busy = 0;
  private held = 0;
  /** The ports that it listens on; 0 if it does not. */
  readonly ports = { grpc: 0, http: 0 };
  /** Spans that were accepted, and those that were not. */
  readonly counts = { taken: 0, refused: 0 };

  /** Throws a UsageError if others could reach it and no token is asked. */
  constructor(private readonly options: ReceiverOptions) {
    this.limits = { ...receiverLimits, ...options.limits };
    this.rate = new Rate(this.limits.spans, 1000, options.now ?? (() => performance.now()));
    for (const address of [options.grpc, options.http])
      if (address && !isLoopback(address.host) && (options.token ?? '') === '')
        throw new UsageError(
          `spans would be taken from anybody who reaches ${hostPort(address.host, address.port)}: ` +
            'listen on 127.0.0.1, where the kubelet of this node is, or give a token that the Collector sends',
        );
  }

  /** Listens. Rejects with a SetupError with the remedy. */
  async start(): Promise<void> {
    const { grpc, http } = this.options;
    try {
      if (grpc) await this.listenGrpc(grpc);
      if (http) await this.listenHTTP(http);
    } catch (err) {
      await this.close();
      throw err;
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.grpc?.forceShutdown();
    this.grpc = null;
    const { http } = this;
    this.http = null;
    if (!http) return;
    http.closeAllConnections();
    await new Promise<void>((resolve) => http.close(() => resolve()));
  }

  private async listenGrpc({ host, port }: Address): Promise<void> {
    // The errors that it returns have everything that it would also write to stderr.
    setLogVerbosity(logVerbosity.NONE);
    const server = new Server({
      'grpc.max_receive_message_length': this.limits.request,
      'grpc.max_concurrent_streams': this.limits.inFlight,
      'grpc.enable_channelz': 0,
    });
    const bytes = (message: Buffer) => message;
    server.addService(
      {
        export: {
          path: PATH,
          requestStream: false,
          responseStream: false,
          requestSerialize: bytes,
          requestDeserialize: bytes,
          responseSerialize: bytes,
          responseDeserialize: bytes,
        },
      },
      {
        export: (
          call: ServerUnaryCall<Buffer, Buffer>,
          done: (err: { code: status; details: string } | null, answer?: Buffer) => void,
        ) => {
          Promise.resolve()
            .then(() => this.admit(headersOf(call)))
            .then(() => this.export(call.request, false))
            .then((answer) => done(null, Buffer.from(responseBinary(answer))))
            .catch((err: unknown) => {
              const { code, message } = asRefusal(err);
              done({ code, details: message });
            });
        },
      },
    );
    this.grpc = server;
    this.ports.grpc = await new Promise((resolve, reject) =>
      server.bindAsync(hostPort(host, port), ServerCredentials.createInsecure(), (err, bound) =>
        err
          ? reject(new SetupError(`spans cannot be received over gRPC on ${hostPort(host, port)}: ${bindWhy(err)}`))
          : resolve(bound),
      ),
    );
  }

  private async listenHTTP({ host, port }: Address): Promise<void> {
    const { patience } = this.limits;
    const server = createServer({ headersTimeout: patience, requestTimeout: patience }, (request, response) => {
      this.answerHTTP(request, response).catch(() => request.destroy());
    });
    server.maxConnections = 64;
    server.on('clientError', (_err, socket) => socket.destroy());
    this.http = server;
    this.ports.http = await listen(server, host, port, 'receive spans on another port');
  }

  private async answerHTTP(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    const type = json ? 'application/json' : 'application/x-protobuf';
    try {
      const body = await this.bodyOf(request, json);
      const answer = await this.export(body, json);
      const bytes = json ? Buffer.from(responseJson(answer)) : Buffer.from(responseBinary(answer));
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    } catch (err) {
      const { code, http, message } = asRefusal(err);
      const bytes = json ? Buffer.from(JSON.stringify({ code, message })) : statusBinary(code, message);
      response.writeHead(http, {
        'content-type': type,
        'content-length': bytes.length,
        ...(http === 429 || http === 503 ? { 'retry-after': '1' } : {}),
        ...(http === 405 ? { allow: 'POST' } : {}),
        // The rest of the request is not read.
        connection: 'close',
      });
      response.end(bytes, () => request.destroy());
    }
  }

  private async bodyOf(request: IncomingMessage, json: boolean): Promise<Buffer> {
    this.admit(request.headers);
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/v1/traces')
      throw new Refusal(status.UNIMPLEMENTED, 404, 'Send traces to /v1/traces: nothing else is served here.');
    if (request.method !== 'POST') throw new Refusal(status.UNIMPLEMENTED, 405, 'Send spans with POST.');
    const type = request.headers['content-type'] ?? '';
    if (!json && !/^application\/x-protobuf\b/i.test(type))
      throw new Refusal(
        status.INVALID_ARGUMENT,
        415,
        'The content type must be application/x-protobuf or application/json.',
      );
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip')
      throw new Refusal(status.INVALID_ARGUMENT, 415, 'The content encoding must be gzip, or there must be none.');
    if (Number(request.headers['content-length'] ?? 0) > this.limits.request) throw this.tooLarge();
    this.room(0);
    const stream = encoding === 'gzip' ? request.pipe(createGunzip()) : request;
    request.on('error', (err) => stream.destroy(err));
    // A request that is cut off ends with neither of these events.
    request.on('close', () => !request.complete && stream.destroy(new Error('cut')));
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > this.limits.request) throw this.tooLarge();
        chunks.push(chunk);
      }
    } catch (err) {
      if (err instanceof Refusal) throw err;
      throw new Refusal(status.INVALID_ARGUMENT, 400, 'The request was cut off, or does not match its encoding.');
    } finally {
      if (stream !== request) stream.destroy();
    }
    return Buffer.concat(chunks);
  }

  private tooLarge(): Refusal {
    return new Refusal(
      status.RESOURCE_EXHAUSTED,
      413,
      `A request may have ${this.limits.request} bytes: send fewer spans at a time.`,
    );
  }

  /**
   * Checks the host name, unless a token decides (against DNS rebinding), the site (against any page) and the token
   * (against any program). No page of any site has a reason to send spans, and forged ones would falsify the run.
   */
  private admit(headers: Readonly<IncomingHttpHeaders>): void {
    const { token = '' } = this.options;
    if (token === '' && !isAddressOrLocalhost(headers.host))
      throw new Refusal(
        status.PERMISSION_DENIED,
        421,
        'Send spans to an IP address or localhost: by another name a web page could reach this receiver.',
      );
    if (headers.origin !== undefined || isFromAnotherSite(headers))
      throw new Refusal(status.PERMISSION_DENIED, 403, 'Spans of web pages are refused.');
    if (token === '') return;
    const given = Buffer.from(headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${token}`);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
      throw new Refusal(status.UNAUTHENTICATED, 401, 'Send the token of this receiver: authorization: Bearer TOKEN.');
  }

  /** Throws if too much is being processed already. */
  private room(bytes: number): void {
    const { inFlight, bytes: most } = this.limits;
    if (this.busy >= inFlight || this.held + bytes > most)
      throw new Refusal(status.UNAVAILABLE, 503, 'Too many spans are being processed; try again later.');
  }

  private async export(body: Uint8Array, json: boolean): Promise<PartialSuccess> {
    this.room(body.length);
    if (this.rate.spent) throw new Refusal(status.UNAVAILABLE, 429, 'Too many spans a second; try again.');
    this.busy++;
    this.held += body.length;
    try {
      let request: Uint8Array;
      let spans: SpanFacts[];
      try {
        request = json ? binaryOfJson(JSON.parse(Buffer.from(body).toString('utf8'))) : body;
        spans = spansOfBinary(request);
      } catch (err) {
        const why = (err as Error).message.slice(0, 200);
        throw new Refusal(status.INVALID_ARGUMENT, 400, `This is not an ExportTraceServiceRequest: ${why}`);
      }
      this.rate.exceeded(spans.length);
      const wall = (this.options.wall ?? Date.now)() * 1000;
      const timed = spans.filter(({ at, end }) => at !== null && end < wall + AHEAD);
      const rejected = spans.length - timed.length;
      this.counts.taken += timed.length;
      this.counts.refused += rejected;
      if (timed.length > 0) await this.options.take(timed, request);
      return { rejected, message: rejected > 0 ? 'Spans without a time, or from the future, are not accepted.' : '' };
    } finally {
      this.busy--;
      this.held -= body.length;
    }
  }
}

/** Checks a gRPC call like a request over HTTP; its `:authority` is HTTP's Host. */
function headersOf(call: ServerUnaryCall<Buffer, Buffer>): IncomingHttpHeaders {
  const names = ['authorization', 'origin', 'sec-fetch-site', 'sec-fetch-dest'] as const;
  const given = names.flatMap((name) => call.metadata.get(name).map((value) => [name, String(value)]));
  return { ...Object.fromEntries(given), host: call.getHost() };
}

const asRefusal = (err: unknown): Refusal =>
  err instanceof Refusal ? err : new Refusal(status.INTERNAL, 500, 'The spans could not be accepted.');

const bindWhy = ({ message }: Error): string =>
  /EADDRINUSE/.test(message)
    ? 'another program has the port, such as a Collector: choose another, and name it in the field tracing.endpoint of the KubeletConfiguration'
    : message;

/** Returns the google.rpc.Status with which OTLP answers a failure. */
function statusBinary(code: number, message: string): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  writer.tag(2, WireType.LengthDelimited).string(message);
  return Buffer.from(writer.finish());
}
