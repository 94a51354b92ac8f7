/**
 * Stores a text as its differences from an earlier text. Two states of a node are mostly the same, but they stand so
 * far apart in the file that LZ4, which looks back 64 KiB, does not see it.
 */
import { ByteReader, BytesError, ByteWriter } from './bytes.js';

/** Bytes compared at once; the base is indexed at every STRIDE-th byte. */
const STRIDE = 8;
const HASH_BITS = 17;
/**
 * The same bytes are first looked for at most this many bytes from their expected place: a number before them may have
 * grown.
 */
const NEAR = 12;
/**
 * The least length of a piece that becomes a reference, in bytes. A shorter one takes less room itself. A piece that is
 * not near its expected place must be longer, because short ones are often alike by chance.
 */
const LEAST = { here: 12, elsewhere: 64 } as const;

const word4 = (b: Uint8Array, i: number): number =>
  (b[i] as number) | ((b[i + 1] as number) << 8) | ((b[i + 2] as number) << 16) | ((b[i + 3] as number) << 24);
const hash8 = (b: Uint8Array, i: number): number =>
  (Math.imul(word4(b, i), 2654435761) ^ Math.imul(word4(b, i + 4), 2246822519)) >>> (32 - HASH_BITS);
const same8 = (a: Uint8Array, i: number, b: Uint8Array, j: number): boolean =>
  word4(a, i) === word4(b, j) && word4(a, i + 4) === word4(b, j + 4);

/** A text that other texts are stored as differences from. */
export class DeltaBase {
  private readonly table = new Int32Array(1 << HASH_BITS);

  constructor(readonly bytes: Uint8Array) {
    // The table holds positions plus 1, since 0 means "none". The loop runs backwards: the first of equal pieces wins.
    for (let at = (bytes.length - STRIDE) & ~(STRIDE - 1); at >= 0; at -= STRIDE) this.table[hash8(bytes, at)] = at + 1;
  }

  /** Encodes `target` in terms of this text: its length, then again and again literals and a piece of the base. */
  encode(target: Uint8Array): Uint8Array {
    const { bytes: base, table } = this;
    const out = new ByteWriter();
    out.varint(target.length);
    let anchor = 0;
    /** Position in the base minus position in the target, where both last had the same. */
    let shift = 0;
    for (let at = 0; at + STRIDE <= target.length; ) {
      let from = nearby(base, target, at, shift);
      const least = from < 0 ? LEAST.elsewhere : LEAST.here;
      if (from < 0) from = (table[hash8(target, at)] as number) - 1;
      if (from < 0 || !same8(target, at, base, from)) {
        at++;
        continue;
      }
      let start = at;
      while (start > anchor && from > 0 && target[start - 1] === base[from - 1]) {
        start--;
        from--;
      }
      let end = at + STRIDE;
      let same = from + (end - start);
      while (end < target.length && same < base.length && target[end] === base[same]) {
        end++;
        same++;
      }
      if (end - start < least) {
        at++;
        continue;
      }
      out.varint(start - anchor);
      out.put(target.subarray(anchor, start));
      out.varint(end - start);
      out.zigzag(from - (start + shift));
      shift = from - start;
      anchor = end;
      at = end;
    }
    out.varint(target.length - anchor);
    out.put(target.subarray(anchor));
    return out.view();
  }
}

/**
 * The position at which the base continues like the target at `at`, at most a few bytes from the expected one, because
 * a number may have grown; -1 if there is none.
 */
function nearby(base: Uint8Array, target: Uint8Array, at: number, shift: number): number {
  const expected = at + shift;
  for (let off = 0; off <= NEAR; off++) {
    const after = expected + off;
    if (after >= 0 && after + STRIDE <= base.length && same8(target, at, base, after)) return after;
    const before = expected - off;
    if (before >= 0 && before + STRIDE <= base.length && same8(target, at, base, before)) return before;
  }
  return -1;
}

/** Returns the text that `encode` was given. Throws a BytesError; `most` is the longest text that is made. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, most: number): Uint8Array {
  const reader = new ByteReader(delta);
  const size = reader.varint();
  if (size > most) throw new BytesError(`it says that it has ${size} bytes`);
  const out = new Uint8Array(size);
  let to = 0;
  let shift = 0;
  for (;;) {
    const literals = reader.varint();
    if (literals > delta.length - reader.at || literals > size - to)
      throw new BytesError('it promises more bytes than there are');
    copy(delta, reader.at, out, to, literals);
    reader.at += literals;
    to += literals;
    if (to === size) return out;
    const length = reader.varint();
    const from = to + shift + reader.zigzag();
    if (length === 0 || length > size - to || from < 0 || from + length > base.length)
      throw new BytesError('it refers to bytes that are not there');
    copy(base, from, out, to, length);
    shift = from - to;
    to += length;
  }
}

function copy(src: Uint8Array, from: number, out: Uint8Array, to: number, length: number): void {
  // A view of so few bytes costs more than they do.
  if (length < 200) for (const end = from + length; from < end; ) out[to++] = src[from++] as number;
  else out.set(src.subarray(from, from + length), to);
}
