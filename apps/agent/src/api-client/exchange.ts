/** One HTTP exchange with an API server, up to the head of the answer. Error texts are those of Go. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ContextError } from '@syncloop/core/kernel';
import { ignoreRequestErrors } from '../base/ignore-errors.js';
import { goErrorText, joinHostPort, urlError } from './go-errors.js';
import type { RequestAccess } from './kubeconfig.js';

/** A request, ready to be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The longest wait for the head of the answer, ms; 0: without limit. */
  readonly timeoutMillis: number;
}

/** An answer whose body is still to be read. */
export interface Incoming {
  readonly response: http.IncomingMessage;
  /** Turns an error of the body into the one to report for the request. */
  explain(err: Error): Error;
  /** True if the body ended because the bytes received are not HTTP. */
  malformed(): boolean;
  abort(): void;
}

/** The error of a transport: Go's text, and its cause. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}

// upstream: net/http DefaultTransport, client-go transport/cache.go
const dialMillis = 30_000;
const handshakeMillis = 10_000;
const probeIdleMillis = 30_000;

/**
 * Sends a request. If it went to an idle connection that the server had already closed, sends it a second time.
 */
export async function exchange(outgoing: Outgoing, access: RequestAccess, signal: AbortSignal): Promise<Incoming> {
  try {
    return await attempt(outgoing, access, signal);
  } catch (err) {
    // Only requests that may be sent twice. upstream: net/http (*Request).isReplayable
    if (err instanceof StaleConnection && outgoing.method === 'GET' && !signal.aborted)
      return await attempt(outgoing, access, signal);
    throw err;
  }
}

class StaleConnection extends TransportError {}

function attempt(outgoing: Outgoing, access: RequestAccess, signal: AbortSignal): Promise<Incoming> {
  const { method, url, body, timeoutMillis } = outgoing;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const shown = url.href;
  return new Promise((resolve, reject) => {
    let ends: string | undefined;
    let ours: string | undefined;
    // The request gets this error; its answer learns only that it is over.
    let malformed = false;
    const explain = (err: Error): Error => {
      if (signal.aborted) return contextError(method, shown, signal.reason);
      const why = ours ?? goErrorText(err, { host, port, ...(ends !== undefined && { ends }) });
      return new TransportError(urlError(method, shown, why));
    };
    const fail = (why: string) => {
      ours ??= why;
      request.destroy(new Error(why));
    };
    const timers = new Set<NodeJS.Timeout>();
    const after = (millis: number, why: string) => {
      const timer = setTimeout(() => fail(why), millis);
      timers.add(timer);
      return () => clearTimeout(timer);
    };
    const request: http.ClientRequest = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      agent: access.agent,
      headers: {
        ...outgoing.headers,
        ...access.headers,
        ...(body && { 'Content-Length': body.length }),
      },
    });
    ignoreRequestErrors(request);
    if (timeoutMillis > 0)
      after(timeoutMillis, 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
    // Without an error: the request may no longer listen to the socket, and `explain` gives the reason.
    const abort = () => void request.destroy();
    signal.addEventListener('abort', abort);
    const headIsThere = () => {
      for (const timer of timers) clearTimeout(timer);
    };
    const failed = (err: NodeJS.ErrnoException) => {
      malformed ||= `${err.code}`.startsWith('HPE_');
      headIsThere();
      signal.removeEventListener('abort', abort);
      const stale = request.reusedSocket && (err.code === 'ECONNRESET' || err.code === 'EPIPE') && !ours;
      const explained = explain(err);
      reject(stale && !signal.aborted ? new StaleConnection(explained.message) : explained);
    };
    request.on('socket', (socket: Socket) => {
      const connected = () => {
        ends = `${joinHostPort(socket.localAddress ?? '', socket.localPort ?? 0)}->${joinHostPort(socket.remoteAddress ?? '', socket.remotePort ?? 0)}`;
        // Detects a peer that vanished, also on a watch that is silent for long.
        socket.setKeepAlive(true, probeIdleMillis);
      };
      if (!socket.connecting) return connected();
      const dialed = after(dialMillis, `dial tcp ${joinHostPort(host, port)}: i/o timeout`);
      socket.once('connect', () => {
        dialed();
        connected();
        if (!(socket instanceof TLSSocket)) return;
        const shaken = after(handshakeMillis, 'net/http: TLS handshake timeout');
        socket.once('secureConnect', shaken);
      });
    });
    request.on('response', (response) => {
      headIsThere();
      response.once('close', () => signal.removeEventListener('abort', abort));
      resolve({ response, explain, malformed: () => malformed, abort });
    });
    request.on('error', failed);
    // An answer that changes to another protocol, which nobody asked for, ends without an error and without a response.
    request.on('close', () => failed(new Error('EOF')));
    if (signal.aborted) abort();
    else request.end(body);
  });
}

/** The error of a request whose context ended, which callers look for. upstream: net/url (*Error).Unwrap */
function contextError(method: string, url: string, why: unknown): Error {
  if (!(why instanceof ContextError)) return new TransportError(urlError(method, url, 'context canceled'));
  return new TransportError(urlError(method, url, why.message), { cause: why });
}
