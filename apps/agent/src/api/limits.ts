/** How much the API server's door lets in at once. All of its limits are here. */
import type { Server, Socket } from 'node:net';

const MiB = 1024 * 1024;

/** Of one server; counts are at one time. */
export interface ServeLimits {
  /** Connections, whatever they do. Where there are more, one that has no request goes, the oldest first. */
  readonly connections: number;
  /** Requests that are answered at once, and of these such that change something. upstream: --max-requests-inflight */
  readonly requests: number;
  readonly mutating: number;
  /** Watches, which take no part in `requests`. */
  readonly watches: number;
  /** Logs, exec, attach, port-forward and proxied requests. */
  readonly streams: number;
  /** The part of each of these that one user may have, so that some is left for all others. */
  readonly share: number;
  /** Bytes of one body. upstream: MaxRequestBodyBytes */
  readonly body: number;
  /** Bytes of all bodies that are on their way in. */
  readonly bodies: number;
  /** Bytes of all whole answers that wait for their readers. Where there are more, the reader that is slow for longest goes. */
  readonly answers: number;
  /** Bytes of objects that one watch may be behind. */
  readonly behind: number;
  /** Bytes of a request's line and headers. */
  readonly headers: number;
  /** Milliseconds that a reader may take nothing of an answer that waits for it. */
  readonly stalled: number;
}

export const serveLimits: ServeLimits = {
  connections: 1024,
  requests: 400,
  mutating: 200,
  watches: 512,
  streams: 128,
  share: 0.75,
  body: 3 * MiB,
  bodies: 48 * MiB,
  answers: 48 * MiB,
  behind: 4 * MiB,
  headers: 16 * 1024,
  stalled: 30_000,
};

/** Counts what is there at one time, in all and of each user. */
export class Seats {
  private taken = 0;
  private readonly byUser = new Map<string, number>();

  constructor(
    private readonly most: number,
    private readonly share = 1,
  ) {}

  get count(): number {
    return this.taken;
  }

  /** The function that gives the seat back, once; null where there is none for this user. */
  take(user: string): (() => void) | null {
    const own = this.byUser.get(user) ?? 0;
    if (this.taken >= this.most || own >= Math.ceil(this.most * this.share)) return null;
    this.taken++;
    this.byUser.set(user, own + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.taken--;
      const left = (this.byUser.get(user) ?? 1) - 1;
      if (left > 0) this.byUser.set(user, left);
      else this.byUser.delete(user);
    };
  }
}

/** What two sockets of one connection, the plain one and the one of TLS, have in common. */
const nameOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

/** Closes the oldest connections without a request where there are too many. */
export class Connections {
  /** Oldest first, by when they were made or had their last request. */
  private readonly idle = new Map<string, Socket>();
  private readonly busy = new Map<string, Socket>();

  /** `most`: of both kinds together. A new one finds no room where all are busy. */
  constructor(server: Server, most: number) {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.idle.set(name, socket);
      socket.once('close', () => {
        if (this.idle.get(name) === socket) this.idle.delete(name);
        if (this.busy.get(name) === socket) this.busy.delete(name);
      });
      for (const [oldest, one] of this.idle) {
        if (this.idle.size + this.busy.size <= most) break;
        this.idle.delete(oldest);
        one.destroy();
      }
    });
  }

  /** A request has begun on it; call what comes back at its end. */
  begin(socket: Socket): () => void {
    const name = nameOf(socket);
    const own = this.idle.get(name);
    if (!own) return () => {};
    this.idle.delete(name);
    this.busy.set(name, own);
    return () => {
      if (this.busy.get(name) !== own) return;
      this.busy.delete(name);
      if (!own.destroyed) this.idle.set(name, own);
    };
  }
}
