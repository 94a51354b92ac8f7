/** Frames of HTTP/2 out of the bytes of one direction, also from their middle. upstream: RFC 9113, section 4 and 6 */

export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;
export const FrameFlag = { ACK: 0x1, END_STREAM: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Valid until the next call of the reader. */
  readonly payload: Uint8Array;
}
/** Bytes that belong to no frame that could be read. */
export interface Skipped {
  readonly skipped: number;
}

const HEADER = 9;
/** Frames in a row that are accepted without other evidence. */
const SURE = 3;
/** Bytes that are searched for the beginning of a frame, and how many more make another search worth it. */
const SEARCHED = 64 * 1024;
const SEARCH_STEP = 4096;
const LARGEST = 2 ** 24 - 1;
/** The longest frame that is accepted if the other side's setting was not seen. */
const LIKELY = 1024 * 1024;
/** A buffer that is kept for the next frames. */
const KEPT = 512 * 1024;
const PREFACE = Uint8Array.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', (c) => c.charCodeAt(0));

/** Allowed length of the payload and whether it belongs to a stream, by type. */
const SHAPES: readonly { readonly least: number; readonly most: number; readonly stream: boolean | null }[] = [
  { least: 0, most: LARGEST, stream: true },
  { least: 0, most: LARGEST, stream: true },
  { least: 5, most: 5, stream: true },
  { least: 4, most: 4, stream: true },
  { least: 0, most: 6 * 64, stream: false },
  { least: 4, most: LARGEST, stream: true },
  { least: 8, most: 8, stream: false },
  { least: 8, most: LARGEST, stream: false },
  { least: 4, most: 4, stream: null },
  { least: 0, most: LARGEST, stream: true },
];

/** Makes frames of the bytes of one direction. It keeps at most one frame, or {@link SEARCHED} bytes of a search. */
export class FrameReader {
  /** Largest payload that the other side accepts; null if its setting was not seen. */
  largest: number | null;
  private buffer = new Uint8Array(0);
  /** The bytes that are kept: `buffer` from `from` to `to`. */
  private from = 0;
  private to = 0;
  private state: 'preface' | 'frames' | 'search';
  /** Bytes that the search has skipped and not reported yet. */
  private skipped = 0;
  /** Bytes that the last whole search looked at. */
  private searched = 0;

  constructor(start: 'preface' | 'frames' | 'middle') {
    this.state = start === 'middle' ? 'search' : start;
    this.largest = start === 'middle' ? null : 16_384;
  }

  /** Bytes are missing here. Returns how many of those before can no longer be read. */
  lose(): Skipped[] {
    this.skipped += this.to - this.from;
    this.from = 0;
    this.to = 0;
    this.searched = 0;
    this.state = 'search';
    return this.tellSkipped();
  }

  /** Ends the input: bytes that are buffered have no end. */
  end(): Skipped[] {
    return this.lose();
  }

  push(bytes: Uint8Array): (Frame | Skipped)[] {
    const out: (Frame | Skipped)[] = [];
    const pieceStart = this.to - this.from;
    this.append(bytes);
    let fresh = true;
    for (;;) {
      const rest = this.buffer.subarray(this.from, this.to);
      if (this.state === 'preface') {
        const n = Math.min(rest.length, PREFACE.length);
        if (!PREFACE.subarray(0, n).every((byte, i) => byte === rest[i])) this.startSearch();
        else if (rest.length < PREFACE.length) break;
        else {
          this.state = 'frames';
          this.from += PREFACE.length;
        }
      } else if (this.state === 'search') {
        const skip = this.search(rest, fresh ? pieceStart : 0);
        fresh = false;
        if (skip === null) break;
        this.skipped += skip;
        this.from += skip;
        this.searched = 0;
        this.state = 'frames';
        out.push(...this.tellSkipped());
      } else {
        if (rest.length < HEADER) break;
        if (!this.plausible(rest)) {
          this.startSearch();
          continue;
        }
        const length = lengthOf(rest);
        if (rest.length < HEADER + length) break;
        this.from += HEADER + length;
        out.push({
          type: rest[3] as number,
          flags: rest[4] as number,
          stream: streamOf(rest),
          payload: rest.subarray(HEADER, HEADER + length),
        });
      }
    }
    return out;
  }

  private append(bytes: Uint8Array): void {
    if (this.from === this.to) {
      this.from = 0;
      this.to = 0;
      // A frame of megabytes has left a large buffer.
      if (this.buffer.length > KEPT) this.buffer = new Uint8Array(0);
    }
    if (this.to + bytes.length > this.buffer.length) {
      const held = this.buffer.subarray(this.from, this.to);
      const size = held.length + bytes.length;
      // Frames that were given out are in the old one.
      const grown = new Uint8Array(Math.max(2 * size, 1024));
      grown.set(held);
      this.buffer = grown;
      this.to -= this.from;
      this.from = 0;
    }
    this.buffer.set(bytes, this.to);
    this.to += bytes.length;
  }

  /** Skips a byte, which begins no frame, and searches on. */
  private startSearch(): void {
    this.state = 'search';
    this.searched = 0;
    this.from++;
    this.skipped++;
  }

  private tellSkipped(): Skipped[] {
    const { skipped } = this;
    this.skipped = 0;
    return skipped > 0 ? [{ skipped }] : [];
  }

  /** Returns the number of bytes before the first frame; null if more bytes are needed. */
  private search(bytes: Uint8Array, pieceStart: number): number | null {
    // A piece that has whole frames and nothing else: programs write so.
    const aligned = this.framesAt(bytes, pieceStart, Number.POSITIVE_INFINITY);
    if (aligned.frames > 0 && aligned.end === bytes.length) return pieceStart;
    if (bytes.length < this.searched + SEARCH_STEP && this.searched > 0) return null;
    for (let at = 0; at + HEADER <= bytes.length; at++) if (this.framesAt(bytes, at, SURE).frames === SURE) return at;
    this.searched = bytes.length;
    const surplus = bytes.length - SEARCHED;
    if (surplus > 0) {
      this.from += surplus;
      this.skipped += surplus;
      this.searched -= surplus;
    }
    return null;
  }

  /** Counts the frames in a row, at most `most`, and returns where the last one ends. */
  private framesAt(bytes: Uint8Array, at: number, most: number): { frames: number; end: number } {
    let end = at;
    let frames = 0;
    while (frames < most && end + HEADER <= bytes.length && this.plausible(bytes, end)) {
      end += HEADER + lengthOf(bytes, end);
      frames++;
    }
    return { frames, end };
  }

  private plausible(bytes: Uint8Array, at = 0): boolean {
    const length = lengthOf(bytes, at);
    const type = bytes[at + 3] as number;
    if (((bytes[at + 5] as number) & 0x80) !== 0 || length > (this.largest ?? LIKELY)) return false;
    const shape = SHAPES[type];
    // HTTP/2 ignores types of frames that are unknown, but a search does not take them for frames.
    if (!shape) return this.state === 'frames';
    if (length < shape.least || length > shape.most) return false;
    if (type === FrameType.SETTINGS && length % 6 !== 0) return false;
    if (shape.stream !== null && shape.stream !== streamOf(bytes, at) > 0) return false;
    // Programs that speak gRPC send neither.
    return this.state === 'frames' || (type !== FrameType.PUSH_PROMISE && type !== FrameType.PRIORITY);
  }
}

/**
 * Returns the content of DATA, HEADERS and PUSH_PROMISE without padding and priority; null if the frame is malformed.
 */
export function contentOf({ type, flags, payload }: Frame): Uint8Array | null {
  let from = 0;
  let to = payload.length;
  if (type !== FrameType.CONTINUATION && flags & FrameFlag.PADDED) {
    if (to === 0) return null;
    from = 1;
    to -= payload[0] as number;
  }
  if (type === FrameType.HEADERS && flags & FrameFlag.PRIORITY) from += 5;
  if (type === FrameType.PUSH_PROMISE) from += 4;
  return from <= to ? payload.subarray(from, to) : null;
}

/** An unsigned number of 32 bits. */
export const uint32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) * 2 ** 24 + ((bytes[at + 1] ?? 0) << 16) + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0)) >>>
  0;
const lengthOf = (bytes: Uint8Array, at = 0): number =>
  ((bytes[at] as number) << 16) + ((bytes[at + 1] as number) << 8) + (bytes[at + 2] as number);
const streamOf = (bytes: Uint8Array, at = 0): number => uint32(bytes, at + 5) & 0x7fff_ffff;
