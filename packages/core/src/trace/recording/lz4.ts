/**
 * The LZ4 block format (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md), both directions. Recordings are
 * the same sentences over and over; this takes them to a fifth in a microsecond a record, without waiting for anybody.
 */
import { BytesError } from './bytes.js';

const HASH_BITS = 16;
/**
 * The last match begins at least 12 bytes before the end, and the last 5 bytes are literals: so the format wants it.
 */
const MATCH_MARGIN = 12;
const TAIL = 5;
const WINDOW = 65_535;

/** Most bytes that `n` bytes can become. */
export const compressedBound = (n: number): number => n + Math.floor(n / 255) + 16;
/** Most bytes that `n` compressed bytes can stand for: one more byte of length is 255 bytes more. */
export const expandedBound = (n: number): number => 255 * n;

/** Compresses; the working memory is kept from one call to the next. */
export class Lz4Compressor {
  private readonly table = new Int32Array(1 << HASH_BITS);
  private out = new Uint8Array(0);

  /** The compressed bytes, valid until the next call. */
  compress(src: Uint8Array): Uint8Array {
    if (this.out.length < compressedBound(src.length)) this.out = new Uint8Array(compressedBound(src.length));
    const { out, table } = this;
    // Positions are kept one up, 0 is "none".
    table.fill(0);
    let to = 0;
    let anchor = 0;
    const lastMatch = src.length - MATCH_MARGIN;
    const matchEnd = src.length - TAIL;
    let patience = 64;
    for (let at = 0; at <= lastMatch; ) {
      const word = word4(src, at);
      const hash = Math.imul(word, 2654435761) >>> (32 - HASH_BITS);
      const candidate = (table[hash] as number) - 1;
      table[hash] = at + 1;
      if (candidate < 0 || at - candidate > WINDOW || word4(src, candidate) !== word) {
        // Look less often while nothing repeats.
        at += patience++ >> 6;
        continue;
      }
      patience = 64;
      let start = at;
      let from = candidate;
      while (start > anchor && from > 0 && src[start - 1] === src[from - 1]) {
        start--;
        from--;
      }
      let end = at + 4;
      let same = candidate + 4;
      while (end < matchEnd && src[end] === src[same]) {
        end++;
        same++;
      }
      to = sequence(out, to, src, anchor, start, start - from, end - start - 4);
      const mark = end - 2;
      if (mark <= lastMatch) table[Math.imul(word4(src, mark), 2654435761) >>> (32 - HASH_BITS)] = mark + 1;
      at = end;
      anchor = end;
    }
    to = sequence(out, to, src, anchor, src.length, 0, 0);
    return out.subarray(0, to);
  }
}

const word4 = (b: Uint8Array, i: number): number =>
  (b[i] as number) | ((b[i + 1] as number) << 8) | ((b[i + 2] as number) << 16) | ((b[i + 3] as number) << 24);

/** Literals `from` to `end`, then a match (`offset` 0: none, it is the end). Returns where to go on. */
function sequence(
  out: Uint8Array,
  to: number,
  src: Uint8Array,
  from: number,
  end: number,
  offset: number,
  match: number,
): number {
  const literals = end - from;
  out[to++] = (Math.min(literals, 15) << 4) | Math.min(match, 15);
  if (literals >= 15) to = length(out, to, literals - 15);
  if (literals < 32) for (let i = from; i < end; i++) out[to++] = src[i] as number;
  else {
    out.set(src.subarray(from, end), to);
    to += literals;
  }
  if (offset === 0) return to;
  out[to++] = offset & 255;
  out[to++] = offset >> 8;
  return match >= 15 ? length(out, to, match - 15) : to;
}

function length(out: Uint8Array, to: number, rest: number): number {
  for (; rest >= 255; rest -= 255) out[to++] = 255;
  out[to++] = rest;
  return to;
}

/** The bytes that `src` stands for: exactly `size`, else a BytesError. */
export function expand(src: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  const n = src.length;
  let at = 0;
  let to = 0;
  while (at < n) {
    const token = src[at++] as number;
    let literals = token >> 4;
    if (literals === 15) {
      let byte: number;
      do {
        if (at >= n) throw new BytesError('it ends within a length');
        byte = src[at++] as number;
        literals += byte;
      } while (byte === 255);
    }
    if (literals > n - at || literals > size - to) throw new BytesError('it promises more bytes than there are');
    if (literals < 32) for (const end = at + literals; at < end; ) out[to++] = src[at++] as number;
    else {
      out.set(src.subarray(at, at + literals), to);
      at += literals;
      to += literals;
    }
    if (at === n) break;
    if (n - at < 2) throw new BytesError('it ends within an offset');
    const offset = (src[at] as number) | ((src[at + 1] as number) << 8);
    at += 2;
    if (offset === 0 || offset > to) throw new BytesError('it refers to bytes before its start');
    let match = (token & 15) + 4;
    if (match === 19) {
      let byte: number;
      do {
        if (at >= n) throw new BytesError('it ends within a length');
        byte = src[at++] as number;
        match += byte;
      } while (byte === 255);
    }
    if (match > size - to) throw new BytesError('it stands for more bytes than it says');
    if (offset >= match && match >= 48) {
      out.copyWithin(to, to - offset, to - offset + match);
      to += match;
    } else for (const end = to + match; to < end; to++) out[to] = out[to - offset] as number;
  }
  if (to !== size) throw new BytesError('it stands for fewer bytes than it says');
  return out;
}
