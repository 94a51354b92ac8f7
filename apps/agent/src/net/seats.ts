/**
 * Limits of a server on what is in use at the same time: counted seats, connections, handshakes, and answers that wait
 * for their readers.
 */
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Counts what is in use at one time, in all and by each user. */
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

  /** The function that gives the seat back, once; null if there is none for this user. */
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

/** The name that two sockets of one connection, the plain one and the one of TLS, have in common. */
const nameOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

export interface ConnectionLimits {
  /** The most in all. */
  readonly most: number;
  /** The most from one address. Default: as many as in all. */
  readonly perAddress?: number;
  /** New connections from one address in a second: each costs a TLS handshake. Default: no limit. */
  readonly perSecond?: number;
}

/** The rate at which new connections come through a {@link HandshakePacer}. */
export interface Pace {
  /** The most at once. */
  readonly atOnce: number;
  /** The next ones this many milliseconds later. */
  readonly millis: number;
  /** The most that wait for that; more are refused. */
  readonly waiting: number;
}

/** Milliseconds that a connection may be silent before its first bytes, as for a handshake. */
const silentMillis = 10_000;

/**
 * Accepts new connections one after another, each when its first bytes have come. A handshake of TLS takes the better
 * part of a millisecond, and hundreds that begin together would all be made in one turn of the loop. Create it before
 * anything else listens for the server's connections: later listeners are called for each connection when it comes,
 * including those that wait.
 */
export class HandshakePacer {
  private readonly waiting: Socket[] = [];
  /** The number of connections that may still come in before the next turn. */
  private left: number;
  private planned = false;

  constructor(
    private readonly server: Server,
    private readonly pace: Pace,
    private readonly plan: (then: () => void, millis: number) => void = (then, millis) =>
      void setTimeout(then, millis).unref(),
  ) {
    this.left = pace.atOnce;
    // The server's own, which begins the handshake.
    const inside = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const silent = () => void socket.destroy();
      socket.setTimeout(silentMillis, silent);
      socket.once('readable', () => {
        socket.setTimeout(0).off('timeout', silent);
        if (this.waiting.length >= pace.waiting) return void socket.destroy();
        this.waiting.push(socket);
        this.letIn(inside);
      });
    });
  }

  private letIn(inside: readonly unknown[]): void {
    while (this.left > 0) {
      const socket = this.waiting.shift();
      if (!socket) break;
      if (socket.destroyed) continue;
      this.left--;
      for (const listener of inside) (listener as (this: Server, socket: Socket) => void).call(this.server, socket);
    }
    if (this.planned || this.left === this.pace.atOnce) return;
    this.planned = true;
    this.plan(() => {
      this.planned = false;
      this.left = this.pace.atOnce;
      this.letIn(inside);
    }, this.pace.millis);
  }
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
}

/** Closes the oldest connections without a request if there are too many. */
export class Connections {
  /** Oldest first, by when they were made or had their last request. */
  private readonly idle = new Map<string, Connection>();
  private readonly busy = new Map<string, Connection>();
  private readonly byAddress = new Map<string, number>();
  /** New ones of each address in the second that began at `second`. */
  private readonly fresh = new Map<string, number>();
  private second = 0;

  constructor(
    server: Server,
    private readonly limits: ConnectionLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    server.on('connection', (socket: Socket) => this.add(socket));
  }

  private add(socket: Socket): void {
    // Refused before: it must not cost another its place.
    if (socket.destroyed) return;
    const { most, perAddress = most, perSecond = Number.POSITIVE_INFINITY } = this.limits;
    const name = nameOf(socket);
    const address = socket.remoteAddress ?? '';
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) this.fresh.clear();
    this.second = second;
    const fresh = (this.fresh.get(address) ?? 0) + 1;
    this.fresh.set(address, fresh);
    if (fresh > perSecond) {
      socket.destroy();
      return;
    }
    const own: Connection = { socket, address };
    this.idle.set(name, own);
    this.byAddress.set(address, (this.byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.forget(name, own));
    // The newest one is closed itself if all others are at work.
    if ((this.byAddress.get(address) ?? 0) > perAddress) this.drop((c) => c.address === address);
    if (this.idle.size + this.busy.size > most) this.drop(() => true);
  }
  private drop(wanted: (c: Connection) => boolean): void {
    for (const [name, c] of this.idle) {
      if (!wanted(c)) continue;
      this.forget(name, c);
      c.socket.destroy();
      return;
    }
  }
  private forget(name: string, c: Connection): void {
    const there = [this.idle, this.busy].find((all) => all.get(name) === c);
    if (!there?.delete(name)) return;
    const left = (this.byAddress.get(c.address) ?? 1) - 1;
    if (left > 0) this.byAddress.set(c.address, left);
    else this.byAddress.delete(c.address);
  }

  /** Notes the begin of a request on a connection; call the returned function at its end. */
  begin(socket: Socket): () => void {
    const name = nameOf(socket);
    const own = this.idle.get(name);
    if (!own) return () => {};
    this.idle.delete(name);
    this.busy.set(name, own);
    return () => {
      if (this.busy.get(name) !== own) return;
      this.busy.delete(name);
      this.idle.set(name, own);
    };
  }
}

/**
 * Whole answers that wait for their readers. Where they are too many bytes, the reader that is slow for longest goes.
 */
export class Answers {
  private readonly waiting = new Map<ServerResponse, number>();
  private size = 0;

  constructor(private readonly most: number) {}

  /** Called when an answer of this many bytes has been written. */
  add(response: ServerResponse, bytes: number): void {
    if (response.writableFinished || response.destroyed) return;
    this.waiting.set(response, bytes);
    this.size += bytes;
    const done = () => {
      if (this.waiting.delete(response)) this.size -= bytes;
    };
    response.once('finish', done);
    response.once('close', done);
    for (const [slowest, held] of this.waiting) {
      if (this.size <= this.most || slowest === response) break;
      // Counted down at once, not when the socket has closed.
      this.size -= held;
      this.waiting.delete(slowest);
      slowest.destroy();
    }
  }
}
