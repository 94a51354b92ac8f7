/**
 * The file: a signature, blocks one after the other, and when it was closed properly a trailer that leads to the index.
 */
import { utf8Bytes } from '../../base/index.js';
import { crc32, getUint53, setUint53, viewOf } from './bytes.js';

/**
 * Built like PNG's signature: a byte that is not text, a name, both line ends and an end-of-file mark, so that a
 * transfer that mangles shows.
 */
export const SIGNATURE = Uint8Array.of(0x8b, 0x53, 0x4c, 0x52, 0x0d, 0x0a, 0x1a, 0x0a);
/** Signature and the version in four bytes: this much stays in every version. */
export const PREAMBLE = 12;
export const BLOCK_HEADER = 64;
export const TRAILER = 16;

/** `delta`: a state, stored as the difference from the one in the last `state` or `delta` block before it. */
export const BLOCK = { header: 1, records: 2, state: 3, run: 4, index: 5, delta: 6 } as const;
export const CODEC = { none: 0, lz4: 1 } as const;

/** No block is larger than this when expanded: a reader needs that much memory, whatever a file says. */
export const LARGEST_BLOCK = 64 * 1024 * 1024;
/** No header and no run is larger than this when expanded. */
export const LARGEST_HEAD = 16 * 1024 * 1024;
/**
 * All blocks of records together expand to no more than so many times the file's bytes, or to one largest block if that
 * is more; any other block to no more than this many times its own bytes. Blocks that this program writes expand to 5
 * to 30 times.
 */
export const LARGEST_RATIO = 100;
/** Blocks of fewer bytes may be anything. */
export const SMALL_BLOCK = 64 * 1024;
/** Most blocks of a file. */
export const MOST_BLOCKS = 2_000_000;

const MARK = 0x424c4c53;

/** One block as its header tells it. Seqs and times are 0 if there are none. */
export interface BlockHeader {
  readonly type: number;
  readonly codec: number;
  /** Bytes in the file, after the header, and bytes expanded. */
  readonly stored: number;
  readonly raw: number;
  /** Records in it. */
  readonly count: number;
  readonly crc: number;
  readonly firstSeq: number;
  /** A state block: the record whose state it is. */
  readonly lastSeq: number;
  readonly firstTime: number;
  readonly lastTime: number;
}

export function encodeBlockHeader(h: BlockHeader): Uint8Array {
  const bytes = new Uint8Array(BLOCK_HEADER);
  const view = viewOf(bytes);
  view.setUint32(0, MARK, true);
  bytes[4] = h.type;
  bytes[5] = h.codec;
  view.setUint32(8, h.stored, true);
  view.setUint32(12, h.raw, true);
  view.setUint32(16, h.count, true);
  view.setUint32(20, h.crc, true);
  setUint53(view, 24, h.firstSeq);
  setUint53(view, 32, h.lastSeq);
  setUint53(view, 40, h.firstTime);
  setUint53(view, 48, h.lastTime);
  view.setUint32(60, crc32(bytes.subarray(0, 60)), true);
  return bytes;
}

/** Decodes a block's header; null for any other bytes. */
export function decodeBlockHeader(bytes: Uint8Array): BlockHeader | null {
  if (bytes.length < BLOCK_HEADER) return null;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== MARK || view.getUint32(60, true) !== crc32(bytes.subarray(0, 60))) return null;
  return {
    type: bytes[4] as number,
    codec: bytes[5] as number,
    stored: view.getUint32(8, true),
    raw: view.getUint32(12, true),
    count: view.getUint32(16, true),
    crc: view.getUint32(20, true),
    firstSeq: getUint53(view, 24),
    lastSeq: getUint53(view, 32),
    firstTime: getUint53(view, 40),
    lastTime: getUint53(view, 48),
  };
}

export function encodePreamble(version: number): Uint8Array {
  const bytes = new Uint8Array(PREAMBLE);
  bytes.set(SIGNATURE);
  viewOf(bytes).setUint32(8, version, true);
  return bytes;
}
export const hasSignature = (bytes: Uint8Array): boolean =>
  bytes.length >= SIGNATURE.length && SIGNATURE.every((b, i) => bytes[i] === b);

const END = utf8Bytes('SLR.');

export function encodeTrailer(indexAt: number): Uint8Array {
  const bytes = new Uint8Array(TRAILER);
  const view = viewOf(bytes);
  setUint53(view, 0, indexAt);
  view.setUint32(8, crc32(bytes.subarray(0, 8)), true);
  bytes.set(END, 12);
  return bytes;
}
/** The byte at which the index block begins; null if the file does not end with a trailer. */
export function decodeTrailer(bytes: Uint8Array): number | null {
  if (bytes.length !== TRAILER || !END.every((b, i) => bytes[12 + i] === b)) return null;
  const view = viewOf(bytes);
  return view.getUint32(8, true) === crc32(bytes.subarray(0, 8)) ? getUint53(view, 0) : null;
}
