/** One connection between a kubelet and its runtime: HTTP/2 and gRPC, read from a copy of its bytes. */
import { utf8Bytes, utf8Text } from '@syncloop/core/base';
import { GrpcCode } from '@syncloop/core/cri';
import { contentOf, type Frame, FrameFlag, FrameReader, FrameType, uint32 } from './frames.js';
import { type HeaderField, HpackDecoder } from './hpack.js';
import { type Framed, MessageFramer, type Room } from './messages.js';

/** `c`: what the kubelet sends, `s`: what the runtime sends. */
export type Direction = 'c' | 's';

/** gRPC's status of a call. `details` are in the runtime's words, if there are any. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
}

/** An event of a connection. `stream` is that of HTTP/2, unique within the connection. */
export type ConnectionEvent =
  /** The path is null if it refers to headers that were not seen. */
  | { readonly kind: 'begin'; readonly stream: number; readonly path: string | null }
  | {
      readonly kind: 'message';
      readonly stream: number;
      readonly dir: Direction;
      /** Null: the message's bytes are lost; a gap has the reason. */
      readonly bytes: Uint8Array | null;
      /** '' if it is not compressed; `unknown` if its header was not seen. */
      readonly encoding: string;
    }
  | {
      readonly kind: 'end';
      readonly stream: number;
      /** Null if it refers to headers that were not seen. */
      readonly status: CallStatus | null;
    }
  | { readonly kind: 'gap'; readonly why: string; readonly bytes?: number };

/** One direction of a stream. */
interface Half {
  readonly framer: MessageFramer;
  encoding: string;
}
interface Stream {
  readonly c: Half;
  readonly s: Half;
  /** `grpc-timeout` in microseconds; null if there is none. */
  readonly timeout: number | null;
  readonly since: number;
}
/** A block of headers that is under way. */
interface Block {
  readonly stream: number;
  readonly type: number;
  readonly flags: number;
  readonly parts: Uint8Array[];
  size: number;
}
interface Side {
  readonly frames: FrameReader;
  readonly hpack: HpackDecoder;
  block: Block | null;
}

const LONGEST_BLOCK = 1024 * 1024;
/** Streams at once: a kubelet has some dozens. Those beyond are not followed. */
const MOST_STREAMS = 10_000;
const SETTINGS_MAX_FRAME_SIZE = 5;

/** upstream: grpc/doc/PROTOCOL-HTTP2.md, "Errors": the gRPC code of an HTTP/2 error code. */
const RESET_CODES: readonly number[] = [
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.Unavailable,
  GrpcCode.Canceled,
  GrpcCode.Internal,
  GrpcCode.Internal,
  GrpcCode.ResourceExhausted,
  GrpcCode.PermissionDenied,
];
const CANCEL = 8;

/**
 * Reads both directions of a connection. It never throws; bytes that it cannot read are a gap. `whole`: it sees the
 * connection from its first byte; else the tables of headers begin unknown.
 */
export class Connection {
  private readonly sides: Readonly<Record<Direction, Side>>;
  private readonly streams = new Map<number, Stream>();
  /** Streams above it are new: their first frames were not missed. */
  private last = 0;
  private out: ConnectionEvent[] = [];
  private now = 0;

  constructor(
    whole: boolean,
    private readonly room: Room,
  ) {
    const side = (start: 'preface' | 'frames'): Side => ({
      frames: new FrameReader(whole ? start : 'middle'),
      hpack: new HpackDecoder(whole),
      block: null,
    });
    this.sides = { c: side('preface'), s: side('frames') };
  }

  /** The streams that have not ended. */
  get open(): readonly number[] {
    return [...this.streams.keys()];
  }

  /** `now` in microseconds, on any clock. */
  push(dir: Direction, bytes: Uint8Array, now: number): ConnectionEvent[] {
    this.now = now;
    for (const frame of this.sides[dir].frames.push(bytes)) {
      if ('skipped' in frame) this.lost(dir, frame.skipped, 'These bytes are not HTTP/2 frames');
      else this.frame(dir, frame);
    }
    return this.out.splice(0);
  }

  /** Bytes of that direction are missing. */
  lose(dir: Direction, bytes: number, why: string): ConnectionEvent[] {
    const before = this.sides[dir].frames.lose().reduce((n, { skipped }) => n + skipped, 0);
    this.lost(dir, bytes + before, why);
    return this.out.splice(0);
  }

  /** The connection has ended: so have the calls on it. */
  end(now: number): ConnectionEvent[] {
    this.now = now;
    for (const dir of ['c', 's'] as const)
      for (const { skipped } of this.sides[dir].frames.end())
        this.gap('The connection ended within a frame of HTTP/2.', skipped);
    for (const stream of this.open)
      this.finish(stream, { code: GrpcCode.Unavailable, details: 'the connection was closed before the call ended' });
    return this.out.splice(0);
  }

  private gap(why: string, bytes?: number): void {
    this.out.push({ kind: 'gap', why, ...(bytes !== undefined && { bytes }) });
  }

  /** Messages and headers that are under way in that direction cannot be completed. */
  private lost(dir: Direction, bytes: number, why: string): void {
    const side = this.sides[dir];
    side.block = null;
    side.hpack.lose();
    for (const stream of this.streams.values()) if (stream[dir].framer.open) stream[dir].framer.drop();
    this.gap(`${why}: calls of ${who(dir)} may be incomplete here.`, bytes);
  }

  private frame(dir: Direction, frame: Frame): void {
    const side = this.sides[dir];
    const { type, flags, stream, payload } = frame;
    if (side.block && (type !== FrameType.CONTINUATION || stream !== side.block.stream)) {
      side.block = null;
      side.hpack.lose();
      this.gap(`A block of headers of ${who(dir)} has no end: headers that refer to it are unknown.`);
    }
    switch (type) {
      case FrameType.DATA:
        this.data(dir, frame);
        return;
      case FrameType.HEADERS:
      case FrameType.PUSH_PROMISE: {
        const content = contentOf(frame);
        if (!content) {
          side.hpack.lose();
          this.gap(`Headers of ${who(dir)} are malformed.`);
          return;
        }
        side.block = { stream, type, flags, parts: [content.slice()], size: content.length };
        if (flags & FrameFlag.END_HEADERS) this.block(dir);
        return;
      }
      case FrameType.CONTINUATION: {
        const { block } = side;
        if (!block) {
          side.hpack.lose();
          this.gap(`A block of headers of ${who(dir)} has no beginning: headers that refer to it are unknown.`);
          return;
        }
        block.size += payload.length;
        if (block.size <= LONGEST_BLOCK) block.parts.push(payload.slice());
        if (flags & FrameFlag.END_HEADERS) this.block(dir);
        return;
      }
      case FrameType.RST_STREAM:
        this.reset(dir, stream, uint32(payload, 0));
        return;
      case FrameType.SETTINGS:
        if (!(flags & FrameFlag.ACK)) this.settings(dir, payload);
        return;
      case FrameType.GOAWAY:
        this.goAway(dir, uint32(payload, 0) & 0x7fff_ffff, uint32(payload, 4), utf8Text(payload.subarray(8, 1032)));
        return;
    }
  }

  private settings(dir: Direction, payload: Uint8Array): void {
    const other = this.sides[dir === 'c' ? 's' : 'c'].frames;
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const id = ((payload[at] as number) << 8) | (payload[at + 1] as number);
      if (id === SETTINGS_MAX_FRAME_SIZE) other.largest = Math.min(uint32(payload, at + 2), 2 ** 24 - 1);
    }
  }

  /** Calls that the runtime will not look at are over; the kubelet's own GOAWAY does not concern its calls. */
  private goAway(dir: Direction, last: number, code: number, words: string): void {
    if (code !== 0)
      this.gap(`${who(dir)} ends the connection: HTTP/2 error ${code}${words === '' ? '' : `, "${words}"`}.`);
    if (dir === 's')
      for (const stream of this.open)
        if (stream > last)
          this.finish(stream, { code: GrpcCode.Unavailable, details: 'the runtime ended the connection (GOAWAY)' });
  }

  private block(dir: Direction): void {
    const side = this.sides[dir];
    const block = side.block as Block;
    side.block = null;
    let fields: HeaderField[];
    try {
      if (block.size > LONGEST_BLOCK) throw new Error('longer than a megabyte');
      const whole = new Uint8Array(block.size);
      let at = 0;
      for (const part of block.parts) {
        whole.set(part, at);
        at += part.length;
      }
      fields = side.hpack.decode(whole);
    } catch (err) {
      side.hpack.lose();
      this.gap(`Headers of ${who(dir)} cannot be read (${(err as Error).message}).`);
      fields = [];
    }
    // The runtime may announce pushed streams; gRPC does not use them.
    if (block.type === FrameType.PUSH_PROMISE) return;
    this.headers(dir, block.stream, fields, (block.flags & FrameFlag.END_STREAM) !== 0);
  }

  private headers(dir: Direction, id: number, fields: readonly HeaderField[], end: boolean): void {
    const get = (name: string) => fields.find((field) => field.name === name)?.value ?? null;
    if (dir === 'c') {
      if (!this.streams.has(id)) this.begin(id, get(':path'), timeoutOf(get('grpc-timeout')));
    } else if (!this.streams.has(id)) {
      // Its request was before the capture began, or it was reset already.
      if (id <= this.last && !end) return;
      this.begin(id, null, null);
    }
    const stream = this.streams.get(id);
    if (!stream) return;
    const unknown = fields.length === 0 || fields.some((field) => field.name === null);
    const encoding = get('grpc-encoding');
    if (encoding !== null) stream[dir].encoding = encoding;
    else if (unknown && stream[dir].encoding === '') stream[dir].encoding = 'unknown';
    if (dir !== 's' || !end) return;
    const http = get(':status');
    if (http !== null && http !== '200')
      this.finish(id, { code: GrpcCode.Unknown, details: `HTTP status ${http.slice(0, 100)} instead of gRPC` });
    else {
      const status = statusOf(fields);
      if (!status && unknown) this.finish(id, null);
      else this.finish(id, status ?? { code: GrpcCode.Unknown, details: 'the answer ended without a status' });
    }
  }

  private begin(id: number, path: string | null, timeout: number | null): void {
    this.last = Math.max(this.last, id);
    if (this.streams.size >= MOST_STREAMS) {
      this.gap(`More than ${MOST_STREAMS} calls at once: call ${id} of this connection is not followed.`);
      return;
    }
    const half = (): Half => ({ framer: new MessageFramer(this.room), encoding: '' });
    this.streams.set(id, { c: half(), s: half(), timeout, since: this.now });
    this.out.push({ kind: 'begin', stream: id, path });
  }

  private data(dir: Direction, frame: Frame): void {
    const { stream: id, flags } = frame;
    const stream = this.streams.get(id);
    // The call was reset, or began before the observation.
    if (!stream) return;
    const content = contentOf(frame);
    if (!content) {
      stream[dir].framer.drop();
      this.gap(`A frame of ${who(dir)} is malformed.`);
    } else for (const framed of stream[dir].framer.push(content)) this.message(dir, id, stream[dir], framed);
    if (flags & FrameFlag.END_STREAM && dir === 's')
      this.finish(id, { code: GrpcCode.Unknown, details: 'the answer ended without a status' });
  }

  private message(dir: Direction, stream: number, half: Half, framed: Framed): void {
    if (framed.kind === 'unknown')
      this.gap(
        framed.why === 'malformed'
          ? `A message of ${who(dir)} is not in the form of gRPC.`
          : `A message of ${framed.length} bytes of ${who(dir)} is not kept: ${
              framed.why === 'too long'
                ? 'it is longer than any that a kubelet takes'
                : 'too many are under way at once'
            }.`,
        framed.length,
      );
    this.out.push({
      kind: 'message',
      stream,
      dir,
      bytes: framed.kind === 'message' ? framed.bytes : null,
      encoding: framed.kind === 'message' && framed.compressed ? half.encoding || 'unknown' : '',
    });
  }

  private reset(dir: Direction, id: number, code: number): void {
    const stream = this.streams.get(id);
    if (!stream) return;
    if (dir === 's') {
      const details = `the runtime reset the call (HTTP/2 error ${code})`;
      this.finish(id, { code: RESET_CODES[code] ?? GrpcCode.Unknown, details });
      return;
    }
    // A client resets a call whose deadline has passed, too; it tells the deadline beforehand.
    const late = stream.timeout !== null && this.now - stream.since >= stream.timeout;
    this.finish(
      id,
      code === CANCEL && late
        ? { code: GrpcCode.DeadlineExceeded, details: 'the kubelet abandoned the call at its deadline' }
        : { code: GrpcCode.Canceled, details: `the kubelet abandoned the call (HTTP/2 error ${code})` },
    );
  }

  /** Status null: it ended, and how is not known. */
  private finish(id: number, status: CallStatus | null): void {
    const stream = this.streams.get(id);
    if (!stream) return;
    this.streams.delete(id);
    stream.c.framer.drop();
    stream.s.framer.drop();
    this.out.push({ kind: 'end', stream: id, status });
  }
}

const who = (dir: Direction): string => (dir === 'c' ? 'the kubelet' : 'the runtime');

/**
 * Reads the status from trailers. If the table was not seen from its beginning, a status that is not 0 is still
 * complete: servers write it before its message, and only its name refers to the table.
 */
function statusOf(fields: readonly HeaderField[]): CallStatus | null {
  let at = fields.findIndex(({ name }) => name === 'grpc-status');
  if (at < 0) at = fields.findIndex(({ name, value }) => name === null && /^([1-9]|1[0-6])$/.test(value ?? ''));
  const code = fields[at]?.value ?? '';
  if (!/^\d{1,9}$/.test(code)) return null;
  const next = fields[at + 1];
  const words = fields.find(({ name }) => name === 'grpc-message')?.value ?? (next?.name === null ? next.value : null);
  return { code: Number(code), details: percentDecoded(words ?? '') };
}

/** `grpc-timeout` in microseconds. */
function timeoutOf(text: string | null): number | null {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text ?? '') ?? [];
  if (digits === undefined || unit === undefined) return null;
  return Number(digits) * ({ H: 3600e6, M: 60e6, S: 1e6, m: 1000, u: 1, n: 0.001 }[unit] ?? 0);
}

/** upstream: grpc/doc/PROTOCOL-HTTP2.md, Status-Message */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return utf8Text(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const hex = text[i] === '%' ? /^[0-9a-fA-F]{2}$/.exec(text.slice(i + 1, i + 3)) : null;
    if (hex) {
      bytes.push(Number.parseInt(hex[0], 16));
      i += 2;
    } else bytes.push(...utf8Bytes(text[i] as string));
  }
  return utf8Text(Uint8Array.from(bytes));
}
