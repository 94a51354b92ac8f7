/** The blocks of a file: from its index when it was closed properly, else by going from header to header. */
import { ByteReader, BytesError, ByteWriter, crc32 } from './bytes.js';
import { RecordingError } from './header.js';
import {
  BLOCK,
  BLOCK_HEADER,
  type BlockHeader,
  CODEC,
  decodeBlockHeader,
  decodeTrailer,
  LARGEST_BLOCK,
  LARGEST_RATIO,
  MOST_BLOCKS,
  PREAMBLE,
  SMALL_BLOCK,
  TRAILER,
} from './layout.js';
import { expand, expandedBound } from './lz4.js';

/** Bytes with random access: a file, a Blob in a worker, an array. */
export interface RecordingSource {
  readonly size: number;
  /** Returns exactly `length` bytes from `offset` on; it is only asked for what lies within `size`. May throw. */
  read(offset: number, length: number): Uint8Array;
}

/** A block, where it begins, and what its header says. */
export interface BlockEntry {
  readonly at: number;
  readonly type: number;
  readonly stored: number;
  readonly count: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly firstTime: number;
  readonly lastTime: number;
}

export interface BlockList {
  readonly blocks: BlockEntry[];
  /** Byte where the last whole block ends. */
  readonly end: number;
  /** True: it has its index. */
  readonly closed: boolean;
  /** A block begins at `end` that is not whole. */
  readonly broken: boolean;
}

export function encodeIndex(entries: readonly BlockEntry[]): Uint8Array {
  const out = new ByteWriter();
  out.varint(entries.length);
  let at = 0;
  let seq = 0;
  let time = 0;
  for (const e of entries) {
    out.varint(e.type);
    out.varint(e.at - at);
    out.varint(e.stored);
    out.varint(e.count);
    out.zigzag(e.firstSeq - seq);
    out.varint(e.lastSeq - e.firstSeq);
    out.zigzag(e.firstTime - time);
    out.zigzag(e.lastTime - e.firstTime);
    at = e.at;
    seq = e.lastSeq;
    time = e.lastTime;
  }
  return out.view();
}

/** Throws a BytesError for what is not an index. */
export function decodeIndex(bytes: Uint8Array): BlockEntry[] {
  const reader = new ByteReader(bytes);
  const count = reader.varint();
  // Eight numbers each.
  if (count * 8 > bytes.length) throw new BytesError('it promises more blocks than it has');
  const entries: BlockEntry[] = [];
  let [at, seq, time] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const type = reader.varint();
    at += reader.varint();
    const stored = reader.varint();
    const records = reader.varint();
    const firstSeq = seq + reader.zigzag();
    seq = firstSeq + reader.varint();
    const firstTime = time + reader.zigzag();
    time = firstTime + reader.zigzag();
    entries.push({ at, type, stored, count: records, firstSeq, lastSeq: seq, firstTime, lastTime: time });
  }
  return entries;
}

/** Checks the header of a whole block: says what cannot be, '' if all can. */
export function headerProblem(h: BlockHeader): string {
  if (h.codec !== CODEC.none && h.codec !== CODEC.lz4)
    return `it is packed in a way (${h.codec}) that this program does not know`;
  if (h.raw > LARGEST_BLOCK) return `it says that it has ${h.raw} bytes`;
  if (h.codec === CODEC.none ? h.raw !== h.stored : h.raw > expandedBound(h.stored))
    return `it says that its ${h.stored} bytes unpack to ${h.raw}`;
  if (h.type !== BLOCK.records && h.raw > SMALL_BLOCK + LARGEST_RATIO * h.stored)
    return `it says that its ${h.stored} bytes unpack to ${h.raw}`;
  if (h.type === BLOCK.records) {
    // Each record has six numbers and a line.
    if (h.count === 0 || h.count * 6 > h.raw) return `it says that it has ${h.count} records`;
    if (h.firstSeq < 1 || h.lastSeq - h.firstSeq + 1 < h.count || !Number.isSafeInteger(h.lastSeq))
      return `it says that it has ${h.count} records from ${h.firstSeq} to ${h.lastSeq}`;
  }
  return '';
}

/** Reads a block as it is stored: checked, not expanded. Throws a BytesError. */
function readStored(source: RecordingSource, at: number): { header: BlockHeader; stored: Uint8Array } {
  if (at < PREAMBLE || at + BLOCK_HEADER > source.size) throw new BytesError('it lies outside of the file');
  const header = decodeBlockHeader(source.read(at, BLOCK_HEADER));
  if (!header) throw new BytesError('it does not begin as a block does');
  const problem = headerProblem(header);
  if (problem) throw new BytesError(problem);
  if (at + BLOCK_HEADER + header.stored > source.size) throw new BytesError('it is cut off');
  const stored = source.read(at + BLOCK_HEADER, header.stored);
  if (crc32(stored) !== header.crc) throw new BytesError('its checksum is wrong');
  return { header, stored };
}

/**
 * Returns the bytes of a block, checked and expanded, if they are no more than `most`; `admit` may throw before. Throws
 * a BytesError.
 */
export function readBlock(
  source: RecordingSource,
  at: number,
  most = LARGEST_BLOCK,
  admit: (raw: number) => void = () => {},
): { header: BlockHeader; bytes: Uint8Array } {
  const { header, stored } = readStored(source, at);
  if (header.raw > most) throw new BytesError(`it says that it has ${header.raw} bytes, more than ${most}`);
  admit(header.raw);
  return { header, bytes: header.codec === CODEC.lz4 ? expand(stored, header.raw) : stored };
}

/** Lists all blocks of the file. Throws a RecordingError for blocks that contradict each other. */
export function listBlocks(source: RecordingSource): BlockList {
  const list = fromIndex(source) ?? scan(source);
  let seq = 0;
  list.blocks.forEach((b, i) => {
    if (b.type !== BLOCK.records) return;
    if (b.firstSeq <= seq)
      throw new RecordingError(
        `block ${i + 1} at byte ${b.at} is broken: its record ${b.firstSeq} comes after record ${seq}; the file was not written by this program, get it once more`,
        { block: i + 1, byte: b.at },
      );
    seq = b.lastSeq;
  });
  return list;
}

function fromIndex(source: RecordingSource): BlockList | null {
  const end = source.size - TRAILER;
  if (end < PREAMBLE) return null;
  const at = decodeTrailer(source.read(end, TRAILER));
  if (at === null) return null;
  try {
    // It reports each block in no more bytes than the block's own header has.
    const { header, bytes } = readBlock(source, at, source.size);
    if (header.type !== BLOCK.index || at + BLOCK_HEADER + header.stored !== end) return null;
    const blocks = decodeIndex(bytes);
    // One after the other, without holes, up to the index; else it is not this file's.
    let next = PREAMBLE;
    for (const b of blocks) {
      if (b.at !== next || (b.type === BLOCK.records && b.count < 1)) return null;
      next = b.at + BLOCK_HEADER + b.stored;
    }
    return next === at ? { blocks, end, closed: true, broken: false } : null;
  } catch (error) {
    if (error instanceof BytesError) return null;
    throw error;
  }
}

/**
 * Scans from header to header. Of what a crash left, the last blocks are looked at whole: a header may have reached the
 * disk before the rest, which its checksum tells. None is expanded for that.
 */
function scan(source: RecordingSource): BlockList {
  const blocks: BlockEntry[] = [];
  let at = PREAMBLE;
  let broken = false;
  while (at < source.size) {
    const header = at + BLOCK_HEADER <= source.size ? decodeBlockHeader(source.read(at, BLOCK_HEADER)) : null;
    if (!header || headerProblem(header) || at + BLOCK_HEADER + header.stored > source.size) {
      broken = true;
      break;
    }
    const { type, stored, count, firstSeq, lastSeq, firstTime, lastTime } = header;
    if (blocks.length >= MOST_BLOCKS)
      throw new RecordingError(`the recording has more than ${MOST_BLOCKS} blocks: this program cannot open it`);
    blocks.push({ at, type, stored, count, firstSeq, lastSeq, firstTime, lastTime });
    at += BLOCK_HEADER + stored;
  }
  for (let last = blocks.at(-1); last; last = blocks.at(-1)) {
    try {
      readStored(source, last.at);
      break;
    } catch (error) {
      if (!(error instanceof BytesError)) throw error;
      blocks.pop();
      at = last.at;
      broken = true;
    }
  }
  // An index whose trailer is missing is not a block of the recording's own.
  if (blocks.at(-1)?.type === BLOCK.index) blocks.pop();
  return { blocks, end: at, closed: false, broken };
}
