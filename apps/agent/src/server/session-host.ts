/** A debug session and the web app on one port: HTTP for the files, socket.io for the session. */
import { createServer, type Server as HTTPServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type SessionBackend, SessionServer } from '@syncloop/core/debug';
import { Server as SocketServer } from 'socket.io';
import { Gate, newToken, type Verdict } from './auth.js';
import { hostPort, listen } from './listen.js';
import { loadStaticFiles, securityHeaders, serveStatic } from './static-files.js';

/** Options of {@link serveSession}. */
export interface SessionHostOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Folder of the built web app. */
  readonly webRoot: string;
  /** False: clients may look only. */
  readonly control: boolean;
  /** What to do about a taken port, for the message: `choose another with --port`. */
  readonly remedy: string;
  /** Told when the number of connected clients changes. */
  readonly onClients?: (count: number) => void;
  /** For tests: the token instead of a random one. */
  readonly token?: string;
}

/** A session that is being served. */
export interface SessionHost {
  /** With the token in the fragment, which no server log and no Referer ever sees. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly server: SessionServer;
  close(): Promise<void>;
}

/** The one event that carries the session protocol, both ways. */
export const messageEvent = 'm';
/** Largest message from a client, in bytes. Clients send commands only. */
export const maxInbound = 64 * 1024;
const maxClients = 16;
const maxCommandsPerSecond = 50;
const socketPath = '/socket.io/';

/** Serves `backend` on loopback. Rejects with a SetupError when it cannot listen. */
export async function serveSession(backend: SessionBackend, options: SessionHostOptions): Promise<SessionHost> {
  const token = options.token ?? newToken();
  const gate = new Gate(token, options.port);
  const files = await loadStaticFiles(options.webRoot);
  const server = new SessionServer(backend);
  const http = createServer((request, response) => {
    const verdict = check(gate, request, null);
    if (verdict.ok) return serveStatic(files, request, response);
    response.writeHead(verdict.status, {
      ...securityHeaders('127.0.0.1'),
      'Content-Type': 'text/plain; charset=utf-8',
    });
    response.end(`${verdict.reason}\n`);
  });
  http.headersTimeout = 10_000;
  http.maxConnections = 128;
  const upgraded = new Set<Duplex>();
  const io = socketServer(http, gate, upgraded);
  serveClients(io, gate, server, options);
  const port = await listen(http, options.host, options.port, options.remedy);
  gate.port = port;
  return {
    url: `http://${hostPort(options.host, port)}/#token=${token}`,
    port,
    token,
    server,
    async close() {
      server.close();
      io.disconnectSockets(true);
      for (const socket of upgraded) socket.destroy();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}

function check(gate: Gate, request: IncomingMessage, token: string | undefined | null): Verdict {
  return gate.check({ host: request.headers.host, origin: request.headers.origin, token });
}

/**
 * socket.io, behind our own door: it sees an upgrade only after the gate has passed it, and no plain request at all.
 * Recovery stays off: the session has its own, and socket.io's would skip the token.
 */
function socketServer(http: HTTPServer, gate: Gate, upgraded: Set<Duplex>): SocketServer {
  const inner = createServer();
  const io = new SocketServer(inner, {
    path: socketPath,
    serveClient: false,
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: maxInbound,
    connectTimeout: 10_000,
  });
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const verdict = check(gate, request, null);
    if (!verdict.ok) return refuseUpgrade(socket, verdict.status, verdict.reason);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== socketPath) return refuseUpgrade(socket, 404, 'there is no socket here');
    if (searchParams.get('transport') !== 'websocket') return refuseUpgrade(socket, 400, 'only websocket is served');
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

function serveClients(io: SocketServer, gate: Gate, server: SessionServer, options: SessionHostOptions): void {
  io.use((socket, next) => {
    // What a client sent as `auth` may be anything, null included.
    const given = (socket.handshake.auth as { token?: unknown } | null)?.token;
    const verdict = check(gate, socket.request, typeof given === 'string' ? given : undefined);
    if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
    if (server.clientCount >= maxClients)
      return next(refusal(503, `${maxClients} clients are connected already: close one`));
    next();
  });
  io.on('connection', (socket) => {
    const client = server.connect((message) => socket.emit(messageEvent, message), { control: options.control });
    const commands = new CommandRate();
    options.onClients?.(server.clientCount);
    socket.onAny((event: string, message: unknown) => {
      if (event !== messageEvent) {
        const error = `event ${JSON.stringify(event.slice(0, 40))} is unknown: messages travel as event "${messageEvent}"`;
        socket.emit(messageEvent, { type: 'refused', error });
      } else if (commands.exceeded(message)) {
        const error = `more than ${maxCommandsPerSecond} commands in a second: slow down`;
        socket.emit(messageEvent, { type: 'refused', error });
      } else {
        client.receive(message);
      }
    });
    socket.on('disconnect', () => {
      client.close();
      options.onClients?.(server.clientCount);
    });
  });
}

/** An error that socket.io passes on whole: the client's connect_error has `message` and `data.status`. */
function refusal(status: number, reason: string): Error {
  return Object.assign(new Error(reason), { data: { status } });
}

/** Counts the commands of one client by the second; acknowledgements are free. */
class CommandRate {
  private second = 0;
  private count = 0;
  exceeded(message: unknown): boolean {
    if ((message as { type?: unknown } | null)?.type !== 'command') return false;
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.second) this.count = 0;
    this.second = second;
    return ++this.count > maxCommandsPerSecond;
  }
}
