/**
 * Serves core's API server on loopback over HTTPS: who may send requests, how many, and how long they may take. Core
 * makes the answers.
 *
 * upstream: apiserver pkg/server (filters)
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  type ApiAnswer,
  type ApiForward,
  type ApiRequest,
  type ApiResponse,
  type ApiWatch,
  type Impersonation,
  StatusError,
  type UserInfo,
} from '@syncloop/core/apiserver';
import { closeServer, ignoreServerErrors } from '../base/ignore-errors.js';
import { hostPort, listen } from '../net/listen.js';
import { Answers, Connections, HandshakePacer, Seats } from '../net/seats.js';
import { Slices } from '../net/slices.js';
import type { Pair } from '../tls/certificate.js';
import { administrator, tokenCheck } from './administrator.js';
import { userOfCertificate } from './client-certificate.js';
import { type Forwarder, refuse } from './forward.js';
import { type ServeLimits, serveLimits } from './limits.js';
import { statusBody } from './status-body.js';

export interface ServeOptions {
  /** Answers at once, or after turns of its own; called between two steps of the kernel. */
  readonly handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;
  /** Returns the user of a token that the server itself issued (service accounts); null for any other token. */
  readonly authenticate?: (token: string) => UserInfo | null;
  /** The authority (PEM) whose client certificates authenticate users; without it no certificate is requested. */
  readonly clientCA?: string;
  /**
   * Returns the user that a client impersonates (`kubectl --as`). Throws a StatusError if that is forbidden. Without
   * this function every impersonation is refused.
   */
  readonly impersonate?: (user: UserInfo, wanted: Impersonation) => UserInfo;
  /** The token of the administrator. */
  readonly token: string;
  readonly tls: Pair;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly remedy: string;
  /** The forwarder to the kubelet of a node; null if that kubelet cannot be reached. */
  readonly forwarder: (nodeName: string) => Forwarder | null;
  /** Limits that differ from {@link serveLimits}. */
  readonly limits?: Partial<ServeLimits>;
}

/** An API server that listens. */
export interface ServedAPI {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Resolves once it listens. Rejects with a SetupError. */
export async function serveAPI(options: ServeOptions): Promise<ServedAPI> {
  const limits = { ...serveLimits, ...options.limits };
  const { certPem: cert, keyPem: key } = options.tls;
  const server: Server = createServer({
    cert,
    key,
    // A client without a certificate, or with one of another authority, may still have a token.
    ...(options.clientCA !== undefined && { ca: options.clientCA, requestCert: true, rejectUnauthorized: false }),
    maxHeaderSize: limits.headers,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10_000,
    // Node looks for slow connections only this often.
    connectionsCheckingInterval: 5000,
  });
  new HandshakePacer(server, limits.pace);
  const front = new Front(options, limits, new Connections(server, { most: limits.connections }));
  ignoreServerErrors(server);
  server.on('request', (request, response) => void front.request(request, response));
  server.on(
    'upgrade',
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void front.upgrade(request, socket, head),
  );
  server.on('clientError', (err: NodeJS.ErrnoException, socket: Duplex) => {
    // Node's own way is to destroy it with the answer, which then may get lost.
    if (!socket.writable) return void socket.destroy();
    const words = clientErrors[err.code ?? ''] ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${words}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
  });
  // A client that sends nothing, or sends too slowly, keeps a connection no longer than this.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 90_000;
  // Idle connections are closed before this limit is reached.
  server.maxConnections = limits.connections + 1;
  server.maxRequestsPerSocket = 0;
  const port = await listen(server, options.host, options.port, options.remedy);
  front.port = port;
  return {
    url: `https://${hostPort(options.host, port)}`,
    port,
    close: () => {
      front.close();
      return closeServer(server);
    },
  };
}

/** The answers to requests that cannot be parsed, by Node's error code. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Paths of health checks, which do not count towards the limit of requests. */
const healthPaths = /^\/(healthz|livez|readyz)(\/|\?|$)/;
/** upstream: apiserver pkg/server/filters maxinflight.go */
const tooMany = () => new Refusal(429, 'TooManyRequests', 'Too many requests, please try again later.', 1);

class Front {
  port = 0;
  private readonly isToken: (given: string) => boolean;
  private readonly sockets = new Set<Duplex>();
  private readonly slices = new Slices();
  private readonly requests: Seats;
  private readonly mutating: Seats;
  private readonly watches: Seats;
  private readonly streams: Seats;
  /** Bytes of bodies that are being received. */
  private readonly bodies = { size: 0 };
  private readonly answers: Answers;

  constructor(
    private readonly options: ServeOptions,
    private readonly limits: ServeLimits,
    private readonly connections: Connections,
  ) {
    this.isToken = tokenCheck(options.token);
    const { share } = limits;
    this.requests = new Seats(limits.requests, share);
    this.mutating = new Seats(limits.mutating, share);
    this.watches = new Seats(limits.watches, share);
    this.streams = new Seats(limits.streams, share);
    this.answers = new Answers(limits.answers);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const idle = this.connections.begin(request.socket);
    response.once('close', idle);
    let leave: (() => void) | undefined;
    try {
      const user = this.admit(request);
      leave = this.enter(request, user);
      response.once('close', leave);
      const body = await readBody(request, this.limits, this.bodies);
      if (response.destroyed) return;
      const asked = this.toRequest(request, user, body);
      const answer = await this.options.handle(asked);
      if (response.destroyed) return;
      switch (answer.kind) {
        case 'answer':
          return this.answer(response, answer, request.method === 'HEAD');
        case 'watch': {
          const end = this.take(this.watches, user);
          response.once('close', end);
          leave();
          return this.watch(response, answer);
        }
        case 'forward': {
          const end = this.take(this.streams, user);
          response.once('close', end);
          leave();
          return this.mustForward(answer).request(answer, request, body, response);
        }
      }
    } catch (err) {
      const { code, reason, message, retryAfter } = asRefusal(err);
      if (response.headersSent) return void response.destroy();
      const text = statusBody(code, reason, message, retryAfter);
      response.setTimeout(this.limits.stalled);
      response.writeHead(code, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        // The rest of the request is not read.
        ...(!request.complete && { Connection: 'close' }),
        ...(code === 401 && { 'WWW-Authenticate': 'Bearer' }),
        ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      });
      response.end(text);
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const idle = this.connections.begin(request.socket);
    this.sockets.add(socket);
    socket.on('close', () => {
      this.sockets.delete(socket);
      idle();
    });
    socket.on('error', () => {});
    try {
      const user = this.admit(request);
      const end = this.take(this.streams, user);
      socket.once('close', end);
      const answer = await this.options.handle(this.toRequest(request, user, Buffer.alloc(0)));
      if (socket.destroyed) return end();
      if (answer.kind === 'forward') this.mustForward(answer).upgrade(answer, request, socket, head);
      else if (answer.kind === 'answer' && answer.code >= 400) {
        const { message = '', reason = '' } = answer.body as { message?: string; reason?: string };
        refuse(socket, answer.code, reason, message);
      } else refuse(socket, 400, 'BadRequest', 'there is nothing to upgrade here');
    } catch (err) {
      const { code, reason, message } = asRefusal(err);
      refuse(socket, code, reason, message);
    }
  }

  /** Counts a request until the returned function is called. Throws a Refusal. */
  private enter({ method, url = '' }: IncomingMessage, user: UserInfo): () => void {
    if (healthPaths.test(url)) return () => {};
    const leave = this.take(this.requests, user);
    if (method === 'GET' || method === 'HEAD') return leave;
    const done = this.mutating.take(user.name);
    if (!done) {
      leave();
      throw tooMany();
    }
    return () => {
      leave();
      done();
    };
  }
  private take(seats: Seats, { name }: UserInfo): () => void {
    const leave = seats.take(name);
    if (!leave) throw tooMany();
    return leave;
  }

  /**
   * Checks the Host header (against pages that rebind a name), the origin (against any page) and the token (against any
   * program). Throws a Refusal.
   */
  private admit(request: IncomingMessage): UserInfo {
    const { headers, socket } = request;
    const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${this.port}`);
    if (!names.includes(headers.host?.toLowerCase() ?? ''))
      throw new Refusal(421, '', `this server answers to https://127.0.0.1:${this.port} only`);
    if (headers.origin !== undefined)
      throw new Refusal(403, 'Forbidden', 'requests from web pages are refused: use kubectl with the kubeconfig');
    const certified = this.options.clientCA === undefined ? null : userOfCertificate(socket as TLSSocket);
    if (certified) return this.impersonated(certified, request);
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    if (this.isToken(given)) return this.impersonated(administrator, request);
    const user = this.options.authenticate?.(given) ?? null;
    if (user === null) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    return this.impersonated(user, request);
  }

  /** upstream: apiserver pkg/endpoints/filters/impersonation */
  private impersonated(user: UserInfo, { headersDistinct }: IncomingMessage): UserInfo {
    const names = Object.keys(headersDistinct).filter((name) => name.startsWith('impersonate-'));
    if (names.length === 0) return user;
    const one = (name: string) => headersDistinct[name]?.[0] ?? '';
    const extra: Record<string, string[]> = Object.create(null);
    for (const name of names) {
      const key = /^impersonate-extra-(.+)$/.exec(name)?.[1];
      if (key !== undefined) extra[unescapeKey(key)] = headersDistinct[name] ?? [];
    }
    const name = one('impersonate-user');
    if (name === '') throw new Refusal(400, 'BadRequest', `${names.join(', ')} without Impersonate-User`);
    const { impersonate } = this.options;
    if (!impersonate) throw new Refusal(403, 'Forbidden', 'this server allows no impersonation');
    const uid = one('impersonate-uid');
    const groups = headersDistinct['impersonate-group'] ?? [];
    return impersonate(user, { user: name, groups, ...(uid && { uid }), extra: { ...extra } });
  }

  private toRequest(request: IncomingMessage, user: UserInfo, body: Buffer): ApiRequest {
    // `URL` would not do: the target of a request need not be one (`//`).
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const query: Record<string, string | string[]> = Object.create(null);
    for (const [key, value] of new URLSearchParams(search)) {
      const known = query[key];
      if (Array.isArray(known)) known.push(value);
      else query[key] = known === undefined ? value : [known, value];
    }
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(request.headers)) {
      if (name !== 'authorization' && value !== undefined) headers[name] = [value].flat().join(', ');
    }
    return {
      // As upstream, HEAD is a get whose body is not sent.
      method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
      path,
      query,
      headers,
      ...(body.length > 0 && { body: body.toString('utf8'), bytes: body }),
      user,
    };
  }

  private watch(response: ServerResponse, watch: ApiWatch): void {
    response.writeHead(200, watch.headers as Record<string, string>);
    response.flushHeaders();
    const flow = new Flow(response, this.slices, this.limits.stalled, () => {
      const text = reader.next();
      return text ?? (reader.over ? 'end' : 'wait');
    });
    const reader = watch.read(() => flow.wake(), this.limits.behind);
    response.once('close', () => reader.stop());
    flow.wake();
  }

  private answer(response: ServerResponse, answer: ApiAnswer, headOnly: boolean): void {
    response.setTimeout(this.limits.stalled);
    if (!answer.parts || headOnly) {
      this.answers.add(response, sendAnswer(response, answer, headOnly));
      return;
    }
    response.writeHead(answer.code, headersOf(answer));
    const parts = answer.parts();
    new Flow(response, this.slices, this.limits.stalled, () => {
      const { value, done } = parts.next();
      return done ? 'end' : { text: value };
    }).wake();
  }

  private mustForward({ nodeName, subresource }: ApiForward): Forwarder {
    const forwarder = this.options.forwarder(nodeName);
    if (forwarder) return forwarder;
    throw new Refusal(
      503,
      'ServiceUnavailable',
      `no ${subresource} from node ${JSON.stringify(nodeName)}: this API server asks the kubelet of its own process only, and that one with enableServer: true`,
    );
  }
}

class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Writes texts as fast as their reader takes them. */
class Flow {
  private planned = false;
  private ended = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly slices: Slices,
    private readonly stalled: number,
    /** Returns the next text; `wait`: none is ready until {@link wake} is called. */
    private readonly next: () => string | { readonly text: string } | 'end' | 'wait',
  ) {
    response.on('drain', () => {
      response.setTimeout(0);
      this.wake();
    });
  }

  wake(): void {
    if (this.planned || this.ended || this.response.writableNeedDrain) return;
    this.planned = true;
    this.slices.add(() => {
      const more = this.step();
      this.planned = more;
      return more;
    });
  }
  private step(): boolean {
    const { response } = this;
    if (response.destroyed) return false;
    const next = this.next();
    if (next === 'wait') return false;
    if (next === 'end') {
      this.ended = true;
      // Its last bytes wait no longer than any others.
      response.setTimeout(this.stalled);
      response.end();
      return false;
    }
    const text = typeof next === 'string' ? next : next.text;
    if (text === '' || response.write(text)) return true;
    response.setTimeout(this.stalled);
    return false;
  }
}

function asRefusal(err: unknown): Pick<Refusal, 'code' | 'reason' | 'message' | 'retryAfter'> {
  if (err instanceof Refusal) return err;
  if (err instanceof StatusError)
    return { code: err.code, reason: err.reason, message: err.message, retryAfter: undefined };
  const message = `Internal error occurred: ${err instanceof Error ? err.message : String(err)}`;
  return { code: 500, reason: 'InternalError', message, retryAfter: undefined };
}

/** Decodes a key of `extra` in a header's name: characters that such a name cannot have are percent-encoded. */
function unescapeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function readBody(
  request: IncomingMessage,
  { body: max, bodies: most }: ServeLimits,
  all: { size: number },
): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(
      415,
      'UnsupportedMediaType',
      `content encoding ${JSON.stringify(encoding)} is not supported: send the body without an encoding`,
    );
  const tooLarge = () => new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${max}`);
  if (Number(request.headers['content-length'] ?? 0) > max) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      all.size += chunk.length;
      if (size > max) throw tooLarge();
      if (all.size > most) throw tooMany();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    all.size -= size;
  }
}

function headersOf({ headers }: ApiAnswer): Record<string, string | string[]> {
  // A header of several lines is a header several times: warnings. Node takes a character for each byte, and a warning
  // may quote any text.
  const parted = Object.entries(headers).map(([name, value]) => {
    const bytes = Buffer.from(value).toString('latin1');
    return [name, bytes.includes('\n') ? bytes.split('\n') : bytes];
  });
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return {
    'Cache-Control': 'no-cache, private',
    ...Object.fromEntries(parted.filter(([name]) => String(name).toLowerCase() !== 'content-type')),
    'Content-Type': type ?? 'application/json',
  };
}

/** Bodies that are sent again and again, such as OpenAPI's documents, are encoded once. */
const encoded = new WeakMap<object, Buffer>();

/** Returns the bytes of the body. */
function sendAnswer(response: ServerResponse, answer: ApiAnswer, headOnly: boolean): number {
  const { code, body } = answer;
  const headers = headersOf(answer);
  const type = String(headers['Content-Type']);
  const asIs = typeof body === 'string' && !type.includes('json');
  const known = typeof body === 'object' && body !== null ? encoded.get(body) : undefined;
  // In a binary format each character is a byte.
  const bytes =
    known ?? Buffer.from(asIs ? body : `${JSON.stringify(body)}\n`, type.includes('+protobuf') ? 'latin1' : 'utf8');
  if (typeof body === 'object' && body !== null) encoded.set(body, bytes);
  response.writeHead(code, { ...headers, 'Content-Length': bytes.length });
  response.end(headOnly ? undefined : bytes);
  return headOnly ? 0 : bytes.length;
}
