/**
 * The sockets of a class. Its audience has a server of its own, which knows nothing of the session: what comes in there can
 * answer a poll, and nothing else. The presenter comes by the session's server, with the session's token.
 */
import { CLASS_EVENT, CLASS_NAMESPACE, type ToFollower, type ToPresenter } from '@syncloop/core/class';
import type { Socket, Server as SocketServer } from 'socket.io';
import { type Door, newToken } from '../server/auth.js';
import { admit, refusal, WebServer } from '../server/web-server.js';
import { ClassGate, namesOf } from './gate.js';
import { type Peer, Room, type Seat } from './room.js';

export interface ClassOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Names that the audience may ask for, beside the addresses of `host`. */
  readonly names?: readonly string[];
  /** Most connections of followers. */
  readonly most: number;
  readonly webRoot: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The audience's token; another one each time where none is given. */
  readonly token?: string;
  readonly remedy: string;
}

/** A class that is open. */
export interface ClassHost {
  /** Addresses for the audience, the best one first. */
  readonly links: readonly string[];
  readonly port: number;
  readonly token: string;
  /** Lets presenters in, on the session's own server. */
  present(io: SocketServer, door: Door): void;
  close(): Promise<void>;
}

const MOST_PRESENTERS = 8;

/** Opens a class. Rejects with a SetupError when it cannot listen. */
export async function openClass(options: ClassOptions): Promise<ClassHost> {
  const token = options.token ?? newToken();
  const names = namesOf(options.host, options.names ?? []);
  const gate = new ClassGate(token, names, options.tls ? 'https' : 'http');
  const links = () => gate.origins().map((origin) => `${origin}/#class=${token}`);
  const room = new Room({
    most: options.most,
    // Further names of this machine are asked for here, too, but nobody need be told of them all.
    links: () => links().slice(0, 4),
    now: () => performance.now(),
    after: (millis, then) => {
      const timer = setTimeout(then, millis);
      return () => clearTimeout(timer);
    },
  });
  const web = await WebServer.make(gate, {
    webRoot: options.webRoot,
    // A browser takes six for the files.
    maxConnections: options.most * 8,
    ...(options.tls && { tls: options.tls }),
  });
  const audience = web.io.of(CLASS_NAMESPACE);
  audience.use((socket, next) => {
    const verdict = admit(gate, socket);
    if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
    if (room.full) return next(refusal(503, `${options.most} follow already: there is no place left`));
    next();
  });
  audience.on('connection', (socket) => {
    const { id } = socket.handshake.auth as { id?: unknown };
    serve(socket, room.join(peerOf<ToFollower>(socket), id));
  });
  // A namespace that nobody asks for: without this, whoever knows no token might sit in it.
  web.io.use((_socket, next) => next(refusal(404, 'there is no session here')));
  const port = await web.listen(options.host, options.port, options.remedy);
  gate.port = port;
  return {
    get links() {
      return links();
    },
    port,
    token,
    present(io, door) {
      const presenters = io.of(CLASS_NAMESPACE);
      presenters.use((socket, next) => {
        const verdict = admit(door, socket);
        if (!verdict.ok) return next(refusal(verdict.status, verdict.reason));
        if (presenters.sockets.size >= MOST_PRESENTERS)
          return next(refusal(503, `${MOST_PRESENTERS} pages look at the class already: close one`));
        next();
      });
      presenters.on('connection', (socket) => serve(socket, room.attend(peerOf<ToPresenter>(socket))));
    },
    async close() {
      room.close();
      await web.close();
    },
  };
}

/** A socket as a room sees it. */
export function peerOf<M>(socket: Socket): Peer<M> {
  return {
    send: (message) => void socket.emit(CLASS_EVENT, message),
    // False from a message until the system has taken all of it: a slow reader's stays so.
    get writable() {
      return socket.conn.transport.writable;
    },
    end: () => void socket.disconnect(true),
  };
}

function serve(socket: Socket, seat: Seat | null): void {
  if (!seat) {
    socket.disconnect(true);
    return;
  }
  socket.onAny((event: string, message: unknown) => {
    // An event that nobody knows is a message that cannot be read.
    seat.receive(event === CLASS_EVENT ? message : null);
  });
  socket.on('disconnect', () => seat.close());
}
