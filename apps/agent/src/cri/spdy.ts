/**
 * The server's side of SPDY/3.1, as far as Kubernetes' clients speak it: streams that the client opens, data both ways,
 * pings. Flow control is left out, as in the library that those clients use.
 * https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/
 */
import type { Duplex } from 'node:stream';
import { constants, createDeflate, createInflate } from 'node:zlib';
import { ignoreErrors } from '../base/ignore-errors.js';

/** The dictionary of the headers' compressor: words, each with its length before it, and a text. */
const words = (
  'options|head|post|put|delete|trace|accept|accept-charset|accept-encoding|accept-language|accept-ranges|age|' +
  'allow|authorization|cache-control|connection|content-base|content-encoding|content-language|content-length|' +
  'content-location|content-md5|content-range|content-type|date|etag|expect|expires|from|host|if-match|' +
  'if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|location|max-forwards|pragma|' +
  'proxy-authenticate|proxy-authorization|range|referer|retry-after|server|te|trailer|transfer-encoding|upgrade|' +
  'user-agent|vary|via|warning|www-authenticate|method|get|status|200 OK|version|HTTP/1.1|url|public|set-cookie|' +
  'keep-alive|origin'
).split('|');
const text =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritat' +
  'ive Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found5' +
  '00 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct N' +
  'ov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,applic' +
  'ation/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf' +
  '-8charset=iso-8859-1,utf-,*,enq=0.';
/** The same on both sides. */
export const dictionary = Buffer.concat([
  ...words.flatMap((word) => [uint32(word.length), Buffer.from(word)]),
  Buffer.from(text),
]);

const type = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const fin = 1;
/** Most bytes of a data frame, and of one with headers. */
const mostData = 4 << 20;
const mostHeaders = 8192;

/** One stream of a connection. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  /** Sets the function that gets the client's data, also earlier ones; null at the end. */
  onData(receiver: (data: Buffer | null) => void): void;
  write(data: Buffer): void;
  /** Tells the client that nothing more comes. */
  end(): void;
}

/**
 * Speaks SPDY on a connection after its upgrade. `opened` gets each stream that the client opens. A client that does
 * not keep to the protocol is hung up on.
 */
export class SpdyConnection {
  private readonly inflate = ignoreErrors(createInflate({ dictionary }));
  private readonly deflate = ignoreErrors(createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH }));
  private readonly streams = new Map<number, Stream>();
  private received: Buffer;
  /** Headers are packed one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: Duplex,
    head: Buffer,
    private readonly opened: (stream: SpdyStream) => void,
  ) {
    this.received = head;
    ignoreErrors(socket).on('data', (data: Buffer) => {
      this.received = Buffer.concat([this.received, data]);
      this.take();
    });
    // A server's connections stay half open by themselves.
    socket.once('end', () => socket.destroy());
    this.take();
  }

  /** Ends the connection once all was sent. */
  close(): void {
    this.turn = this.turn.then(() => {
      this.control(type.goAway, 0, Buffer.concat([uint32(0), uint32(0)]));
      this.socket.end();
    });
  }

  private take(): void {
    while (this.received.length >= 8) {
      const first = this.received.readUInt32BE(0);
      const flags = this.received.readUInt8(4);
      const length = this.received.readUIntBE(5, 3);
      const control = first >>> 31 === 1;
      if (length > (control ? mostHeaders : mostData)) {
        this.socket.destroy();
        return;
      }
      if (this.received.length < 8 + length) return;
      const payload = this.received.subarray(8, 8 + length);
      this.received = this.received.subarray(8 + length);
      this.turn = this.turn.then(() =>
        control ? this.controlled(first & 0xffff, flags, payload) : this.data(first & 0x7fffffff, flags, payload),
      );
    }
  }

  private data(id: number, flags: number, data: Buffer): void {
    const stream = this.streams.get(id);
    if (data.length > 0) stream?.receive(data);
    if (flags & fin) stream?.receive(null);
  }

  private async controlled(kind: number, flags: number, payload: Buffer): Promise<void> {
    if (kind === type.ping) this.control(type.ping, 0, payload);
    else if (kind === type.goAway) this.socket.end();
    else if (kind === type.rstStream && payload.length >= 4) {
      const id = payload.readUInt32BE(0);
      this.streams.get(id)?.receive(null);
      this.streams.delete(id);
    } else if (kind === type.synStream && payload.length >= 10) {
      const id = payload.readUInt32BE(0) & 0x7fffffff;
      const headers = headersIn(await through(this.inflate, payload.subarray(10)));
      if (!headers || this.streams.size >= 16) {
        this.socket.destroy();
        return;
      }
      this.control(type.synReply, 0, Buffer.concat([uint32(id), await through(this.deflate, uint32(0))]));
      const stream = new Stream(headers, (data, last) => this.send(id, data, last));
      this.streams.set(id, stream);
      if (flags & fin) stream.receive(null);
      this.opened(stream);
    }
  }

  private control(kind: number, flags: number, payload: Buffer): void {
    this.frame(0x80030000 | kind, flags, payload);
  }
  private send(id: number, data: Buffer, last: boolean): void {
    this.turn = this.turn.then(() => this.frame(id, last ? fin : 0, data));
  }
  private frame(first: number, flags: number, payload: Buffer): void {
    if (!this.socket.writable) return;
    this.socket.write(
      Buffer.concat([uint32(first >>> 0), Buffer.from([flags]), uint32(payload.length).subarray(1), payload]),
    );
  }
}

class Stream implements SpdyStream {
  private receiver: ((data: Buffer | null) => void) | null = null;
  private readonly early: (Buffer | null)[] = [];
  private over = false;

  constructor(
    readonly headers: ReadonlyMap<string, string>,
    private readonly send: (data: Buffer, last: boolean) => void,
  ) {}

  receive(data: Buffer | null): void {
    if (this.receiver) this.receiver(data);
    else this.early.push(data);
  }
  onData(receiver: (data: Buffer | null) => void): void {
    this.receiver = receiver;
    for (const data of this.early.splice(0)) receiver(data);
  }
  write(data: Buffer): void {
    if (!this.over) this.send(data, false);
  }
  end(): void {
    if (this.over) return;
    this.over = true;
    this.send(Buffer.alloc(0), true);
  }
}

function uint32(n: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(n);
  return out;
}

/** Passes bytes through a (de)compressor and returns its output so far. */
function through(zip: NodeJS.ReadWriteStream & { read(): unknown }, data: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    // Damaged data yields nothing, and the reader notices that headers are missing.
    const done = () => resolve((zip.read() as Buffer | null) ?? Buffer.alloc(0));
    zip.once('error', done);
    zip.write(data, done);
  });
}

/** Null if they are damaged. */
function headersIn(data: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  const next = (): string => {
    const length = data.readUInt32BE(at);
    at += 4 + length;
    if (at > data.length) throw new RangeError('beyond the end');
    return data.toString('utf8', at - length, at);
  };
  try {
    at = 4;
    for (let n = data.readUInt32BE(0); n > 0; n--) headers.set(next().toLowerCase(), next());
    return headers;
  } catch (err) {
    if (!(err instanceof RangeError)) throw err;
    return null;
  }
}
