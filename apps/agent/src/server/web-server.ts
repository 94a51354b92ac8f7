/** The web app and socket.io on one port, behind one check of all clients. */
import { createServer, type Server as HTTPServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { Server as TCPServer, Socket as TCPSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CLASS_NAMESPACE } from '@syncloop/core/classroom';
import { type Socket, Server as SocketServer } from 'socket.io';
import type { CodeProblem } from '../links/link-code.js';
import { listen, listenAlso } from '../net/listen.js';
import type { Credentials, Door, Verdict } from './auth.js';
import { type Allowance, type LimitName, sessionAllowance } from './limits.js';
import { type EngineConnection, Meter } from './meter.js';
import { loadStaticFiles, securityHeaders, serveStatic } from './static-files.js';

const socketPath = '/socket.io/';
/** The time that a client has to read the answer to a refused upgrade, or a goodbye, ms. */
const farewellMillis = 1_000;

export interface WebServerOptions {
  /** Folder of the built web app. */
  readonly webRoot: string;
  /** Marks the page as that of a class's audience, which asks for a code if its address has no token. */
  readonly audience?: boolean;
  /** HTTPS with this certificate and key, both PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The limits of its clients. Default: those of a session's server. */
  readonly allowance?: Allowance;
  /** See MeterOptions. */
  readonly addressOf?: (remote: string) => string;
  readonly onEnded?: (limit: LimitName | null) => void;
  /** For tests: the time that a client may take to ask, ms, instead of the limits' own. */
  readonly patienceMillis?: number;
  /** For tests: the clock of limits over time. Monotonic, ms. */
  readonly now?: () => number;
}

/** Answers for files by itself; its user adds namespaces to `io`, and asks `admit` in each. */
export class WebServer {
  readonly io: SocketServer;
  /** The servers that listen for `http` at other addresses. */
  private readonly others: TCPServer[] = [];

  private constructor(
    private readonly http: HTTPServer,
    private readonly meter: Meter,
    door: Door,
    allowance: Allowance,
  ) {
    this.io = socketServer(http, door, meter, allowance);
    http.on('connection', (socket: TCPSocket) => meter.connected(socket));
    // A connection could not be accepted, for example because no file descriptor is left: no reason to exit.
    http.on('error', () => {});
  }

  static async make(door: Door, options: WebServerOptions): Promise<WebServer> {
    const { webRoot, tls, patienceMillis, now = () => performance.now() } = options;
    const given = options.allowance ?? sessionAllowance;
    const allowance =
      patienceMillis === undefined ? given : { ...given, headMillis: patienceMillis, strangerMillis: patienceMillis };
    const files = await loadStaticFiles(webRoot, options.audience);
    const meter = new Meter({
      allowance,
      namespaces: new Set(['/', CLASS_NAMESPACE]),
      now,
      ...(options.addressOf && { addressOf: options.addressOf }),
      ...(options.onEnded && { onEnded: options.onEnded }),
    });
    const answer: Parameters<typeof createServer>[1] = (request, response) => {
      const over = meter.requested(request.socket);
      // No client needs a body, and nobody reads one.
      const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
      if (over || hasBody) response.setHeader('Connection', 'close');
      const verdict = over ? tooMuch : check(door, request, null);
      if (verdict.ok) {
        serveStatic(files, request, response).catch(() => response.destroy());
        return;
      }
      response.writeHead(verdict.status, {
        ...securityHeaders('127.0.0.1'),
        'Content-Type': 'text/plain; charset=utf-8',
      });
      response.end(`${verdict.reason}\n`);
    };
    const { headMillis } = allowance;
    const limits = {
      headersTimeout: headMillis,
      requestTimeout: headMillis,
      // Node looks after slow ones only this often.
      connectionsCheckingInterval: Math.ceil(headMillis / 4),
    };
    const http = tls
      ? createTLSServer({ ...tls, ...limits, handshakeTimeout: headMillis }, answer)
      : createServer(limits, answer);
    http.setTimeout(allowance.idleMillis, (socket) => {
      options.onEnded?.('idleMillis');
      socket.destroy();
    });
    return new WebServer(http, meter, door, allowance);
  }

  /** Resolves with the port. Rejects with a SetupError when it cannot listen. */
  listen(host: string, port: number, remedy: string): Promise<number> {
    return listen(this.http, host, port, remedy);
  }

  /** Listens at another address, too. Rejects with a SetupError when it cannot. */
  async listenAlso(host: string, port: number, remedy: string): Promise<void> {
    this.others.push(await listenAlso(this.http, host, port, remedy));
  }

  /**
   * Returns true if more records or views may be sent to this socket now; events that must come are sent in any case.
   */
  mayTake(socket: Socket): boolean {
    return this.meter.mayTake(socket.conn);
  }

  /** Returns the address of a socket that its limits count for. */
  addressOf(socket: Socket): string {
    return this.meter.addressOf(socket.conn);
  }

  /** Closes a socket at once, for going beyond that limit. */
  end(socket: Socket, limit: LimitName): void {
    this.meter.endOf(socket.conn, limit);
  }

  async close(): Promise<void> {
    this.io.disconnectSockets(true);
    this.meter.close();
    for (const other of this.others) other.close();
    await new Promise<void>((resolve) => {
      this.http.close(() => resolve());
      this.http.closeAllConnections();
    });
  }
}

const tooMuch: Verdict = { ok: false, status: 429, reason: 'too many requests from your address: wait ten seconds' };

function check(
  door: Door,
  request: IncomingMessage,
  token: string | undefined | null,
  link?: Credentials['link'],
): Verdict {
  if (fromAnotherSite(request))
    return { ok: false, status: 403, reason: 'requests that pages of other sites make are refused' };
  return door.check({ host: request.headers.host, origin: request.headers.origin, token, link });
}

/**
 * Returns true if a browser reports that a page of another site made it send a request, as for an image or a script,
 * which has no Origin. The page itself may be requested from anywhere, for example by a link in a mail: it is the same
 * for everybody, and contains no token.
 */
function fromAnotherSite({ method, url, headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const page = /^\/(index\.html)?(\?|$)/.test(url ?? '') && (method === 'GET' || method === 'HEAD');
  return !(page && mode === 'navigate' && dest === 'document');
}

/** The door's verdict about a socket that wants into a namespace, by the token or the link's code that it sent. */
export function admit(door: Door, socket: Socket): Verdict {
  // `auth` is what a client sent: anything, null included.
  const { token, code, page } = (socket.handshake.auth ?? {}) as { readonly [name: string]: unknown };
  const link = typeof code === 'string' && typeof page === 'string' ? { code, page } : undefined;
  return check(door, socket.request, typeof token === 'string' ? token : undefined, link);
}

/** The door's verdict about a socket that has no token yet: only its host and its origin are checked. */
export const knock = (door: Door, socket: Socket): Verdict => check(door, socket.request, null);

/** An error that socket.io passes on whole: the client's connect_error has `message` and `data`. */
export function refusal(status: number, reason: string, link?: CodeProblem): Error {
  return Object.assign(new Error(reason), { data: { status, ...(link && { link }) } });
}

/**
 * socket.io, behind our own door: it sees an upgrade only after the door has passed it, no plain request at all, and
 * only the packets that the meter lets through. Recovery stays off: it would skip the token.
 */
function socketServer(http: HTTPServer, door: Door, meter: Meter, allowance: Allowance): SocketServer {
  const inner = createServer();
  const io = new SocketServer(inner, {
    path: socketPath,
    serveClient: false,
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: allowance.packetBytes,
    // The meter is sooner.
    connectTimeout: 2 * allowance.strangerMillis,
  });
  // engine.io passes only some options on to its WebSockets.
  Object.assign((io.engine as unknown as { ws: { options: object } }).ws.options, {
    maxFragments: allowance.packetFragments,
    maxBufferedChunks: allowance.packetChunks,
    closeTimeout: farewellMillis,
    // Browsers send no pings of WebSocket's own kind, and an answer to each would have to wait for a client that does
    // not read.
    autoPong: false,
  });
  io.engine.on('connection', (conn: unknown) => meter.attach(conn as EngineConnection));
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const over = meter.requested(socket);
    if (over) return refuseUpgrade(socket, 429, 'too many requests from your address: wait ten seconds');
    const verdict = check(door, request, null);
    if (!verdict.ok) return refuseUpgrade(socket, verdict.status, verdict.reason);
    // It is not parsed as a URL: a client's request need not be one (`//`), and an error here would end the process.
    const [path, query = ''] = (request.url ?? '/').split('?', 2);
    if (path !== socketPath) return refuseUpgrade(socket, 404, 'there is no socket here');
    const asked = new URLSearchParams(query);
    // A session id would replace a socket that is counted already by another.
    if (asked.get('transport') !== 'websocket' || asked.getAll('EIO').join() !== '4' || asked.has('sid'))
      return refuseUpgrade(socket, 400, 'only websocket is served, by version 4 of engine.io');
    if (!meter.upgrading(socket)) return void socket.destroy();
    inner.emit('upgrade', request, socket, head);
    meter.watch(socket);
  });
  return io;
}

function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  socket.on('error', () => {});
  const body = `${reason}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), farewellMillis);
  socket.once('close', () => clearTimeout(timer));
}
