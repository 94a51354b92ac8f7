/**
 * Counts what each connection of a server costs, from its first byte on, and ends it if it costs too much. Nothing here
 * waits for a peer: a connection that is ended is destroyed, what was queued for it is dropped, and what it sent is not
 * looked at.
 */
import type { EventEmitter } from 'node:events';
import type { Socket as TCPSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Rate } from '../net/rate.js';
import type { Allowance, LimitName } from './limits.js';

const SECOND = 1_000;
const TEN_SECONDS = 10_000;
/** The number of addresses that are remembered before those without any count are forgotten. */
const FEW_ADDRESSES = 1_024;

export interface MeterOptions {
  readonly allowance: Allowance;
  /**
   * Namespaces that a socket may ask for. Any other name ends it: socket.io would send the name back, however long it
   * is.
   */
  readonly namespaces: ReadonlySet<string>;
  /**
   * Returns the address of a connection that its limits count for. Default: its remote address, of IPv6 the network.
   */
  readonly addressOf?: (remote: string) => string;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Called for each connection that is closed, with the limit that it exceeded; null if it broke the protocol. */
  readonly onEnded?: (limit: LimitName | null) => void;
}

/** The part of the WebSocket under an engine.io connection that is used here. */
interface WebSocketLike extends EventEmitter {
  readonly bufferedAmount: number;
  terminate(): void;
}

/** The part of an engine.io connection that is used here. */
export interface EngineConnection extends EventEmitter {
  readonly readyState: string;
  readonly request: { readonly socket: Duplex };
  readonly transport: EventEmitter & { readonly socket: WebSocketLike };
  close(discard?: boolean): unknown;
}

/** One connection, from its first byte to its end. */
interface Guest {
  readonly key: string;
  readonly raw: TCPSocket;
  readonly address: Address;
  readonly packets: Rate;
  readonly bytesIn: Rate;
  readonly bytesOut: Rate;
  readonly asked: Set<string>;
  /** It showed a token, and is in a namespace. */
  admitted: boolean;
  ended: boolean;
  early: { packets: number; bytes: number };
  conn: EngineConnection | null;
  timer: NodeJS.Timeout | null;
  /** Bytes that engine.io has queued, and all that waited at the last look. */
  queued: number;
  waiting: number;
  /** The number of bytes of a plain HTTP connection that were counted. */
  read: number;
  written: number;
}

/** All connections of one address. */
interface Address {
  readonly name: string;
  readonly guests: Set<Guest>;
  readonly strangers: Set<Guest>;
  readonly connects: Rate;
  readonly requests: Rate;
  readonly bytesIn: Rate;
  readonly bytesOut: Rate;
}

export class Meter {
  /** Connections in the order in which they came. */
  private readonly guests = new Map<string, Guest>();
  private readonly byConnection = new WeakMap<object, Guest>();
  private readonly strangers = new Set<Guest>();
  private readonly addresses = new Map<string, Address>();
  private readonly bytesIn: Rate;
  private readonly bytesOut: Rate;
  private sweepAt = FEW_ADDRESSES;
  private waitingAll = 0;

  constructor(private readonly options: MeterOptions) {
    const { allowance, now } = options;
    this.bytesIn = new Rate(allowance.bytesInAll, TEN_SECONDS, now);
    this.bytesOut = new Rate(allowance.bytesOutAll, TEN_SECONDS, now);
  }

  // --- connections ---------------------------------------------------------------------------------------------------

  /** A connection was made: it is counted, and perhaps ended at once. */
  connected(raw: TCPSocket): void {
    // Whatever goes wrong with it is its end, which is seen below.
    raw.on('error', () => {});
    const { remoteAddress, remotePort } = raw;
    if (remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    const { allowance, now } = this.options;
    const address = this.address(remoteAddress);
    const guest: Guest = {
      key: keyOf(remoteAddress, remotePort),
      raw,
      address,
      packets: new Rate(allowance.packetsPerSecond, SECOND, now),
      bytesIn: new Rate(allowance.bytesIn, TEN_SECONDS, now),
      bytesOut: new Rate(allowance.bytesOut, TEN_SECONDS, now),
      asked: new Set(),
      admitted: false,
      ended: false,
      early: { packets: 0, bytes: 0 },
      conn: null,
      timer: null,
      queued: 0,
      waiting: 0,
      read: 0,
      written: 0,
    };
    if (address.connects.exceeded()) {
      this.end(guest, 'connects');
      return;
    }
    this.guests.set(guest.key, guest);
    address.guests.add(guest);
    raw.once('close', () => this.forget(guest));
    if (address.guests.size > allowance.connectionsPerAddress)
      this.end(oldest(address.guests) ?? guest, 'connectionsPerAddress');
    if (this.guests.size > allowance.connections) this.end(oldest(this.guests.values()) ?? guest, 'connections');
  }

  /**
   * Counts a request; returns the limit that it exceeds, or null. The caller then refuses it and closes the connection.
   */
  requested(socket: Duplex): LimitName | null {
    const guest = this.guestOf(socket);
    if (!guest) return null;
    this.countPlain(guest);
    if (guest.ended) return null;
    const over = guest.address.requests.exceeded()
      ? 'requests'
      : guest.address.bytesOut.spent
        ? 'bytesOutPerAddress'
        : this.bytesOut.spent
          ? 'bytesOutAll'
          : null;
    if (over) this.options.onEnded?.(over);
    return over;
  }

  /** A connection becomes a WebSocket: from now on it has to show a token soon. False if it was ended already. */
  upgrading(socket: Duplex): boolean {
    const guest = this.guestOf(socket);
    if (!guest || guest.ended) return false;
    const { allowance } = this.options;
    this.countPlain(guest);
    socket.on('error', () => {});
    this.strangers.add(guest);
    guest.address.strangers.add(guest);
    guest.timer = setTimeout(() => this.end(guest, 'strangerMillis'), allowance.strangerMillis);
    if (guest.address.strangers.size > allowance.strangersPerAddress)
      this.end(first(guest.address.strangers), 'strangersPerAddress');
    if (this.strangers.size > allowance.strangers) this.end(first(this.strangers), 'strangers');
    return !guest.ended;
  }

  /** Reads the incoming bytes: called once somebody else reads them, too. */
  watch(socket: Duplex): void {
    const guest = this.guestOf(socket);
    if (guest) socket.prependListener('data', (chunk: Buffer) => this.received(guest, chunk.length));
  }

  /** The WebSocket has become an engine.io connection. Each packet is checked here before anything else sees it. */
  attach(conn: EngineConnection): void {
    const guest = this.guestOf(conn.request.socket);
    const ws = conn.transport.socket;
    if (!guest || guest.ended) {
      ws.terminate();
      conn.close(true);
      return;
    }
    guest.conn = conn;
    this.byConnection.set(conn, guest);
    const readers = ws.listeners('message') as ((data: Buffer, isBinary: boolean) => void)[];
    ws.removeAllListeners('message');
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.packet(guest, data, isBinary)) for (const read of readers) read.call(ws, data, isBinary);
    });
    ws.on('ping', () => void this.counts(guest));
    ws.on('pong', () => void this.counts(guest));
    // Too long, in too many pieces, or not UTF-8: closed without an explanation.
    ws.on('error', (error: Error & { code?: string }) => this.end(guest, limitOf(error)));
    conn.on('packetCreate', (packet: { type: string; data?: unknown }) => {
      const { data } = packet;
      if (typeof data === 'string' && packet.type === 'message') this.answered(guest, data);
      this.sent(guest, typeof data === 'string' ? Buffer.byteLength(data) : 0);
    });
    conn.on('drain', () => {
      guest.queued = 0;
      this.measure(guest);
    });
  }

  /**
   * Returns true if more records or views may be sent to it now: earlier ones have gone out, and its limit is not used
   * up.
   */
  mayTake(conn: object): boolean {
    const guest = this.byConnection.get(conn);
    if (!guest || guest.ended) return false;
    const { allowance } = this.options;
    if (guest.bytesOut.spent || guest.address.bytesOut.spent || this.bytesOut.spent) return false;
    return guest.queued + (guest.conn?.transport.socket.bufferedAmount ?? 0) <= allowance.waitingRecords;
  }

  /** The name under which the limits per address count this connection. */
  addressOf(conn: object): string {
    return this.byConnection.get(conn)?.address.name ?? '';
  }

  /** Ends a connection that went beyond a limit which somebody else counts. */
  endOf(conn: object, limit: LimitName): void {
    const guest = this.byConnection.get(conn);
    if (guest) this.end(guest, limit);
  }

  /** Ends all. */
  close(): void {
    for (const guest of [...this.guests.values()]) this.end(guest);
  }

  // --- what comes in -------------------------------------------------------------------------------------------------

  private received(guest: Guest, bytes: number): void {
    if (guest.ended) return;
    if (!guest.admitted) guest.early.bytes += bytes;
    if (!guest.admitted && guest.early.bytes > this.options.allowance.strangerBytes) this.end(guest, 'strangerBytes');
    else if (guest.bytesIn.exceeded(bytes)) this.end(guest, 'bytesIn');
    // A packet beyond its own limit is not read, and does not count against the limits of others.
    else this.receivedFrom(guest, bytes);
  }

  private receivedFrom(guest: Guest, bytes: number): void {
    const ofAddress = guest.address.bytesIn.exceeded(bytes);
    const ofAll = this.bytesIn.exceeded(bytes);
    if (ofAddress) this.end(guest, 'bytesInPerAddress');
    else if (ofAll) this.end(guest, 'bytesInAll');
  }

  /** Counts a packet of any type. False if the connection is at its end. */
  private counts(guest: Guest): boolean {
    if (guest.ended) return false;
    if (!guest.admitted && ++guest.early.packets > this.options.allowance.strangerPackets)
      this.end(guest, 'strangerPackets');
    else if (guest.packets.exceeded()) this.end(guest, 'packetsPerSecond');
    return !guest.ended;
  }

  /**
   * Returns true if engine.io and socket.io may see a packet. A page sends four kinds: the answer to a ping, one
   * request for each namespace, events, and its goodbye. Nobody needs the protocols' other kinds (binary,
   * acknowledgements, upgrades).
   */
  private packet(guest: Guest, data: Buffer, isBinary: boolean): boolean {
    if (!this.counts(guest)) return false;
    if (isBinary || data.length === 0) return this.refuse(guest);
    switch (String.fromCharCode(data[0] as number, data[1] ?? 0)) {
      case '3\0':
        return data.length === 1 || this.refuse(guest);
      case '40': {
        const name = namespaceOf(data);
        if (!this.options.namespaces.has(name) || guest.asked.has(name)) return this.refuse(guest);
        guest.asked.add(name);
        return true;
      }
      case '42':
        // A client sends events only after the server has admitted it.
        return guest.admitted || this.refuse(guest);
      case '41':
      case '1\0':
        // It leaves. Without its namespace it would keep a connection that counts nowhere.
        this.forget(guest);
        return false;
      default:
        return this.refuse(guest);
    }
  }

  private refuse(guest: Guest): false {
    this.end(guest);
    return false;
  }

  private countPlain(guest: Guest): void {
    const { bytesRead, bytesWritten } = guest.raw;
    const read = bytesRead - guest.read;
    const written = bytesWritten - guest.written;
    guest.read = bytesRead;
    guest.written = bytesWritten;
    this.countOut(guest, written);
    this.receivedFrom(guest, read);
  }

  // --- what goes out -------------------------------------------------------------------------------------------------

  /** Learns from socket.io's answer to a request for a namespace what its sender is. */
  private answered(guest: Guest, text: string): void {
    if (guest.admitted) return;
    if (text.startsWith('0')) {
      guest.admitted = true;
      this.noStranger(guest);
    } else if (text.startsWith('4')) {
      // Refused: the client gets the message, and is then disconnected.
      const { conn } = guest;
      setImmediate(() => conn?.close());
    }
  }

  private sent(guest: Guest, bytes: number): void {
    if (guest.ended) return;
    guest.queued += bytes;
    this.countOut(guest, bytes);
    this.measure(guest);
  }

  private countOut(guest: Guest, bytes: number): void {
    guest.bytesOut.exceeded(bytes);
    guest.address.bytesOut.exceeded(bytes);
    this.bytesOut.exceeded(bytes);
  }

  private measure(guest: Guest): void {
    if (guest.ended) return;
    const { allowance } = this.options;
    this.look(guest);
    const own = guest.admitted ? 'waiting' : 'strangerWaiting';
    if (guest.waiting > allowance[own]) this.end(guest, own);
    if (this.waitingAll <= allowance.waitingAll) return;
    // Some packets may have gone out since.
    for (const other of this.guests.values()) if (other.conn) this.look(other);
    while (this.waitingAll > allowance.waitingAll) {
      const most = [...this.guests.values()].reduce((a, b) => (b.waiting > a.waiting ? b : a));
      this.end(most, 'waitingAll');
    }
  }

  private look(guest: Guest): void {
    const waiting = guest.queued + (guest.conn?.transport.socket.bufferedAmount ?? 0);
    this.waitingAll += waiting - guest.waiting;
    guest.waiting = waiting;
  }

  // --- ends ----------------------------------------------------------------------------------------------------------

  /** Ends a connection now: none of its frames is read any more, none is encoded for it, and its queue is dropped. */
  private end(guest: Guest, limit: LimitName | null = null): void {
    if (guest.ended) return;
    this.forget(guest);
    this.options.onEnded?.(limit);
  }

  private forget(guest: Guest): void {
    if (guest.ended) return;
    guest.ended = true;
    if (!guest.conn) this.countPlain(guest);
    this.noStranger(guest);
    this.guests.delete(guest.key);
    guest.address.guests.delete(guest);
    this.waitingAll -= guest.waiting;
    guest.waiting = 0;
    guest.raw.destroy();
    guest.conn?.transport.socket.terminate();
    guest.conn?.close(true);
  }

  private noStranger(guest: Guest): void {
    if (guest.timer) clearTimeout(guest.timer);
    guest.timer = null;
    this.strangers.delete(guest);
    guest.address.strangers.delete(guest);
  }

  // --- who is who ----------------------------------------------------------------------------------------------------

  /** Returns the same for a connection and for its TLS socket. */
  private guestOf(socket: Duplex): Guest | undefined {
    const { remoteAddress, remotePort } = socket as TCPSocket;
    return remoteAddress === undefined ? undefined : this.guests.get(keyOf(remoteAddress, remotePort));
  }

  private address(remote: string): Address {
    const { allowance, now } = this.options;
    const name = (this.options.addressOf ?? networkOf)(remote);
    const known = this.addresses.get(name);
    if (known) return known;
    if (this.addresses.size >= this.sweepAt) this.sweep();
    const address: Address = {
      name,
      guests: new Set(),
      strangers: new Set(),
      connects: new Rate(allowance.connects, TEN_SECONDS, now),
      requests: new Rate(allowance.requests, TEN_SECONDS, now),
      bytesIn: new Rate(allowance.bytesInPerAddress, TEN_SECONDS, now),
      bytesOut: new Rate(allowance.bytesOutPerAddress, TEN_SECONDS, now),
    };
    this.addresses.set(name, address);
    return address;
  }

  private sweep(): void {
    for (const [name, { guests, connects, requests }] of this.addresses)
      if (guests.size === 0 && connects.idle && requests.idle) this.addresses.delete(name);
    this.sweepAt = Math.max(FEW_ADDRESSES, 2 * this.addresses.size);
  }
}

const keyOf = (address: string, port: number | undefined): string => `${address} ${port}`;

const first = (guests: ReadonlySet<Guest>): Guest => guests.values().next().value as Guest;

function oldest(guests: Iterable<Guest>): Guest | null {
  for (const guest of guests) if (!guest.admitted) return guest;
  return null;
}

/** The namespace in `40{…}` or `40/class,{…}`. A name longer than any of ours is cut; it is not ours either way. */
function namespaceOf(data: Buffer): string {
  if (data[2] !== 0x2f) return '/';
  const name = data.toString('latin1', 2, 66);
  const end = name.indexOf(',');
  return end < 0 ? name : name.slice(0, end);
}

/** An IPv4 address as it is; of IPv6, the network of 64 bits, in which one machine may have any number of addresses. */
export function networkOf(remote: string): string {
  const plain = remote.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const end = tail === '' ? [] : tail.split(':');
    while (groups.length + end.length < 8) groups.push('0');
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Returns the limit of ours that a WebSocket complains of. */
function limitOf({ code, message }: Error & { code?: string }): LimitName | null {
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'packetBytes';
  if (code !== 'WS_ERR_TOO_MANY_BUFFERED_PARTS') return null;
  return message.includes('fragments') ? 'packetFragments' : 'packetChunks';
}
