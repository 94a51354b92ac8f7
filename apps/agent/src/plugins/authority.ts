/**
 * Device plug-ins that were built with grpc-go before 1.58 (September 2023) name the path of the socket as the host
 * that they call: `:authority: /var/lib/kubelet/device-plugins/kubelet.sock`. Node's HTTP/2 refuses such a request
 * before anybody sees it, and has no option for that, so each name that is not a host's is changed on its way in.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { HpackDecoder } from '@syncloop/observe/hpack';
import { ignoreErrors } from '../base/ignore-errors.js';

const PREFACE = 24;
const HEADER = 9;
const HEADERS = 1;
const CONTINUATION = 9;
const END_HEADERS = 0x4;
const PADDED = 0x8;
const PRIORITY = 0x20;
/** The largest frame that a server takes by default, and of all frames of one block of headers. */
const LARGEST_FRAME = 16_384;
const LARGEST_BLOCK = 64 * 1024;

/** The characters of a host's name. upstream: RFC 3986 authority, as nghttp2 checks it */
const authority = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%[\]]*$/;

/** A block of headers that is under way. */
interface Block {
  readonly flags: number;
  readonly stream: number;
  readonly parts: Buffer[];
  size: number;
}

/**
 * Rewrites what a client sends so that its names of hosts suit a server of HTTP/2. Throws at bytes that it cannot read.
 */
export class AuthorityRewriter {
  private readonly decoder = new HpackDecoder(true);
  private held: Buffer = Buffer.alloc(0);
  private begun = false;
  private block: Block | null = null;

  /** Returns the bytes to pass on, of these and those before; at most one frame stays behind. */
  push(bytes: Buffer): Buffer {
    this.held = this.held.length > 0 ? Buffer.concat([this.held, bytes]) : bytes;
    const out: Buffer[] = [];
    if (!this.begun) {
      if (this.held.length < PREFACE) return Buffer.alloc(0);
      this.begun = true;
      out.push(this.take(PREFACE));
    }
    while (this.held.length >= HEADER) {
      const length = this.held.readUIntBE(0, 3);
      if (length > LARGEST_FRAME)
        throw new Error(`a frame has ${length} bytes, more than the ${LARGEST_FRAME} that are allowed`);
      if (this.held.length < HEADER + length) break;
      out.push(...this.frame(this.take(HEADER + length)));
    }
    return Buffer.concat(out);
  }

  private take(length: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  private frame(frame: Buffer): Buffer[] {
    const type = frame[3] as number;
    const flags = frame[4] as number;
    const payload = frame.subarray(HEADER);
    if (this.block ? type !== CONTINUATION : type === CONTINUATION) throw new Error('headers that are interrupted');
    if (type === HEADERS) {
      this.block = { flags, stream: frame.readUInt32BE(5), parts: [], size: 0 };
      this.add(this.block, fragmentOf(payload, flags));
    } else if (this.block) this.add(this.block, payload);
    else return [frame];
    if (!(flags & END_HEADERS)) return [];
    const { block } = this;
    this.block = null;
    return this.rewritten(block as Block);
  }

  private add(block: Block, part: Buffer): void {
    block.size += part.length;
    if (block.size > LARGEST_BLOCK) throw new Error('headers that are too long');
    block.parts.push(part);
  }

  /** The block as literals that refer to no table, so that the server's own table stays empty. */
  private rewritten({ parts, flags, stream }: Block): Buffer[] {
    const literals: Buffer[] = [];
    let size = 0;
    for (const { name, value } of this.decoder.decode(Buffer.concat(parts))) {
      const text = name === ':authority' && !authority.test(value ?? '') ? 'localhost' : (value ?? '');
      const field = Buffer.concat([Buffer.from([0x00]), literal(name ?? ''), literal(text)]);
      // One byte of the block can refer to a field of 4 KiB in the table.
      size += field.length;
      if (size > LARGEST_BLOCK) throw new Error('headers that are too long');
      literals.push(field);
    }
    const block = Buffer.concat(literals);
    const frames: Buffer[] = [];
    for (let at = 0; at === 0 || at < block.length; at += LARGEST_FRAME) {
      const part = block.subarray(at, at + LARGEST_FRAME);
      const last = at + LARGEST_FRAME >= block.length ? END_HEADERS : 0;
      const header = Buffer.alloc(HEADER);
      header.writeUIntBE(part.length, 0, 3);
      header[3] = at === 0 ? HEADERS : CONTINUATION;
      header[4] = (at === 0 ? flags & ~(END_HEADERS | PADDED | PRIORITY) : 0) | last;
      header.writeUInt32BE(stream, 5);
      frames.push(header, part);
    }
    return frames;
  }
}

/**
 * Returns a connection as a server of HTTP/2 gets it: its bytes have gone through an {@link AuthorityRewriter}. A
 * client that does not speak HTTP/2 is disconnected.
 */
export function withHostNames(socket: Socket): Duplex {
  const rewriter = new AuthorityRewriter();
  const duplex = ignoreErrors(
    new Duplex({
      read: () => void socket.resume(),
      write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
      final: (done) => void socket.end(done),
      destroy: (err, done) => {
        socket.destroy();
        done(err);
      },
    }),
  );
  socket.on('data', (chunk: Buffer) => {
    try {
      const bytes = rewriter.push(chunk);
      if (bytes.length > 0 && !duplex.push(bytes)) socket.pause();
    } catch (err) {
      duplex.destroy(err as Error);
    }
  });
  socket.once('end', () => duplex.push(null));
  socket.once('close', () => duplex.destroy());
  return duplex;
}

/** Returns the part of a header block in a HEADERS frame. */
function fragmentOf(payload: Buffer, flags: number): Buffer {
  const padding = flags & PADDED ? (payload[0] ?? 0) : 0;
  const from = (flags & PADDED ? 1 : 0) + (flags & PRIORITY ? 5 : 0);
  if (from + padding > payload.length) throw new Error('headers with too much padding');
  return payload.subarray(from, payload.length - padding);
}

/** A string of HPACK, as it is. */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return Buffer.concat([Buffer.from(length), bytes]);
}
