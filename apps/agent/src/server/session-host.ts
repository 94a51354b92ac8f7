/** A debug session and the web app on one port: HTTP for the files, socket.io for the session. */
import { type ServerMessage, type SessionBackend, SessionServer } from '@syncloop/core/debug/live';
import type { Socket, Server as SocketServer } from 'socket.io';
import { type CodeMemory, linkTo } from '../links/link-code.js';
import { Rate } from '../net/rate.js';
import { newToken } from '../net/token.js';
import { Gate } from './auth.js';
import { type Allowance, type LimitName, sessionAllowance } from './limits.js';
import { admit, refusal, WebServer } from './web-server.js';

/** Options of {@link serveSession}. */
export interface SessionHostOptions {
  readonly host: string;
  /** Another address of loopback to listen at, at the same port: links name it. See {@link ownAddress}. */
  readonly address?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Folder of the built web app. */
  readonly webRoot: string;
  /**
   * False: all clients are read-only. True: `token` allows everything that the session can do, `observer` is read-only.
   */
  readonly control: boolean;
  /** The advice about a taken port, for the message: `choose another with --port`. */
  readonly remedy: string;
  /** Called when the number of connected clients changes. */
  readonly onClients?: (count: number) => void;
  /** The same of those that may do more than look. */
  readonly onControllers?: (count: number) => void;
  /** The tokens, if open pages already have them; otherwise random ones. */
  readonly token?: string;
  readonly observer?: string;
  /** It is reached through other ports of loopback, too, as with kubectl port-forward. */
  readonly forwarded?: boolean;
  /** Codes of links that were used before with the same tokens. */
  readonly codes?: CodeMemory;
  /** For tests: see WebServerOptions. */
  readonly patienceMillis?: number;
  readonly now?: () => number;
  /** For tests: instead of what the table of limits says. */
  readonly allowance?: Partial<Allowance>;
  /** Called for each connection that was closed because it exceeded a limit; null if it broke the protocol. */
  readonly onEnded?: (limit: LimitName | null) => void;
  /** Adds namespaces of its own to the sockets; each has to ask `admit` itself. */
  readonly extend?: (io: SocketServer, gate: Gate) => void;
}

/** A session that is being served. */
export interface SessionHost {
  /** Makes a link that is usable once and for a short time. */
  link(): string;
  /** Makes a link that is read-only. */
  observerLink(): string;
  readonly port: number;
  readonly token: string;
  readonly observer: string;
  readonly server: SessionServer;
  close(): Promise<void>;
}

/** The one event that carries the session protocol, both ways. */
export const messageEvent = 'm';
/** The event with the token that the code of a link was exchanged for, once, before anything else. */
export const tokenEvent = 'token';
/** The time after which records go on to whoever could not take them, ms. */
const againMillis = 50;

/** Serves `backend` on loopback. Rejects with a SetupError when it cannot listen. */
export async function serveSession(backend: SessionBackend, options: SessionHostOptions): Promise<SessionHost> {
  const token = options.token ?? newToken();
  const observer = options.control ? (options.observer ?? newToken()) : token;
  const { now = () => performance.now() } = options;
  const { host, address = host } = options;
  const gate = new Gate(token, options.port, now, observer, options.forwarded, Date.now, options.codes, [
    host,
    address,
  ]);
  const allowance = { ...sessionAllowance, ...options.allowance };
  const server = new SessionServer(backend, { hellos: allowance.hellosUnacknowledged });
  const web = await WebServer.make(gate, {
    webRoot: options.webRoot,
    allowance,
    now,
    // Whatever reaches loopback is this machine, and it has millions of addresses there.
    addressOf: () => 'this machine',
    ...(options.onEnded && { onEnded: options.onEnded }),
    ...(options.patienceMillis !== undefined && { patienceMillis: options.patienceMillis }),
  });
  const stop = serveClients(web, gate, server, { ...options, allowance, now });
  options.extend?.(web.io, gate);
  const port = await web.listen(host, options.port, options.remedy);
  if (address !== host) await web.listenAlso(address, port, options.remedy);
  gate.port = port;
  return {
    link: () => linkTo(address, port, token),
    observerLink: () => linkTo(address, port, observer),
    port,
    token,
    observer,
    server,
    async close() {
      stop();
      server.close();
      await web.close();
    },
  };
}

/** Serves the clients. Returns a function that ends its timer. */
function serveClients(
  web: WebServer,
  gate: Gate,
  server: SessionServer,
  options: SessionHostOptions & { readonly allowance: Allowance; readonly now: () => number },
): () => void {
  const { io } = web;
  const most = options.allowance;
  const encode = encoder();
  // Kept here: nothing that a client sends reaches it.
  const admitted = new WeakMap<Socket, { readonly control: boolean; readonly token?: string | undefined }>();
  /** Connections that were let in and are not gone; some are not clients yet. */
  const places = new Set<Socket['conn']>();
  const allHellos = new Rate(most.hellosAll, 10_000, options.now);
  let controllers = 0;
  let again: NodeJS.Timeout | null = null;
  io.use((socket, next) => {
    const verdict = admit(gate, socket);
    if (!verdict.ok) return next(refusal(verdict.status, verdict.reason, verdict.link));
    if (places.size >= most.clients)
      return next(refusal(503, `${most.clients} clients are connected already: close one`));
    const { conn } = socket;
    places.add(conn);
    conn.once('close', () => places.delete(conn));
    admitted.set(socket, { control: verdict.control ?? false, token: verdict.token });
    next();
  });
  io.on('connection', (socket) => {
    const { conn } = socket;
    const { control: mayControl = false, token } = admitted.get(socket) ?? {};
    const control = options.control && mayControl;
    if (token !== undefined) conn.write(`2${JSON.stringify([tokenEvent, token])}`);
    const ready = () => {
      if (web.mayTake(socket)) return true;
      again ??= setTimeout(() => {
        again = null;
        server.flush();
      }, againMillis);
      return false;
    };
    const refusals = new Rate(most.refusalsPerMinute, 60_000, options.now);
    const send = (message: ServerMessage) => {
      if (message.type === 'refused' && refusals.exceeded()) web.end(socket, 'refusalsPerMinute');
      else if (conn.readyState === 'open') conn.write(encode(message));
    };
    const client = server.connect(send, { control, ready });
    if (control) options.onControllers?.(++controllers);
    const commands = new Rate(most.commandsPerSecond, 1000, options.now);
    const hellos = new Rate(most.hellosPerMinute, 60_000, options.now);
    options.onClients?.(server.clientCount);
    // An event may come without a name, with a number for one, and with anything else.
    socket.onAny((event: unknown, message: unknown) => {
      const refuse = (error: string) => send({ type: 'refused', error });
      if (event !== messageEvent) {
        const named =
          typeof event === 'string' ? `event ${JSON.stringify(event.slice(0, 40))}` : 'an event without a name';
        return refuse(`${named} is unknown: messages travel as event "${messageEvent}"`);
      }
      const type = (message as { type?: unknown } | null | undefined)?.type;
      // Acknowledgements are free.
      if ((type === 'command' || type === 'hello') && commands.exceeded())
        return refuse(`more than ${most.commandsPerSecond} commands in a second: slow down`);
      if (type === 'hello' && hellos.exceeded())
        return refuse(`more than ${most.hellosPerMinute} hellos in a minute: slow down, or connect anew`);
      if (type === 'hello' && allHellos.exceeded()) return web.end(socket, 'hellosAll');
      client.receive(message);
    });
    socket.on('disconnect', () => {
      client.close();
      if (control) options.onControllers?.(--controllers);
      options.onClients?.(server.clientCount);
    });
  });
  return () => {
    if (again) clearTimeout(again);
    again = null;
  };
}

/**
 * Messages as the packets of socket.io that carry them. A snapshot is the largest message and the same for all clients
 * that come at about the same time: it is encoded once.
 */
function encoder(): (message: ServerMessage) => string {
  let last: { readonly state: object; readonly text: string } | null = null;
  return (message) => {
    // 2: an event of the main namespace.
    if (message.type !== 'welcome' || !message.snapshot) return `2${JSON.stringify([messageEvent, message])}`;
    const { snapshot, ...rest } = message;
    // A checkpoint's state is never changed.
    if (last?.state !== snapshot.state) last = { state: snapshot.state, text: JSON.stringify(snapshot) };
    return `2[${JSON.stringify(messageEvent)},${JSON.stringify(rest).slice(0, -1)},"snapshot":${last.text}}]`;
  };
}
