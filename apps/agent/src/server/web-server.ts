/** The web app and socket.io on one port, behind one door. */
import { createServer, type Server as HTTPServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Socket, Server as SocketServer } from 'socket.io';
import type { Door, Verdict } from './auth.js';
import { listen } from './listen.js';
import { loadStaticFiles, securityHeaders, serveStatic } from './static-files.js';

/** Largest message from a client, in bytes. */
export const maxInbound = 64 * 1024;
const socketPath = '/socket.io/';

export interface WebServerOptions {
  /** Folder of the built web app. */
  readonly webRoot: string;
  readonly maxConnections: number;
  /** HTTPS with this certificate and key, both PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** How long anybody may take to say what he wants, ms. Default: 10 s */
  readonly patienceMillis?: number;
}

/** Answers for files by itself; whoever uses it adds namespaces to `io`, and asks `admit` in each. */
export class WebServer {
  readonly io: SocketServer;
  private readonly upgraded = new Set<Duplex>();

  private constructor(
    private readonly http: HTTPServer,
    door: Door,
    patienceMillis: number,
  ) {
    this.io = socketServer(http, door, this.upgraded, patienceMillis);
  }

  static async make(
    door: Door,
    { webRoot, maxConnections, tls, patienceMillis = 10_000 }: WebServerOptions,
  ): Promise<WebServer> {
    const files = await loadStaticFiles(webRoot);
    const answer: Parameters<typeof createServer>[1] = (request, response) => {
      const verdict = check(door, request, null);
      if (verdict.ok) return serveStatic(files, request, response);
      response.writeHead(verdict.status, {
        ...securityHeaders('127.0.0.1'),
        'Content-Type': 'text/plain; charset=utf-8',
      });
      response.end(`${verdict.reason}\n`);
    };
    const limits = {
      headersTimeout: patienceMillis,
      // Nobody sends a body.
      requestTimeout: patienceMillis,
      // Node looks after slow ones only this often.
      connectionsCheckingInterval: Math.ceil(patienceMillis / 4),
    };
    const http = tls
      ? createTLSServer({ ...tls, ...limits, handshakeTimeout: patienceMillis }, answer)
      : createServer(limits, answer);
    http.maxConnections = maxConnections;
    return new WebServer(http, door, patienceMillis);
  }

  /** Resolves with the port. Rejects with a SetupError when it cannot listen. */
  listen(host: string, port: number, remedy: string): Promise<number> {
    return listen(this.http, host, port, remedy);
  }

  async close(): Promise<void> {
    this.io.disconnectSockets(true);
    for (const socket of this.upgraded) socket.destroy();
    await new Promise<void>((resolve) => {
      this.http.close(() => resolve());
      this.http.closeAllConnections();
    });
  }
}

function check(door: Door, request: IncomingMessage, token: string | undefined | null): Verdict {
  return door.check({ host: request.headers.host, origin: request.headers.origin, token });
}

/** The door's verdict about a socket that wants into a namespace, by the token that it sent. */
export function admit(door: Door, socket: Socket): Verdict {
  // What a client sent as `auth` may be anything, null included.
  const given = (socket.handshake.auth as { token?: unknown } | null)?.token;
  return check(door, socket.request, typeof given === 'string' ? given : undefined);
}

/** An error that socket.io passes on whole: the client's connect_error has `message` and `data.status`. */
export function refusal(status: number, reason: string): Error {
  return Object.assign(new Error(reason), { data: { status } });
}

/**
 * socket.io, behind our own door: it sees an upgrade only after the door has passed it, and no plain request at all.
 * Recovery stays off: it would skip the token.
 */
function socketServer(http: HTTPServer, door: Door, upgraded: Set<Duplex>, patienceMillis: number): SocketServer {
  const inner = createServer();
  const io = new SocketServer(inner, {
    path: socketPath,
    serveClient: false,
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: maxInbound,
    connectTimeout: patienceMillis,
  });
  // Who says nothing is told to go, and has half a minute for an answer to that: too long for a stranger.
  io.engine.on('connection', (conn: { readyState: string; request: IncomingMessage }) => {
    const { socket } = conn.request;
    const timer = setTimeout(() => {
      if (conn.readyState !== 'open') socket.destroy();
    }, patienceMillis + 100);
    socket.once('close', () => clearTimeout(timer));
  });
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const verdict = check(door, request, null);
    if (!verdict.ok) return refuseUpgrade(socket, verdict.status, verdict.reason);
    // No URL: what a client asks for need not be one (`//`), and an error here would end the process.
    const [path, query = ''] = (request.url ?? '/').split('?', 2);
    if (path !== socketPath) return refuseUpgrade(socket, 404, 'there is no socket here');
    if (new URLSearchParams(query).get('transport') !== 'websocket')
      return refuseUpgrade(socket, 400, 'only websocket is served');
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    inner.emit('upgrade', request, socket, head);
  });
  return io;
}

function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  socket.on('error', () => {});
  const body = `${reason}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n\r\n${body}`);
}
