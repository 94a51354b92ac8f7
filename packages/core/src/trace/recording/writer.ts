import { utf8Bytes } from '../../base/index.js';
import type { Seq, TraceRecord } from '../records.js';
import { reduce } from '../state/reducer.js';
import { initialState, type NodeState } from '../state/state.js';
import { type BlockEntry, encodeIndex } from './block-index.js';
import { crc32 } from './bytes.js';
import { DeltaBase } from './delta.js';
import {
  FORMAT,
  RECORDING_VERSION,
  type RecordedRun,
  RecordingError,
  type RecordingInfo,
  STATE_VERSION,
} from './header.js';
import {
  BLOCK,
  BLOCK_HEADER,
  type BlockHeader,
  CODEC,
  encodeBlockHeader,
  encodePreamble,
  encodeTrailer,
  LARGEST_BLOCK,
} from './layout.js';
import { Lz4Compressor } from './lz4.js';
import { RecordPacker } from './pack.js';

export interface WriterOptions {
  /** Records of a block; smaller ones are found sooner, larger ones repeat themselves more. Default 2048. */
  readonly block?: number;
  /** Records between two checkpoints of the state, at least: a large state has more between. Default 2048. */
  readonly checkpoint?: number;
  /** Compress blocks. Default true. */
  readonly compress?: boolean;
  /** The state that earlier records made, if the first one is not the run's first. */
  readonly base?: NodeState;
}

/** Characters of a block before it is written, whatever its records are. */
const BLOCK_TEXT = 2 * 1024 * 1024;
/**
 * A checkpoint is the whole state: this many times the text of the records since the last one may be written for it,
 * and no more. A recording then grows with its records, however much the state holds.
 */
const STATE_PER_RECORDS = 4;
/** Most states in a row that are written as a difference from the one before: a reader goes through them all. */
const LONGEST_CHAIN = 7;

/**
 * Writes a recording as it happens, in whole blocks: a crash costs what `flush` has not written. Checkpoints of the
 * state go between them, so that any moment can be shown without reading all before it; `close` adds the index.
 */
export class RecordingWriter {
  /** Records taken so far, and bytes handed out. */
  records = 0;
  bytes = 0;
  private readonly packer = new RecordPacker();
  private readonly lz4: Lz4Compressor | null;
  private readonly state: NodeState;
  private readonly index: BlockEntry[] = [];
  private readonly blockSize: number;
  private readonly checkpointEvery: number;
  private last: Seq = 0;
  private sinceState = 0;
  /** Characters of the records since the last state. */
  private textSinceState = 0;
  /** The last state in the file, and how many differences follow the last whole state. */
  private base: DeltaBase | null = null;
  private chain = 0;
  private foldable = true;
  private closed = false;
  private runText: string | null;

  /** `write` gets whole blocks, in order, and may keep them; it must not throw. */
  constructor(
    private readonly write: (chunk: Uint8Array) => void,
    info: RecordingInfo,
    options: WriterOptions = {},
  ) {
    this.lz4 = options.compress === false ? null : new Lz4Compressor();
    this.blockSize = Math.max(1, options.block ?? 2048);
    this.checkpointEvery = Math.max(1, options.checkpoint ?? 2048);
    this.state = options.base ? (JSON.parse(JSON.stringify(options.base)) as NodeState) : initialState();
    this.runText = info.run ? JSON.stringify(info.run) : null;
    this.out(encodePreamble(RECORDING_VERSION));
    const header = { format: FORMAT, version: RECORDING_VERSION, stateVersion: STATE_VERSION, ...info };
    this.block(BLOCK.header, utf8Bytes(JSON.stringify(header)), { codec: CODEC.none });
    if (options.base) this.checkpoint();
  }

  /**
   * Takes the next record. Throws a RecordingError, and writes nothing, for a value that is not a record, for a record
   * that does not follow the last one, and after `close`.
   */
  push(record: TraceRecord): void {
    if (this.closed) throw new RecordingError('the recording is closed: no more records can be written to it');
    if (record.seq <= this.last && this.last > 0)
      throw new RecordingError(`record ${record.seq} comes after record ${this.last}: records are written in order`, {
        seq: record.seq,
      });
    this.packer.add(record);
    this.last = record.seq;
    this.records++;
    this.sinceState++;
    this.fold(record);
    if (this.packer.count >= this.blockSize || this.packer.size >= BLOCK_TEXT) this.flush();
  }

  /** Replaces how the run is repeated, after another intervention. The last call counts. */
  run(run: RecordedRun): void {
    const text = JSON.stringify(run);
    if (this.closed || text === this.runText) return;
    this.flush();
    this.runText = text;
    this.block(BLOCK.run, utf8Bytes(text), {});
  }

  /** Writes what is gathered as a block. Call it now and then. */
  flush(): void {
    const { packer } = this;
    if (packer.count === 0) return;
    const { count, firstSeq, lastSeq, firstTime, lastTime, size } = packer;
    this.block(BLOCK.records, packer.take(), { count, firstSeq, lastSeq, firstTime, lastTime });
    this.textSinceState += size;
    const affords = this.textSinceState * STATE_PER_RECORDS >= (this.base?.bytes.length ?? 0);
    if (this.sinceState >= this.checkpointEvery && affords) this.checkpoint();
  }

  /** Writes the rest and the index. Records after it are ignored or refused. */
  close(): void {
    if (this.closed) return;
    this.flush();
    this.closed = true;
    const at = this.bytes;
    this.block(BLOCK.index, encodeIndex(this.index), {});
    this.out(encodeTrailer(at));
  }

  private fold(record: TraceRecord): void {
    if (!this.foldable) return;
    try {
      reduce(this.state, record);
    } catch {
      // A record that cannot be folded is the reader's to name; there are no checkpoints from here on.
      this.foldable = false;
    }
  }

  private checkpoint(): void {
    if (!this.foldable) return;
    this.sinceState = 0;
    this.textSinceState = 0;
    const { seq, time } = this.state;
    const head = { firstSeq: seq, lastSeq: seq, firstTime: time, lastTime: time };
    const whole = utf8Bytes(JSON.stringify(this.state));
    if (whole.length > LARGEST_BLOCK) {
      this.foldable = false;
      return;
    }
    const delta = this.base && this.chain < LONGEST_CHAIN ? this.base.encode(whole) : null;
    const tells = delta !== null && delta.length < whole.length / 2;
    this.chain = tells ? this.chain + 1 : 0;
    this.base = new DeltaBase(whole);
    this.block(tells ? BLOCK.delta : BLOCK.state, tells ? delta : whole, head);
  }

  private block(type: number, raw: Uint8Array, head: Partial<BlockHeader>): void {
    if (raw.length > LARGEST_BLOCK)
      throw new RecordingError(
        `a block of ${raw.length} bytes is too large for a recording (${LARGEST_BLOCK}): a record must be smaller`,
      );
    let stored = raw;
    let codec: number = CODEC.none;
    if (this.lz4 && head.codec !== CODEC.none) {
      const packed = this.lz4.compress(raw);
      if (packed.length < raw.length) {
        stored = packed;
        codec = CODEC.lz4;
      }
    }
    const header: BlockHeader = {
      count: 0,
      firstSeq: 0,
      lastSeq: 0,
      firstTime: 0,
      lastTime: 0,
      ...head,
      type,
      codec,
      stored: stored.length,
      raw: raw.length,
      crc: crc32(stored),
    };
    const { count, firstSeq, lastSeq, firstTime, lastTime } = header;
    this.index.push({ at: this.bytes, type, stored: stored.length, count, firstSeq, lastSeq, firstTime, lastTime });
    const chunk = new Uint8Array(BLOCK_HEADER + stored.length);
    chunk.set(encodeBlockHeader(header));
    chunk.set(stored, BLOCK_HEADER);
    this.out(chunk);
  }

  private out(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.write(chunk);
  }
}
