import { countBefore, own, utf8TextStrict } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../records.js';
import { reduce } from '../state/reducer.js';
import { initialState, type NodeState } from '../state/state.js';
import { type BlockEntry, type BlockList, listBlocks, type RecordingSource, readBlock } from './block-index.js';
import { BytesError, viewOf } from './bytes.js';
import {
  FORMAT,
  headerOf,
  parseObject,
  RECORDING_VERSION,
  type RecordedRun,
  RecordingError,
  type RecordingHeader,
  runOf,
  STATE_VERSION,
} from './header.js';
import { gapRecord, isHole } from './holes.js';
import { BLOCK, LARGEST_BLOCK, LARGEST_HEAD, LARGEST_RATIO, PREAMBLE } from './layout.js';
import { type PackedRecords, unpack } from './pack.js';
import { Checkpoints } from './states.js';
import { readableVersion, type Upgrades, upgradeHeader, upgradeRecord, upgrades } from './upgrades.js';
import { asRecord, recordProblem } from './validate.js';
import { searchBytes, searchWords, type WordHit } from './words.js';

/** Records are folded this far without leaving a checkpoint of our own. */
const FAR = 16_384;
/** Runs that are looked at until one can be read. */
const MOST_BROKEN_RUNS = 4;
/** Blocks kept expanded. */
const KEPT = 6;

/** A records block taken apart. `made[i]` is record number `i` of it, once it was asked for. */
interface Open {
  readonly packed: PackedRecords | null;
  readonly made: (TraceRecord | undefined)[];
  /** Missing records before the first one, or all of them. */
  readonly gap: TraceRecord | null;
}

/**
 * A recording of blocks: any record and the state after it, without reading the rest. Blocks are read when they are
 * needed, so that one may turn out to be broken later: then its records are a gap, and `warning` says so.
 */
export class RecordingFile {
  readonly header: RecordingHeader;
  /** Version that the file has itself. */
  readonly writtenVersion: number;
  /** Bytes of the file. */
  readonly size: number;
  /** The blocks as they are in the file. */
  readonly blocks: readonly BlockEntry[];
  /** False: it was not closed, and has no index. */
  readonly closed: boolean;
  /** Positions in `blocks` of those with records. */
  private readonly parts: number[] = [];
  private readonly packedVersion: number;
  private stateVersion = 0;
  private readonly warnings: string[] = [];
  /** Blocks of records that were read, and the bytes that they expanded to. */
  private readonly counted = new Set<number>();
  private expanded = 0;
  private readonly opened = new Map<number, Open>();
  private readonly states: Checkpoints;

  /** Use `openRecording`. */
  constructor(
    private readonly source: RecordingSource,
    private readonly steps: Upgrades = upgrades,
    private readonly current: number = RECORDING_VERSION,
    /** It was text: what reading it said, and what it was. Its records are up to date. */
    text?: { readonly warning: string; readonly version: number; readonly size: number },
  ) {
    this.size = text?.size ?? source.size;
    if (source.size < PREAMBLE)
      throw new RecordingError(
        `the recording is cut off at byte ${source.size}, within its first ${PREAMBLE} bytes: nothing of it can be read`,
        { byte: source.size },
      );
    this.packedVersion = text
      ? current
      : readableVersion(viewOf(source.read(0, PREAMBLE)).getUint32(8, true), current, { byte: 8 });
    this.writtenVersion = text?.version ?? this.packedVersion;
    const list = listBlocks(source);
    this.blocks = list.blocks;
    this.closed = list.closed;
    this.header = this.readHeader();
    list.blocks.forEach((b, block) => {
      if (b.type === BLOCK.records) this.parts.push(block);
    });
    this.states = new Checkpoints(source, list.blocks, this.stateVersion === STATE_VERSION);
    if (text?.warning) this.warnings.push(text.warning);
    const cut = this.cutOff(list);
    if (cut !== '') this.warnings.push(cut);
  }

  /** First and last record; both 0 when there are none. */
  get first(): Seq {
    return this.part(0)?.firstSeq ?? 0;
  }
  get last(): Seq {
    return this.part(this.parts.length - 1)?.lastSeq ?? 0;
  }
  get firstTime(): Micros {
    return this.part(0)?.firstTime ?? 0;
  }
  get lastTime(): Micros {
    return this.part(this.parts.length - 1)?.lastTime ?? 0;
  }
  /** Records in the file, without those that stand in for holes. */
  get count(): number {
    let sum = 0;
    for (const i of this.parts) sum += (this.blocks[i] as BlockEntry).count;
    return sum;
  }
  /** The gaps found so far, in sentences; '' if there are none. */
  get warning(): string {
    return this.warnings.join(' ');
  }

  /**
   * Returns at most `max` records from `seq` on, oldest first. Holes are gap records. Throws a RecordingError for a
   * broken record.
   */
  records(seq: Seq, max: number): TraceRecord[] {
    const out: TraceRecord[] = [];
    if (max < 1) return out;
    for (const record of this.iterate(seq)) {
      out.push(record);
      if (out.length >= max) break;
    }
    return out;
  }

  /** The record, or undefined if the recording has none of that number. */
  get(seq: Seq): TraceRecord | undefined {
    const [record] = this.records(seq, 1);
    return record?.seq === seq ? record : undefined;
  }

  /**
   * Yields all records from `seq` on, oldest first. Holes are gap records. Throws a RecordingError for a broken record.
   */
  *iterate(seq: Seq = 0): IterableIterator<TraceRecord> {
    for (let p = this.partOf(seq); p < this.parts.length; p++) {
      const { packed, gap } = this.open(p);
      if (gap && gap.seq >= seq) yield gap;
      if (!packed) continue;
      const { seqs } = packed;
      let before = 0;
      for (let i = lowerBound(seqs, seq); i < seqs.length; i++) {
        before ||= (seqs[i - 1] ?? 0) as number;
        const at = seqs[i] as number;
        const record = this.make(p, i);
        if (before > 0 && at - 1 >= seq && isHole(before, at, record))
          yield gapRecord(before + 1, at - 1, packed.times[i] as number);
        before = at;
        yield record;
      }
    }
  }
  [Symbol.iterator](): IterableIterator<TraceRecord> {
    return this.iterate();
  }

  /**
   * Looks in one block for the records from `from` on that have all words (`wordsIn`). `to`: the last record that was
   * looked at. Throws a RecordingError for a broken record.
   */
  findWords(words: readonly string[], from: Seq): { readonly hits: readonly WordHit[]; readonly to: Seq } {
    const p = this.partOf(from);
    const entry = this.part(p);
    if (!entry) return { hits: [], to: this.last };
    const { lastSeq: to } = entry;
    const packed = this.isPlain(p, entry) && this.searchPacked(p, entry, words, from);
    if (packed) return { hits: packed, to };
    const hits: WordHit[] = [];
    for (const record of this.iterate(from)) {
      if (record.seq > to) break;
      if (searchWords(record, words)) hits.push({ seq: record.seq, time: record.time });
    }
    return { hits, to };
  }

  /** True if the records of a part are as they stand in the file: of today's version, and none is missing. */
  private isPlain(p: number, { count, firstSeq, lastSeq }: BlockEntry): boolean {
    const before = p === 0 ? firstSeq - 1 : (this.part(p - 1)?.lastSeq ?? 0);
    return this.packedVersion === this.current && firstSeq === before + 1 && lastSeq - firstSeq + 1 === count;
  }

  /** Searches a block without making its records; null if it is damaged. */
  private searchPacked(p: number, entry: BlockEntry, words: readonly string[], from: Seq): WordHit[] | null {
    try {
      const { header, bytes } = readBlock(this.source, entry.at, LARGEST_BLOCK, (raw) => this.countExpanded(p, raw));
      const { count, firstSeq: first, firstTime } = header;
      return searchBytes(bytes, { count, first, firstTime }, words, from);
    } catch (error) {
      // Reading its records says what is wrong with it.
      if (error instanceof BytesError || error instanceof TypeError) return null;
      throw error;
    }
  }

  /** The last record that is not later than `time`; 0 when all are. */
  seqAtTime(time: Micros): Seq {
    if (this.parts.length === 0 || this.firstTime > time) return 0;
    const { packed, gap } = this.open(
      countBefore(this.parts.length, (p) => (this.part(p)?.firstTime ?? 0) <= time) - 1,
    );
    if (!packed) return gap?.seq ?? 0;
    const { times, seqs } = packed;
    return seqs[Math.max(0, countBefore(times.length, (i) => (times[i] as number) <= time) - 1)] as number;
  }

  /** The state right after record `seq`: a copy. A RangeError if the recording does not reach. */
  stateAt(seq: Seq): NodeState {
    const { first, last } = this;
    if (!(Number.isInteger(seq) && seq >= Math.max(0, first - 1) && seq <= last))
      throw new RangeError(`record ${seq} is not in the recording: it has ${first} to ${last}`);
    const state = this.states.before(seq) ?? this.emptyState();
    let folded = 0;
    for (const record of state.seq < seq ? this.iterate(state.seq + 1) : []) {
      if (record.seq > seq) break;
      try {
        reduce(state, record);
      } catch (error) {
        throw this.cannotFold(record, error);
      }
      if (++folded % FAR === 0) this.states.keep(state);
      // A broken record after this one does not matter here.
      if (record.seq === seq) break;
    }
    // A number within a hole: what was known before it.
    return state;
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  private part(p: number): BlockEntry | undefined {
    const i = this.parts[p];
    return i === undefined ? undefined : this.blocks[i];
  }

  /** The first part that ends at or after `seq`. */
  private partOf(seq: Seq): number {
    return countBefore(this.parts.length, (p) => (this.part(p)?.lastSeq ?? 0) < seq);
  }

  private open(p: number): Open {
    const held = this.opened.get(p);
    if (held) {
      // The one used last goes last.
      this.opened.delete(p);
      this.opened.set(p, held);
      return held;
    }
    const open = this.readPart(p);
    this.opened.set(p, open);
    for (const key of this.opened.keys()) {
      if (this.opened.size <= KEPT) break;
      this.opened.delete(key);
    }
    return open;
  }

  private readPart(p: number): Open {
    const block = this.parts[p] as number;
    const entry = this.blocks[block] as BlockEntry;
    const before = p === 0 ? entry.firstSeq - 1 : (this.part(p - 1)?.lastSeq ?? 0);
    try {
      const admit = (raw: number) => this.countExpanded(p, raw);
      const { header, bytes } = readBlock(this.source, entry.at, LARGEST_BLOCK, admit);
      if (header.type !== BLOCK.records || header.count !== entry.count || header.firstSeq !== entry.firstSeq)
        throw new BytesError('it is not the block that the index says');
      const packed = unpack(bytes, header.count, header.firstSeq, header.firstTime);
      if (packed.seqs[0] !== entry.firstSeq || packed.seqs[header.count - 1] !== entry.lastSeq)
        throw new BytesError('its records do not match its header');
      const hole = entry.firstSeq > before + 1 && isHole(before, entry.firstSeq, packed.raw(0));
      return {
        packed,
        made: new Array(header.count),
        gap: hole ? gapRecord(before + 1, entry.firstSeq - 1, entry.firstTime) : null,
      };
    } catch (error) {
      // BytesError: what was written is not there. TypeError: it is not UTF-8.
      if (!(error instanceof BytesError || error instanceof TypeError)) throw error;
      const what = error instanceof BytesError ? error.message : 'its text is not UTF-8';
      const place = `Block ${block + 1} at byte ${entry.at} is broken (${what})`;
      this.warn(`${place}: records ${entry.firstSeq} to ${entry.lastSeq} are missing.`);
      return { packed: null, made: [], gap: gapRecord(before + 1, entry.lastSeq, entry.firstTime) };
    }
  }

  /**
   * Counts the bytes that blocks of records expanded to, those that were read. Throws a RecordingError for more than
   * there may be.
   */
  private countExpanded(p: number, raw: number): void {
    if (this.counted.has(p)) return;
    this.counted.add(p);
    this.expanded += raw;
    const most = Math.max(LARGEST_BLOCK, LARGEST_RATIO * this.source.size);
    if (this.expanded > most)
      throw new RecordingError(
        `the recording's ${this.source.size} bytes unpack to more than ${most}: it was not written by this program, and is not read any further`,
        { byte: this.part(p)?.at ?? 0 },
      );
  }

  private make(p: number, i: number): TraceRecord {
    const { packed, made } = this.open(p);
    const held = made[i];
    if (held) return held;
    const seq = packed?.seqs[i] as number;
    let raw: ReturnType<PackedRecords['raw']>;
    try {
      raw = (packed as PackedRecords).raw(i);
    } catch (error) {
      if (!(error instanceof BytesError)) throw error;
      throw this.broken(p, seq, error.message);
    }
    raw = upgradeRecord(raw, this.packedVersion, this.current, this.steps);
    const problem = own(raw, 'seq') === seq ? recordProblem(raw) : 'its seq is not the one that the block says';
    if (problem !== '') throw this.broken(p, seq, `record ${seq} is broken: ${problem}`);
    const record = asRecord(raw);
    made[i] = record;
    return record;
  }

  private broken(p: number, seq: Seq, what: string): RecordingError {
    const block = (this.parts[p] as number) + 1;
    const byte = this.part(p)?.at ?? 0;
    return new RecordingError(
      `block ${block} at byte ${byte}: ${what}; the file was not written by this program, or was changed: get it once more`,
      { block, byte, seq },
    );
  }

  private warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  // --- header and end ------------------------------------------------------------------------------------------------

  private readHeader(): RecordingHeader {
    const [entry] = this.blocks;
    const place = { block: 1, byte: PREAMBLE };
    const wrong = (what: string) =>
      new RecordingError(
        `the recording's header, block 1 at byte ${PREAMBLE}, is broken: ${what}; nothing can be read without it, get the file once more`,
        place,
      );
    if (!entry) throw wrong(this.size <= PREAMBLE ? 'it is not there' : 'it is cut off, or was changed');
    if (entry.type !== BLOCK.header) throw wrong('another block stands in its place');
    const raw = this.object(entry);
    if (typeof raw === 'string') throw wrong(raw);
    if (own(raw, 'format') !== FORMAT) throw wrong(`it is not a ${FORMAT}`);
    this.stateVersion = own(raw, 'stateVersion') === STATE_VERSION ? STATE_VERSION : 0;
    const header = headerOf(upgradeHeader(raw, this.packedVersion, this.current, this.steps), place);
    const run = this.lastRun();
    return { ...header, version: this.current, ...(run && { run }) };
  }

  /** The run of the file's last `run` block. */
  private lastRun(): RecordedRun | null {
    let broken = 0;
    for (let i = this.blocks.length - 1; i >= 0 && broken < MOST_BROKEN_RUNS; i--) {
      const entry = this.blocks[i] as BlockEntry;
      if (entry.type !== BLOCK.run) continue;
      broken++;
      const raw = this.object(entry);
      if (typeof raw !== 'string') return runOf(raw, { block: i + 1, byte: entry.at });
      this.warn(`Block ${i + 1} at byte ${entry.at} is broken (${raw}): what was done during the run is incomplete.`);
    }
    return null;
  }

  /** The JSON object in a block, or what is wrong with it. */
  private object(entry: BlockEntry) {
    try {
      const { bytes } = readBlock(this.source, entry.at, LARGEST_HEAD);
      return parseObject(utf8TextStrict(bytes)) ?? 'it is not a JSON object';
    } catch (error) {
      if (error instanceof BytesError) return error.message;
      if (error instanceof TypeError) return 'its text is not UTF-8';
      throw error;
    }
  }

  private cutOff({ blocks, end, closed, broken }: BlockList): string {
    if (closed) return '';
    const { last } = this;
    const ends = last === 0 ? 'it has no records' : `it ends with record ${last}`;
    if (broken) return `The recording is cut off in block ${blocks.length + 1} at byte ${end}; ${ends}.`;
    return `The recording was not closed; ${ends}.`;
  }

  // --- states ------------------------------------------------------------------------------------------------------

  private emptyState(): NodeState {
    const state = initialState();
    // Watched from its middle on: what was before is not known.
    if (this.first > 1) state.seq = this.first - 1;
    return state;
  }

  private cannotFold(record: TraceRecord, error: unknown): RecordingError {
    const why = error instanceof Error ? error.message : String(error);
    return new RecordingError(
      `record ${record.seq} (${record.kind}) does not fit what came before it: ${why}; the file was changed, get it once more`,
      { seq: record.seq },
    );
  }
}

/** The first position whose number is at least `n`. */
function lowerBound(sorted: Float64Array, n: number): number {
  return countBefore(sorted.length, (i) => (sorted[i] as number) < n);
}
