/**
 * Small HTTP servers with limits: the form of an answer, the names by which clients may ask, the time that they may
 * take.
 */

import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createServer as createTLSServer, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { messageOf } from '@syncloop/core/base';
import { HTTPError } from '@syncloop/core/kubelet/server';
import { closeServer, ignoreServerErrors } from '../base/ignore-errors.js';
import { isLoopback, listen } from '../net/listen.js';
import { isAddressOrLocalhost, isFromAnotherSite } from '../net/same-machine.js';
import { Answers, Connections, HandshakePacer } from '../net/seats.js';
import { serverLimits } from './limits.js';

/** An answer that is whole. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that came in, with the way to answer it. */
export interface ServerRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Still encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Set if the client wants the connection for another protocol. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
}

/**
 * Answers a request; null if the answer was already sent. An HTTPError that it throws becomes that answer, any other
 * error status 500.
 */
export type Handler = (incoming: ServerRequest) => Promise<Answer | null>;

/** Like Go's http.Error. */
export const text = (status: number, body: string, headers?: Readonly<Record<string, string>>): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
  ...(headers && { headers }),
});
export const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
});
export const metricsText = (body: string): Answer => ({
  status: 200,
  type: 'text/plain; version=0.0.4; charset=utf-8',
  body,
});
/** The answer for a path without a handler. */
export const pageNotFound = text(404, '404 page not found\n');

export interface ServeOptions {
  /** Missing: plain HTTP. */
  readonly tls?: ServerOptions;
  /** Upgrades; without, they are refused. */
  readonly upgrades?: boolean;
  /** On loopback only IP addresses and localhost are names for us. Default: yes. */
  readonly checkHost?: boolean;
}

/** A server that listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Most time for the head of a request. Bodies are next to nothing here. */
const headersMillis = 10_000;
const requestMillis = 30_000;
const idleMillis = 90_000;

/** A server that is not listening yet. */
export function makeServer(answer: Handler, options: ServeOptions = {}): Server {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void handle(request, response);
  // Node looks after slow ones only this often.
  const limits = { connectionsCheckingInterval: 5000, maxHeaderSize: serverLimits.headers };
  const server: Server = options.tls
    ? (createTLSServer({ ...options.tls, ...limits }, onRequest) as unknown as Server)
    : createServer(limits, onRequest);
  if (options.tls) new HandshakePacer(server, serverLimits.pace);
  ignoreServerErrors(server);
  server.headersTimeout = headersMillis;
  server.requestTimeout = requestMillis;
  server.keepAliveTimeout = idleMillis;
  // Idle connections make room before this limit.
  server.maxConnections = serverLimits.connections + 1;
  const connections = new Connections(server, {
    most: serverLimits.connections,
    perAddress: serverLimits.connectionsOfOne,
    perSecond: serverLimits.newConnectionsOfOne,
  });
  const answers = new Answers(serverLimits.answers);

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    upgrade?: ServerRequest['upgrade'],
  ): Promise<void> {
    const [path = '/', query = ''] = split(request.url ?? '/');
    const idle = connections.begin(request.socket);
    (upgrade?.socket ?? response).once('close', idle);
    const send = (answered: Answer) => {
      response.setTimeout(serverLimits.stalled);
      answers.add(response, sendAnswer(response, answered, request.method));
    };
    try {
      if (options.checkHost !== false && !knownHost(request))
        return send(text(421, 'on loopback, ask by an IP address or localhost\n'));
      if (options.checkHost !== false && isFromAnotherSite(request.headers))
        return send(text(403, 'requests from pages of other sites are refused\n'));
      const incoming = { request, response, path, query: new URLSearchParams(query), ...(upgrade && { upgrade }) };
      const answered = await answer(incoming);
      if (answered) send(answered);
    } catch (err) {
      const made = err instanceof HTTPError ? text(err.status, err.message, err.headers) : text(500, messageOf(err));
      if (response.headersSent) response.end();
      else send(made);
    }
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    } catch {
      // It came right behind another request, whose answer is still going out.
      socket.destroy();
      return;
    }
    response.once('finish', () => socket.end());
    void handle(request, response, options.upgrades ? { socket, head } : undefined);
  });
  server.on('clientError', (_err, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  });
  return server;
}

function split(url: string): [string, string] {
  // A proxy's form of a request has the whole URL.
  const local = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
  const at = local.indexOf('?');
  return at < 0 ? [local || '/', ''] : [local.slice(0, at) || '/', local.slice(at + 1)];
}

/**
 * Returns true if the host is an address or localhost: a page in a browser that uses a name of its own may not read
 * loopback.
 */
function knownHost({ headers, socket: { localAddress } }: IncomingMessage): boolean {
  if (!localAddress || !isLoopback(localAddress.replace(/^::ffff:/, ''))) return true;
  return isAddressOrLocalhost(headers.host);
}

/** Bodies of answers that several have asked for. */
const encoded = new WeakMap<Answer, Buffer>();

/** Returns the bytes of the body. */
function sendAnswer(response: ServerResponse, answer: Answer, method: string | undefined): number {
  let body = encoded.get(answer);
  if (!body) {
    body = Buffer.from(answer.body);
    encoded.set(answer, body);
  }
  response.writeHead(answer.status, {
    'Content-Type': answer.type,
    'Content-Length': String(body.length),
    'X-Content-Type-Options': 'nosniff',
    ...answer.headers,
  });
  response.end(method === 'HEAD' ? undefined : body);
  return method === 'HEAD' ? 0 : body.length;
}

/** Reads the body of a small request. Throws an HTTPError 413 if it is larger. */
export async function smallBody(request: IncomingMessage, limit: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) throw new HTTPError(413, `the body is longer than ${limit} bytes\n`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Starts one of the servers. `remedy` names the field or flag that chooses another port. */
export async function listenOn(server: Server, host: string, port: number, remedy: string): Promise<Listening> {
  const bound = await listen(server, host, port, remedy);
  return {
    host,
    port: bound,
    close: () => closeServer(server),
  };
}
