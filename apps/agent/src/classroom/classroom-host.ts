/**
 * The sockets of a classroom. Its audience has a server of its own, which knows nothing of the session: messages there
 * can answer a poll, report where its page stands, and nothing else. The presenter uses the session's server, with the
 * session's token.
 */
import { messageOf } from '@syncloop/core/base';
import { CLASS_EVENT, CLASS_NAMESPACE, type ToFollower, type ToPresenter } from '@syncloop/core/classroom';
import type { Socket, Server as SocketServer } from 'socket.io';
import { newToken } from '../net/token.js';
import type { Door } from '../server/auth.js';
import {
  type Allowance,
  audienceAllowance,
  defaultSeatsPerAddress,
  type LimitName,
  sessionAllowance,
} from '../server/limits.js';
import { admit, knock, refusal, WebServer } from '../server/web-server.js';
import { addressesOf, LOOPBACK } from './addresses.js';
import { ClassroomGate, namesOf } from './gate.js';
import { type Peer, Room, type Seat } from './room.js';

export interface ClassroomOptions {
  readonly host: string;
  /** False: the presenter's page may move the class to another address of this machine. */
  readonly fixed?: boolean;
  /** 0 for any free one. */
  readonly port: number;
  /** Host names under which the audience may open the page, besides the addresses of `host`. */
  readonly names?: readonly string[];
  /**
   * Most connections of followers, in all and from one address. Default of the latter: {@link defaultSeatsPerAddress}.
   */
  readonly most: number;
  readonly perAddress?: number;
  readonly webRoot: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The audience's token; by default another one each time. */
  readonly token?: string;
  readonly remedy: string;
  /** For tests: see WebServerOptions. */
  readonly now?: () => number;
  /** For tests: replaces the table of limits. */
  readonly allowance?: Partial<Allowance>;
  /** Called when it is served at another address. */
  readonly onMoved?: (host: string) => void;
  /**
   * Called for each connection of the audience that was closed because it exceeded a limit; null if it broke the
   * protocol.
   */
  readonly onEnded?: (limit: LimitName | null) => void;
}

/** A class that is open. */
export interface ClassroomHost {
  /** Addresses for the audience, the best one first. */
  readonly links: readonly string[];
  readonly port: number;
  readonly token: string;
  /** Lets presenters in, on the session's own server. */
  present(io: SocketServer, door: Door): void;
  close(): Promise<void>;
}

/** The server that the audience reaches now. */
interface AudienceServer {
  readonly host: string;
  readonly port: number;
  readonly gate: ClassroomGate;
  readonly web: WebServer;
}

/** Opens a class. Rejects with a SetupError when it cannot listen. */
export async function openClassroom(options: ClassroomOptions): Promise<ClassroomHost> {
  const token = options.token ?? newToken();
  const links = () => server.gate.origins().map((origin) => `${origin}/#class=${token}`);
  const { most, perAddress = defaultSeatsPerAddress, now = () => performance.now() } = options;
  const size = { seats: most, seatsPerAddress: Math.min(most, perAddress) };
  const allowance = { ...audienceAllowance(size), ...options.allowance };
  const room = new Room({
    allowance,
    // The page accepts further names of this machine, too, but a presenter needs no more links than these.
    links: () => links().slice(0, 4),
    now,
    after: (millis, then) => {
      const timer = setTimeout(then, millis);
      return () => clearTimeout(timer);
    },
    ...(options.fixed === false && { addresses: addressesOf, listen: move }),
  });
  let server = await open(options.host, options.port).catch((error: unknown) => {
    // It was moved there before, and the machine has left that network.
    if (options.fixed !== false || options.host === LOOPBACK) throw error;
    return open(LOOPBACK, options.port);
  });
  let moving = false;

  async function open(host: string, at: number): Promise<AudienceServer> {
    const gate = new ClassroomGate(token, namesOf(host, options.names ?? []), options.tls ? 'https' : 'http');
    const web = await WebServer.make(gate, {
      webRoot: options.webRoot,
      audience: true,
      allowance,
      now,
      ...(options.onEnded && { onEnded: options.onEnded }),
      ...(options.tls && { tls: options.tls }),
    });
    const audience = web.io.of(CLASS_NAMESPACE);
    audience.use((socket, next) => {
      const code = codeOf(socket);
      const verdict = code === null ? admit(gate, socket) : knock(gate, socket);
      if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
      const address = web.addressOf(socket);
      const wrong = code === null ? null : room.refusesCode(code, address);
      if (wrong) return next(refusal(wrong.status, wrong.reason));
      const full = room.refuses(idOf(socket), address);
      if (full !== null) return next(refusal(503, full));
      next();
    });
    audience.on('connection', (socket) => {
      const peer = peerOf<ToFollower>(socket, () => web.mayTake(socket));
      if (codeOf(socket) !== null) {
        peer.send({ type: 'token', token });
        peer.end();
        return;
      }
      // Null if somebody else opened one in between, by asking at the same moment.
      serve(socket, room.join(peer, idOf(socket), web.addressOf(socket)));
    });
    // Nobody asks for this namespace: otherwise a client without a token might sit in it.
    web.io.use((_socket, next) => next(refusal(404, 'there is no session here')));
    const port = await web.listen(host, at, options.remedy);
    gate.port = port;
    return { host, port, gate, web };
  }

  /** Serves at another address of this machine, and no longer at the one before. Resolves with why it cannot. */
  async function move(address: string): Promise<string | null> {
    if (address === server.host) return null;
    if (moving) return 'the class is being moved to another address already: wait a moment';
    if (!addressesOf().some((one) => one.address === address)) return `this machine has no address ${address}`;
    moving = true;
    try {
      const next = await open(address, server.port);
      const { web } = server;
      server = next;
      options.onMoved?.(address);
      await web.close();
      return null;
    } catch (error) {
      return messageOf(error);
    } finally {
      moving = false;
    }
  }

  return {
    get links() {
      return links();
    },
    get port() {
      return server.port;
    },
    token,
    present(io, door) {
      const presenters = io.of(CLASS_NAMESPACE);
      /** Connections that were let in and are not gone yet. */
      const places = new Set<Socket['conn']>();
      presenters.use((socket, next) => {
        const verdict = admit(door, socket);
        if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
        const most = sessionAllowance.presenters;
        if (places.size >= most) return next(refusal(503, `${most} pages look at the class already: close one`));
        const { conn } = socket;
        places.add(conn);
        conn.once('close', () => places.delete(conn));
        next();
      });
      presenters.on('connection', (socket) => serve(socket, room.attend(peerOf<ToPresenter>(socket))));
    },
    async close() {
      room.close();
      await server.web.close();
    },
  };
}

/** Returns the code that a follower sent in place of the token; null if it sent none. */
function codeOf(socket: Socket): string | null {
  const { token, code } = (socket.handshake.auth ?? {}) as { readonly [name: string]: unknown };
  return token === undefined && typeof code === 'string' ? code : null;
}

/** Returns the id that a follower sent: it may be anything, and it may be absent. */
const idOf = (socket: Socket): unknown => (socket.handshake.auth as { id?: unknown } | null)?.id;

/** A socket as a room sees it. `takes`: whether anything may be sent to it that can also be left out. */
export function peerOf<M>(socket: Socket, takes: () => boolean = () => true): Peer<M> {
  const { conn } = socket;
  return {
    send: (message) => {
      if (conn.readyState === 'open') conn.write(packetOf(message));
    },
    // False from a message until the system has taken all of it: a slow reader's stays false.
    get writable() {
      return conn.transport.writable && takes();
    },
    end: () => void socket.disconnect(true),
  };
}

/** The same message goes to all followers: it is encoded once. */
let last: { readonly message: unknown; readonly packet: string } = { message: null, packet: '' };
function packetOf(message: unknown): string {
  // 2: an event.
  if (last.message !== message)
    last = { message, packet: `2${CLASS_NAMESPACE},${JSON.stringify([CLASS_EVENT, message])}` };
  return last.packet;
}

function serve(socket: Socket, seat: Seat | null): void {
  if (!seat) {
    socket.disconnect(true);
    return;
  }
  socket.onAny((event: unknown, message: unknown) => {
    // An unknown event, or one without a name, is a message that cannot be read.
    seat.receive(event === CLASS_EVENT ? message : null);
  });
  socket.on('disconnect', () => seat.close());
}
