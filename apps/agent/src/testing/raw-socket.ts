/** A WebSocket and socket.io client by hand, which can send what a well-behaved one would not. */
import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answer to a refused upgrade. */
export interface Refused {
  readonly status: number;
  readonly body: string;
}

/** Asks for an upgrade with these headers; resolves with the socket, or with the refusal. */
export function upgrade(
  port: number,
  headers: Record<string, string> = {},
  path = '/socket.io/?EIO=4&transport=websocket',
  from = '127.0.0.1',
): Promise<Duplex | Refused> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      localAddress: from,
      agent: false,
      port,
      path,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
        ...headers,
      },
    });
    sent.on('upgrade', (_response, socket, head) => {
      // Bytes may come with the answer, in one packet.
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    sent.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A plain request. */
export function get(port: number, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<Refused & { headers: IncomingHttpHeaders }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on('error', reject).end();
  });
}

/** Speaks socket.io over a raw socket. Collects what it receives; `stopReading` makes it a slow client. */
export class RawClient {
  readonly messages: Record<string, unknown>[] = [];
  /** socket.io's packets as text, and `closed` at the end. */
  readonly packets: string[] = [];
  closed = false;
  /** Resolves once the connection is no more. */
  readonly gone: Promise<void>;
  private parts: Buffer[] = [];
  private have = 0;
  /** Bytes to wait for before it is worth looking. */
  private need = 2;
  private waiters: (() => void)[] = [];

  constructor(private readonly socket: Duplex) {
    socket.on('data', (data: Buffer) => this.feed(data));
    const end = () => {
      this.closed = true;
      this.wake();
    };
    socket.on('close', end).on('end', end).on('error', end);
    this.gone = new Promise((resolve) => void socket.once('close', () => resolve()));
  }

  /** Connects with a token; resolves once the answer has come. */
  static async connect(port: number, auth: unknown): Promise<RawClient> {
    const socket = await upgrade(port);
    if ('status' in socket) throw new Error(`refused: ${socket.status} ${socket.body}`);
    const client = new RawClient(socket);
    await client.until(() => client.packets.some((p) => p.startsWith('0')));
    client.text(`40${auth === undefined ? '' : JSON.stringify(auth)}`);
    await client.until(() => client.packets.some((p) => p.startsWith('40') || p.startsWith('44')));
    return client;
  }

  /** The refusal, parsed, if the handshake was refused. */
  get refused(): { message: string; data?: { status: number } } | undefined {
    const packet = this.packets.find((p) => p.startsWith('44'));
    return packet === undefined ? undefined : JSON.parse(packet.slice(2));
  }

  /** Sends a message of the session protocol. */
  send(message: unknown): void {
    this.text(`42${JSON.stringify(['m', message])}`);
  }

  /** Sends any text as one frame. */
  text(text: string): void {
    this.write(frameOf(Buffer.from(text)));
  }

  /** Sends any bytes. */
  write(bytes: Buffer): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  startReading(): void {
    this.socket.resume();
  }

  stopReading(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Resolves as soon as `ok` holds; asked whenever something comes. */
  async until(ok: () => boolean): Promise<void> {
    while (!ok()) {
      if (this.closed) throw new Error(`closed; got ${JSON.stringify(this.packets.slice(-3)).slice(0, 500)}`);
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  private feed(data: Buffer): void {
    this.parts.push(data);
    this.have += data.length;
    if (this.have < this.need) return;
    let b = Buffer.concat(this.parts);
    for (;;) {
      this.need = 2;
      if (b.length < 2) break;
      const short = (b[1] as number) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      this.need = head;
      if (b.length < head) break;
      const length = short < 126 ? short : short === 126 ? b.readUInt16BE(2) : Number(b.readBigUInt64BE(2));
      this.need = head + length;
      if (b.length < head + length) break;
      const opcode = (b[0] as number) & 0x0f;
      if (opcode === 8) this.closed = true;
      if (opcode === 1) this.packet(b.toString('utf8', head, head + length));
      b = b.subarray(head + length);
    }
    this.parts = [b];
    this.have = b.length;
    this.wake();
  }

  private packet(text: string): void {
    if (text === '2') this.text('3');
    this.packets.push(text.length > 4000 ? text.slice(0, 4000) : text);
    // Of the main namespace; others' begin with their name.
    if (text.startsWith('42[')) this.messages.push((JSON.parse(text.slice(2)) as [string, Record<string, unknown>])[1]);
  }

  private wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}

/**
 * Returns a frame as clients send it. `opcode`: 1 for text, 0 for a continuation, 9 for a ping; `fin` false if more is
 * to come.
 */
export function frameOf(payload: Buffer, opcode = 1, fin = true): Buffer {
  const length = payload.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  // A mask of zeros is one, and changes nothing.
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
