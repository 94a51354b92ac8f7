/** One request to a collector, over HTTP or gRPC. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ignoreRequestErrors } from '../base/ignore-errors.js';
import type { Headers } from './headers.js';
import { decodeResponse, type PartialSuccess } from './protobuf.js';
import type { Target } from './target.js';

/** The outcome of one request. */
export type Outcome =
  | ({ readonly kind: 'taken' } & PartialSuccess)
  /** The request may succeed later, not before `afterMillis`. */
  | { readonly kind: 'again'; readonly why: string; readonly afterMillis?: number }
  /** The same request would fail again. */
  | { readonly kind: 'refused'; readonly why: string };

export interface SpanSender {
  /** Sends one request; `signal` cancels it. Never rejects. */
  send(body: Buffer, headers: Headers, signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

/** A collector's answer is a few bytes; more is not read. */
const mostAnswer = 64 * 1024;
const service = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const agentName = 'syncloop-otlp';

/** Makes a sender. `ca`: PEM of authorities besides the usual ones; `timeoutMillis`: of one request. */
export function senderTo(
  target: Target,
  options: { readonly ca?: string; readonly timeoutMillis: number },
): SpanSender {
  return target.protocol === 'http' ? overHTTP(target.url, options) : overGrpc(target.address, target.tls, options);
}

function overHTTP(
  url: string,
  { ca, timeoutMillis }: { readonly ca?: string; readonly timeoutMillis: number },
): SpanSender {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return {
    send: (body, headers, signal) =>
      new Promise((resolve) => {
        const limit = AbortSignal.timeout(timeoutMillis);
        const call = request(url, {
          method: 'POST',
          headers: {
            ...Object.fromEntries(headers),
            'content-type': 'application/x-protobuf',
            'content-length': body.length,
            'user-agent': agentName,
          },
          // A connection of its own for each batch: one every few seconds, and none that a proxy has closed meanwhile.
          agent: false,
          signal: AbortSignal.any([signal, limit]),
          ...(ca !== undefined && { ca }),
        });
        const failed = (err: Error) => {
          const why = limit.aborted ? `no answer within ${timeoutMillis / 1000} s` : err.message || String(err);
          resolve({ kind: 'again', why });
        };
        ignoreRequestErrors(call);
        call.on('error', failed);
        // An answer that changes to another protocol ends without an error and without a response.
        call.on('close', () => failed(new Error('the connection was closed')));
        call.on('response', (response) => {
          answerOf(response)
            .then((bytes) => resolve(httpOutcome(response, bytes)))
            .catch(failed);
        });
        call.end(body);
      }),
    close() {},
  };
}

async function answerOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostAnswer) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** upstream: opentelemetry-specification, protocol/exporter.md: these are worth another try, all others are not. */
const retryable = new Set([429, 502, 503, 504]);

function httpOutcome(response: IncomingMessage, bytes: Buffer): Outcome {
  const code = response.statusCode ?? 0;
  if (code >= 200 && code < 300) {
    const binary = /x-protobuf/.test(response.headers['content-type'] ?? '');
    return { kind: 'taken', ...decodeResponse(binary ? bytes : Buffer.alloc(0)) };
  }
  const why = `it answered ${code} ${response.statusMessage ?? ''}`.trim();
  if (code === 404) return { kind: 'refused', why: `${why}: is this the address of an OTLP receiver over HTTP?` };
  if (code === 401 || code === 403) return { kind: 'refused', why: `${why}: give its token with --otlp-headers-file` };
  if (!retryable.has(code)) return { kind: 'refused', why };
  const seconds = Number(response.headers['retry-after'] ?? '');
  const afterMillis = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 600) * 1000 : undefined;
  return { kind: 'again', why, ...(afterMillis !== undefined && { afterMillis }) };
}

/** upstream: opentelemetry-specification, protocol/otlp.md: the codes that a client retries. */
const retryableCodes = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

function overGrpc(
  address: string,
  tls: boolean,
  { ca, timeoutMillis }: { readonly ca?: string; readonly timeoutMillis: number },
): SpanSender {
  const client = new Client(
    address,
    tls ? credentials.createSsl(ca === undefined ? null : Buffer.from(ca)) : credentials.createInsecure(),
    {
      'grpc.primary_user_agent': agentName,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
      // Retries are done with whole batches, where they can be counted.
      'grpc.enable_retries': 0,
    },
  );
  return {
    send: (body, headers, signal) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        for (const [name, value] of headers) metadata.set(name, value);
        const call = client.makeUnaryRequest<Buffer, Buffer>(
          service,
          (message) => message,
          (bytes) => bytes,
          body,
          metadata,
          { deadline: Date.now() + timeoutMillis },
          (err, answer) => {
            signal.removeEventListener('abort', cancel);
            resolve(
              err ? grpcOutcome(err, timeoutMillis) : { kind: 'taken', ...decodeResponse(answer ?? Buffer.alloc(0)) },
            );
          },
        );
        const cancel = () => call.cancel();
        signal.addEventListener('abort', cancel);
        if (signal.aborted) cancel();
      }),
    close: () => client.close(),
  };
}

function grpcOutcome(err: ServiceError, timeoutMillis: number): Outcome {
  const { code, details } = err;
  if (code === status.DEADLINE_EXCEEDED) return { kind: 'again', why: `no answer within ${timeoutMillis / 1000} s` };
  const why = details || (status[code] ?? `code ${code}`);
  if (retryableCodes.has(code)) return { kind: 'again', why };
  if (code === status.UNIMPLEMENTED)
    return { kind: 'refused', why: `${why}: is this the address of an OTLP receiver over gRPC?` };
  if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED)
    return { kind: 'refused', why: `${why}: give its token with --otlp-headers-file` };
  return { kind: 'refused', why };
}
