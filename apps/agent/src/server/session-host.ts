/** A debug session and the web app on one port: HTTP for the files, socket.io for the session. */
import { type SessionBackend, SessionServer } from '@syncloop/core/debug';
import type { Socket, Server as SocketServer } from 'socket.io';
import { Gate, newToken } from './auth.js';
import { hostPort } from './listen.js';
import { Rate } from './rate.js';
import { admit, refusal, WebServer } from './web-server.js';

/** Options of {@link serveSession}. */
export interface SessionHostOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Folder of the built web app. */
  readonly webRoot: string;
  /** False: clients may look only. True: who has `token` may do what the session can, who has `observer` may look. */
  readonly control: boolean;
  /** What to do about a taken port, for the message: `choose another with --port`. */
  readonly remedy: string;
  /** Told when the number of connected clients changes. */
  readonly onClients?: (count: number) => void;
  /** The same of those that may do more than look. */
  readonly onControllers?: (count: number) => void;
  /** The tokens, where pages that are open already have them; otherwise random ones. */
  readonly token?: string;
  readonly observer?: string;
  /** For tests: see WebServerOptions. */
  readonly patienceMillis?: number;
  /** Adds namespaces of its own to the sockets; each has to ask `admit` itself. */
  readonly extend?: (io: SocketServer, gate: Gate) => void;
}

/** A session that is being served. */
export interface SessionHost {
  /** With the token in the fragment, which no server log and no Referer ever sees. */
  readonly url: string;
  /** The same for who may look only; as `url` where nobody may do more. */
  readonly observerUrl: string;
  readonly port: number;
  readonly token: string;
  readonly observer: string;
  readonly server: SessionServer;
  close(): Promise<void>;
}

/** The one event that carries the session protocol, both ways. */
export const messageEvent = 'm';
const maxClients = 16;
const maxCommandsPerSecond = 50;
/** Of any kind: acknowledgements, too. */
const maxMessagesPerSecond = 2000;

/** Serves `backend` on loopback. Rejects with a SetupError when it cannot listen. */
export async function serveSession(backend: SessionBackend, options: SessionHostOptions): Promise<SessionHost> {
  const token = options.token ?? newToken();
  const observer = options.control ? (options.observer ?? newToken()) : token;
  const gate = new Gate(token, options.port, undefined, observer);
  const server = new SessionServer(backend);
  const web = await WebServer.make(gate, {
    webRoot: options.webRoot,
    maxConnections: 128,
    ...(options.patienceMillis !== undefined && { patienceMillis: options.patienceMillis }),
  });
  serveClients(web.io, gate, server, options);
  options.extend?.(web.io, gate);
  const port = await web.listen(options.host, options.port, options.remedy);
  gate.port = port;
  const urlOf = (given: string) => `http://${hostPort(options.host, port)}/#token=${given}`;
  return {
    url: urlOf(token),
    observerUrl: urlOf(observer),
    port,
    token,
    observer,
    server,
    async close() {
      server.close();
      await web.close();
    },
  };
}

function serveClients(io: SocketServer, gate: Gate, server: SessionServer, options: SessionHostOptions): void {
  // Kept here: nothing that a client sends reaches it.
  const roles = new WeakMap<Socket, boolean>();
  let controllers = 0;
  io.use((socket, next) => {
    const verdict = admit(gate, socket);
    if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
    if (server.clientCount >= maxClients)
      return next(refusal(503, `${maxClients} clients are connected already: close one`));
    roles.set(socket, verdict.control ?? false);
    next();
  });
  io.on('connection', (socket) => {
    const control = options.control && roles.get(socket) === true;
    const client = server.connect((message) => socket.emit(messageEvent, message), { control });
    if (control) options.onControllers?.(++controllers);
    const commands = new Rate(maxCommandsPerSecond, 1000, () => performance.now());
    const messages = new Rate(maxMessagesPerSecond, 1000, () => performance.now());
    options.onClients?.(server.clientCount);
    socket.onAny((event: string, message: unknown) => {
      // Not in peace: it would have half a minute for that.
      if (messages.exceeded()) socket.request.socket.destroy();
      else if (event !== messageEvent) {
        const error = `event ${JSON.stringify(event.slice(0, 40))} is unknown: messages travel as event "${messageEvent}"`;
        socket.emit(messageEvent, { type: 'refused', error });
      } else if (isCommand(message) && commands.exceeded()) {
        const error = `more than ${maxCommandsPerSecond} commands in a second: slow down`;
        socket.emit(messageEvent, { type: 'refused', error });
      } else {
        client.receive(message);
      }
    });
    socket.on('disconnect', () => {
      client.close();
      if (control) options.onControllers?.(--controllers);
      options.onClients?.(server.clientCount);
    });
  });
}

/** Acknowledgements are free. */
const isCommand = (message: unknown): boolean => (message as { type?: unknown } | null)?.type === 'command';
