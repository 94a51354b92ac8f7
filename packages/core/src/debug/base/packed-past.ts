import { countBefore } from '../../base/index.js';
import {
  type Micros,
  type NodeState,
  OpenedBlock,
  openState,
  type PackedBlock,
  type PackedState,
  Packing,
  reduce,
  type Seq,
  searchBlock,
  type TraceRecord,
} from '../../trace/index.js';
import type { Chunk, Past, Spill } from './record-store.js';

/** Most bytes that the packed records and states of one run take (docs/developers/decisions/0019). */
export const PAST_BYTES = 320 * 1024 * 1024;
/**
 * A state is kept where reading on from the one before would take this much more bytes than reading the state itself:
 * so often that any moment is near one, and seldom where states are large.
 */
const STATE_WORTH = 4;
const LEAST_APART = 1024 * 1024;
/** States that are thinned are never further apart than this, in records. */
const MOST_APART = 65_536;
/** The number of blocks that stay unpacked. */
const OPENED = 16;

interface Block {
  /** Their bytes are elsewhere if `away` is set. */
  records: PackedBlock;
  away?: (() => Uint8Array) | undefined;
  readonly last: Seq;
  /** After the record before its first one, if it is kept. */
  state: PackedState | null;
}

const NONE = new Uint8Array(0);
const bytesOf = ({ records, state }: Block) => records.bytes.length + (state?.bytes.length ?? 0);

/**
 * The records of a run that a store no longer holds, packed: with the states some 35 bytes each instead of 300. Any of
 * them, and the state after any, can be read again in a time that does not depend on how long the run is. Beyond its
 * budget it takes the oldest records elsewhere if it has a place for them; else it first keeps fewer of the older
 * states, then fewer of the oldest records.
 */
export class PackedPast implements Past {
  private blocks: Block[] = [];
  private used = 0;
  /** Bytes of records, expanded, since the last state that is kept. */
  private sinceState = Number.POSITIVE_INFINITY;
  /** Bytes of the last state that is kept, expanded: about what the next one has. */
  private stateSize = 0;
  /** Made when it is first needed: most runs never are this long. */
  private made: Packing | null = null;
  private get packing(): Packing {
    this.made ??= new Packing();
    return this.made;
  }
  /** The least recently used comes first. */
  private readonly opened = new Map<Seq, OpenedBlock>();
  /** Blocks before this one keep no more states than they must. */
  private thinned = 0;

  /** Blocks whose records are elsewhere. */
  private spilled = 0;

  /** `apart`: least bytes of records between two states, expanded. `spill` takes records beyond the budget. */
  constructor(
    private readonly budget: number = PAST_BYTES,
    private readonly apart: number = LEAST_APART,
    private readonly spill?: Spill,
  ) {}

  get first(): Seq {
    return this.blocks[0]?.records.first ?? Number.POSITIVE_INFINITY;
  }
  get last(): Seq {
    return this.blocks[this.blocks.length - 1]?.last ?? 0;
  }
  /** Bytes that it takes. */
  get bytes(): number {
    return this.used;
  }
  /** States that it keeps. */
  get states(): number {
    return this.blocks.filter((b) => b.state).length;
  }

  add({ first, state, records }: Chunk): void {
    const known = this.blocks.length > 0 ? this.last : first - 1;
    const fresh = records.slice(Math.max(0, known + 1 - first));
    if (fresh.length === 0 || first > known + 1) return;
    const packed = this.packing.records(fresh);
    const block: Block = { records: packed, last: packed.first + packed.count - 1, state: null };
    if (first === known + 1 && this.sinceState >= Math.max(this.apart, STATE_WORTH * this.stateSize)) {
      block.state = this.packing.state(state);
      this.stateSize = block.state.size;
      this.sinceState = 0;
    }
    // Without a state before them records are of no use.
    if (this.blocks.length === 0 && !block.state) return;
    this.sinceState += packed.size;
    this.blocks.push(block);
    this.used += bytesOf(block);
    while (this.used > this.budget && this.blocks.length > 1)
      if (!this.spillOldest() && !this.thin()) this.dropOldest();
  }

  /** Takes the records of the oldest block out of memory. False if they have no other place. */
  private spillOldest(): boolean {
    const block = this.blocks[this.spilled];
    if (!this.spill || !block || this.spilled >= this.blocks.length - 1) return false;
    const { bytes } = block.records;
    try {
      block.away = this.spill(bytes);
    } catch {
      // There is no room elsewhere either.
      return false;
    }
    block.records = { ...block.records, bytes: NONE };
    this.used -= bytes.length;
    this.spilled++;
    return true;
  }
  /** The packed records of a block, from wherever they are. */
  private recordsOf({ records, away }: Block): PackedBlock {
    return away ? { ...records, bytes: away() } : records;
  }

  /** Removes every second state of the older half. Returns false if there was none to remove. */
  private thin(): boolean {
    const half = this.blocks.length >> 1;
    if (half - this.thinned < half / 4) return false;
    let before = this.first;
    let odd = false;
    for (let i = 1; i < half; i++) {
      const block = this.blocks[i] as Block;
      if (!block.state) continue;
      odd = !odd;
      if (odd && this.nextState(i) - before <= MOST_APART) {
        this.used -= block.state.bytes.length;
        block.state = null;
      } else before = block.records.first;
    }
    this.thinned = half;
    return true;
  }
  private nextState(i: number): Seq {
    for (let k = i + 1; k < this.blocks.length; k++) {
      const { state, records } = this.blocks[k] as Block;
      if (state) return records.first;
    }
    return this.last;
  }
  private dropOldest(): void {
    let n = 1;
    while (n < this.blocks.length && !(this.blocks[n] as Block).state) n++;
    for (const block of this.blocks.splice(0, n)) this.used -= bytesOf(block);
    this.thinned = Math.max(0, this.thinned - n);
    this.spilled = Math.max(0, this.spilled - n);
  }

  get(seq: Seq): TraceRecord | undefined {
    const block = this.blocks[this.indexOf(seq)];
    if (!block || seq < block.records.first || seq > block.last) return undefined;
    const { first } = block.records;
    const opened = this.opened.get(first) ?? new OpenedBlock(this.recordsOf(block));
    this.opened.delete(first);
    this.opened.set(first, opened);
    for (const key of this.opened.keys()) {
      if (this.opened.size <= OPENED) break;
      this.opened.delete(key);
    }
    return opened.get(seq);
  }

  findWords(words: readonly string[], from: Seq): { hits: { seq: Seq; time: Micros }[]; to: Seq } {
    const block = this.blocks[Math.max(0, this.indexOf(from))];
    if (!block || block.last < from) return { hits: [], to: from };
    return { hits: searchBlock(this.recordsOf(block), words, from), to: block.last };
  }

  stateBefore(seq: Seq): NodeState | null {
    for (let i = this.indexOf(seq + 1); i >= 0; i--) {
      const state = this.blocks[i]?.state;
      if (state) return openState(state);
    }
    return null;
  }
  stateAt(seq: Seq): NodeState {
    const state = this.stateBefore(seq);
    if (!state) throw new RangeError(`record ${seq} is not in memory, which has ${this.first} to ${this.last}`);
    for (let s = state.seq + 1; s <= seq; s++) reduce(state, this.get(s) as TraceRecord);
    return state;
  }

  seqAt(time: Micros): Seq {
    const { blocks } = this;
    const block =
      blocks[Math.max(0, countBefore(blocks.length, (i) => (blocks[i] as Block).records.firstTime <= time) - 1)];
    if (!block) return 0;
    const { first } = block.records;
    return first - 1 + countBefore(block.last - first + 1, (i) => (this.get(first + i)?.time ?? 0) <= time);
  }

  until(seq: Seq): PackedPast {
    const past = new PackedPast(this.budget, this.apart, this.spill);
    past.blocks = this.blocks.filter((b) => b.last <= seq).map((b) => ({ ...b }));
    past.used = past.blocks.reduce((sum, b) => sum + bytesOf(b), 0);
    past.thinned = Math.min(this.thinned, past.blocks.length);
    past.spilled = Math.min(this.spilled, past.blocks.length);
    past.sinceState = 0;
    past.stateSize = this.stateSize;
    for (const b of past.blocks) past.sinceState = b.state ? b.records.size : past.sinceState + b.records.size;
    if (past.blocks.length === 0) past.sinceState = Number.POSITIVE_INFINITY;
    return past;
  }

  /** The index of the last block that begins at or before `seq`; -1 if no block does. */
  private indexOf(seq: Seq): number {
    const { blocks } = this;
    return countBefore(blocks.length, (i) => (blocks[i] as Block).records.first <= seq) - 1;
  }
}
