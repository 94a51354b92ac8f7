/** HTTP, TCP and gRPC probes over the network, with errors in the words of Go's net package. */
import * as http from 'node:http';
import * as https from 'node:https';
import { connect, isIPv6 } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { ProbeTransport } from '@syncloop/core/host';
import { type Context, ContextError, call, DeadlineExceeded } from '@syncloop/core/kernel';
import { ignoreErrors, ignoreRequestErrors } from '../base/ignore-errors.js';

/** The part of an answer that is kept. upstream: pkg/probe/http/http.go maxRespBodyLength */
const probeBody = 10 * 1024;

type HTTPRequest = Parameters<ProbeTransport['httpGet']>[1];
type HTTPResponse = { status: number; body: string; location?: string; statusText?: string };

const join = (host: string, port: number) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
};

/** upstream: net.OpError Error */
function dialError(err: NodeJS.ErrnoException, host: string, port: number): string {
  if (err.code === 'ENOTFOUND' || err.code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  const reason = err.code ? reasons[err.code] : undefined;
  return reason ? `dial tcp ${join(host, port)}: ${reason}` : err.message;
}

/** The network as the kubelet's probers see it. upstream: pkg/probe/{http,tcp,grpc} */
export function nodeProbeTransport(): ProbeTransport {
  return {
    *httpGet(ctx, request) {
      return yield* call('http probe', (signal) => get(request, signal), ctx);
    },
    *tcpConnect(ctx: Context, host: string, port: number, timeout: number) {
      yield* call('tcp probe', (signal) => dial(host, port, timeout / 1000, signal), ctx);
    },
    *grpcCheck(ctx, host, port, service, timeout) {
      return yield* call('grpc probe', (signal) => healthCheck(host, port, service, timeout / 1000, signal), ctx);
    },
  };
}

function get(request: HTTPRequest, signal: AbortSignal): Promise<HTTPResponse> {
  const { scheme, host, port, path, headers, timeout, maxBody } = request;
  const url = `${scheme}://${join(host, port)}${path.startsWith('/') ? path : `/${path}`}`;
  return new Promise((resolve, reject) => {
    let phase = 'dial';
    const fail = (text: string) => reject(new Error(`Get ${JSON.stringify(url)}: ${text}`));
    const lists: Record<string, string[]> = {};
    for (const { name, value } of headers) lists[name] = [...(lists[name] ?? []), value];
    const single = Object.entries(lists).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? '') : values,
    ]);
    const options: https.RequestOptions = {
      host,
      port,
      path: path.startsWith('/') ? path : `/${path}`,
      headers: Object.fromEntries(single) as http.OutgoingHttpHeaders,
      // Like the kubelet's: one connection per probe, and no check of certificates.
      agent: false,
      rejectUnauthorized: false,
    };
    const sent = (scheme === 'https' ? https : http).get(options, (response) => {
      phase = 'body';
      const chunks: Buffer[] = [];
      let size = 0;
      const done = () => {
        clearTimeout(timer);
        sent.destroy();
        const { location } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks)
            .subarray(0, maxBody ?? probeBody)
            .toString('utf8'),
          ...(location !== undefined && { location }),
          ...(response.statusMessage && { statusText: response.statusMessage }),
        });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (maxBody === undefined) {
          if (size >= probeBody) done();
        } else if (size > maxBody) {
          clearTimeout(timer);
          // The error of a manifest file that is too long. upstream: util/io ErrLimitReached
          reject(new Error('the read limit is reached'));
          sent.destroy();
        }
      });
      response.on('end', done);
      response.on('error', (err) => {
        clearTimeout(timer);
        fail(err.message);
      });
    });
    ignoreRequestErrors(sent);
    // An upgrade has a code as well: without this listener nobody would hear of it.
    sent.on('upgrade', (response, socket) => {
      clearTimeout(timer);
      socket.destroy();
      const { statusCode: status = 0, statusMessage: statusText } = response;
      resolve({ status, body: '', ...(statusText && { statusText }) });
    });
    sent.on('socket', (socket) =>
      socket.on('connect', () => {
        phase = 'headers';
      }),
    );
    sent.on('error', (err: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (phase === 'dial') fail(dialError(err, host, port));
      else
        fail(
          err.code === 'ECONNRESET'
            ? err.message === 'socket hang up'
              ? 'EOF'
              : 'read: connection reset by peer'
            : err.message,
        );
    });
    const timedOut = () => {
      const why = phase === 'dial' ? `dial tcp ${join(host, port)}: i/o timeout` : 'context deadline exceeded';
      fail(
        `${why} (Client.Timeout ${phase === 'body' ? 'or context cancellation while reading body' : 'exceeded while awaiting headers'})`,
      );
      sent.destroy();
    };
    const timer = setTimeout(timedOut, timeout / 1000);
    onAbort(signal, () => {
      clearTimeout(timer);
      if (isDeadline(signal.reason)) timedOut();
      else fail('context canceled');
      sent.destroy();
    });
  });
}

function dial(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = ignoreErrors(connect({ host, port }));
    const end = (error?: string) => {
      clearTimeout(timer);
      socket.destroy();
      if (error === undefined) resolve();
      else reject(new Error(error));
    };
    const timedOut = `dial tcp ${join(host, port)}: i/o timeout`;
    const timer = setTimeout(() => end(timedOut), timeoutMs);
    socket.on('connect', () => end());
    socket.on('error', (err) => end(dialError(err, host, port)));
    onAbort(signal, () => end(isDeadline(signal.reason) ? timedOut : 'context canceled'));
  });
}

/** Calls `then` when the caller gives up, at once if that was before. */
function onAbort(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}

/** The caller's context and our own timer end at the same time: it must not matter which comes first. */
const isDeadline = (reason: unknown) => reason instanceof ContextError && reason.reason === 'deadline';

const servingStatus = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

type ServingStatus = (typeof servingStatus)[number];

/** Dials first, so that a failure to connect reads as grpc-go's. upstream: pkg/probe/grpc/grpc.go */
async function healthCheck(
  host: string,
  port: number,
  service: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ServingStatus> {
  const until = Date.now() + timeoutMs;
  try {
    await dial(host, port, timeoutMs, signal);
  } catch (err) {
    const { message } = err as Error;
    if (message.endsWith('i/o timeout')) throw DeadlineExceeded;
    throw new Error(`connection error: desc = "transport: Error while dialing: ${message}"`);
  }
  return check(host, port, service, until);
}

/** grpc.health.v1.Health/Check by hand: one string out, one enum back. */
function check(host: string, port: number, service: string, until: number): Promise<ServingStatus> {
  const client = new Client(join(host, port), credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const name = Buffer.from(service);
  const request = name.length > 0 ? Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]) : Buffer.alloc(0);
  const metadata = new Metadata();
  return new Promise<ServingStatus>((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => servingStatus[bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0] ?? 'UNKNOWN',
      request,
      metadata,
      { deadline: until },
      (err, answer) => {
        if (err?.code === status.NOT_FOUND) resolve('SERVICE_UNKNOWN');
        else if (err) reject(new Error(`rpc error: code = ${codeName(err.code)} desc = ${err.details}`));
        else resolve(answer ?? 'UNKNOWN');
      },
    );
  }).finally(() => client.close());
}

function varint(n: number): Buffer {
  const out: number[] = [];
  for (; n >= 0x80; n >>>= 7) out.push((n & 0x7f) | 0x80);
  out.push(n);
  return Buffer.from(out);
}

const codeName = (code: number): string => {
  const name = status[code] ?? String(code);
  return name
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
};
