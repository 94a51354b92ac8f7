/**
 * Serves core's API server on loopback, over HTTPS: who may ask, how much, how long. What it answers is core's business.
 *
 * upstream: apiserver pkg/server (filters)
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ApiAnswer, ApiForward, ApiRequest, ApiResponse, ApiWatch, UserInfo } from '@syncloop/core/apiserver';
import { closeServer, heardServer } from '../heard.js';
import { hostPort, listen } from '../server/listen.js';
import type { Pair } from '../tls/certificate.js';
import { type Forwarder, refuse } from './forward.js';
import { statusBody } from './status-body.js';

export interface ServeOptions {
  /** Answers at once; called between two steps of the kernel. */
  readonly handle: (request: ApiRequest) => ApiResponse;
  /** Tokens that the server itself gave out (service accounts); null for any other. */
  readonly authenticate?: (token: string) => UserInfo | null;
  /** Of the administrator. */
  readonly token: string;
  readonly tls: Pair;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly remedy: string;
  /** To the kubelet of a node; null where that one cannot be asked. */
  readonly forwarder: (nodeName: string) => Forwarder | null;
  /** Largest body, bytes. upstream: apiserver pkg/server/config.go MaxRequestBodyBytes */
  readonly maxBody?: number;
  /** Bytes that a watch may have on its way to a reader before it is ended. */
  readonly maxBehind?: number;
}

/** An API server that listens. */
export interface ServedAPI {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const MiB = 1024 * 1024;
const admin: UserInfo = { name: 'syncloop-admin', groups: ['system:masters', 'system:authenticated'] };

/** Resolves once it listens. Rejects with a SetupError. */
export async function serveAPI(options: ServeOptions): Promise<ServedAPI> {
  const front = new Front(options);
  const { certPem: cert, keyPem: key } = options.tls;
  const server: Server = createServer({
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10_000,
    // Node looks after slow ones only this often.
    connectionsCheckingInterval: 5000,
  });
  heardServer(server);
  server.on('request', (request, response) => void front.request(request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    front.upgrade(request, socket, head),
  );
  // Who says nothing, or says it too slowly, holds a connection no longer than this.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 90_000;
  server.maxConnections = 256;
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

class Front {
  port = 0;
  private readonly digest: Buffer;
  private readonly sockets = new Set<Duplex>();

  constructor(private readonly options: ServeOptions) {
    this.digest = sha256(options.token);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const user = this.admit(request);
      const body = await readBody(request, this.options.maxBody ?? 3 * MiB);
      if (response.destroyed) return;
      const asked = this.toRequest(request, user, body);
      const answer = this.options.handle(asked);
      switch (answer.kind) {
        case 'answer':
          return sendAnswer(response, answer, request.method === 'HEAD');
        case 'watch':
          return this.watch(response, answer);
        case 'forward':
          return this.mustForward(answer).request(answer, request, body, response);
      }
    } catch (err) {
      const { code, reason, message } = asRefusal(err);
      if (response.headersSent) return void response.destroy();
      const text = statusBody(code, reason, message);
      response.writeHead(code, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        // What is left of the request is not read.
        ...(!request.complete && { Connection: 'close' }),
        ...(code === 401 && { 'WWW-Authenticate': 'Bearer' }),
      });
      response.end(text);
    }
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    try {
      const user = this.admit(request);
      const answer = this.options.handle(this.toRequest(request, user, Buffer.alloc(0)));
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

  /** By name (a page that calls itself by a name of its own), origin (any page), token (any program). Throws a Refusal. */
  private admit({ headers }: IncomingMessage): UserInfo {
    const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${this.port}`);
    if (!names.includes(headers.host?.toLowerCase() ?? ''))
      throw new Refusal(421, '', `this server answers to https://127.0.0.1:${this.port} only`);
    if (headers.origin !== undefined)
      throw new Refusal(403, 'Forbidden', 'requests from web pages are refused: use kubectl with the kubeconfig');
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    // Digests have one length, whatever was sent.
    if (timingSafeEqual(sha256(given), this.digest)) return impersonated(headers);
    const user = this.options.authenticate?.(given) ?? null;
    if (user === null) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    return user;
  }

  private toRequest(request: IncomingMessage, user: UserInfo, body: Buffer): ApiRequest {
    // No URL: what a client asks for need not be one (`//`).
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const query: Record<string, string | string[]> = Object.create(null);
    for (const [key, value] of new URLSearchParams(search)) {
      const known = query[key];
      query[key] = known === undefined ? value : [...[known].flat(), value];
    }
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(request.headers)) {
      if (name !== 'authorization' && value !== undefined) headers[name] = [value].flat().join(', ');
    }
    return {
      // As upstream, HEAD is a get whose body nobody sees.
      method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
      path,
      query,
      headers,
      ...(body.length > 0 && { body: body.toString('utf8'), bytes: body }),
      user,
    };
  }

  private watch(response: ServerResponse, watch: ApiWatch): void {
    const maxBehind = this.options.maxBehind ?? 16 * MiB;
    response.writeHead(200, watch.headers as Record<string, string>);
    response.flushHeaders();
    const stop = watch.open({
      event(event) {
        if (response.destroyed) return false;
        response.write(`${JSON.stringify(event)}\n`);
        return response.writableLength <= maxBehind;
      },
      end: () => response.end(),
    });
    response.on('close', stop);
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
  ) {
    super(message);
  }
}

function asRefusal(err: unknown): Pick<Refusal, 'code' | 'reason' | 'message'> {
  if (err instanceof Refusal) return err;
  const message = `Internal error occurred: ${err instanceof Error ? err.message : String(err)}`;
  return { code: 500, reason: 'InternalError', message };
}

/** kubectl --as, which the administrator may. upstream: apiserver pkg/endpoints/filters/impersonation.go */
function impersonated(headers: IncomingMessage['headers']): UserInfo {
  const name = headers['impersonate-user'];
  if (typeof name !== 'string' || name === '') return admin;
  const groups = [headers['impersonate-group'] ?? []].flat().flatMap((list) => list.split(/, */));
  return { name, groups: [...groups, 'system:authenticated'] };
}

async function readBody(request: IncomingMessage, max: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(415, 'UnsupportedMediaType', `content encoding ${JSON.stringify(encoding)} is not taken`);
  const tooLarge = () => new Refusal(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${max}`);
  if (Number(request.headers['content-length'] ?? 0) > max) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > max) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sendAnswer(response: ServerResponse, { code, headers, body }: ApiAnswer, headOnly: boolean): void {
  const type =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'application/json';
  const asIs = typeof body === 'string' && !type.includes('json');
  // Of a binary format each character is a byte.
  const bytes = Buffer.from(asIs ? body : `${JSON.stringify(body)}\n`, type.includes('+protobuf') ? 'latin1' : 'utf8');
  // A header of several lines is a header several times: warnings.
  const parted = Object.entries(headers).map(([name, value]) => [
    name,
    value.includes('\n') ? value.split('\n') : value,
  ]);
  response.writeHead(code, {
    'Cache-Control': 'no-cache, private',
    ...Object.fromEntries(parted.filter(([name]) => String(name).toLowerCase() !== 'content-type')),
    'Content-Type': type,
    'Content-Length': bytes.length,
  });
  response.end(headOnly ? undefined : bytes);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
