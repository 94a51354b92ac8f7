/** Records and states of a run in memory, packed as the blocks of a recording are. */
import { utf8Bytes, utf8TextStrict } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../records.js';
import { cloneState, type NodeState } from '../state/state.js';
import { expand, Lz4Compressor } from './lz4.js';
import { type PackedRecords, RecordPacker, unpack } from './pack.js';

/** `size`: bytes once it is expanded. */
interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number;
}
/** Records that come one after the other. */
export interface PackedBlock extends Packed {
  readonly first: Seq;
  readonly count: number;
  readonly firstTime: Micros;
}
export type PackedState = Packed;

/** Packs one block at a time; the caller keeps the result. */
export class Packing {
  private readonly lz4 = new Lz4Compressor();
  private readonly packer = new RecordPacker();

  /** Packs at least one record, without holes between them. */
  records(records: readonly TraceRecord[]): PackedBlock {
    const { packer } = this;
    for (const record of records) packer.add(record);
    const { count, firstSeq: first, firstTime } = packer;
    return { first, count, firstTime, ...this.pack(packer.take()) };
  }
  state(state: NodeState): PackedState {
    return this.pack(utf8Bytes(JSON.stringify(state)));
  }
  private pack(raw: Uint8Array): Packed {
    return { bytes: this.lz4.compress(raw).slice(), size: raw.length };
  }
}

/** A packed block that was opened; each record is made when it is first asked for. */
export class OpenedBlock {
  private readonly packed: PackedRecords;
  private readonly made: (TraceRecord | undefined)[];

  constructor(private readonly block: PackedBlock) {
    const { bytes, size, count, first, firstTime } = block;
    this.packed = unpack(expand(bytes, size), count, first, firstTime);
    this.made = new Array(count);
  }
  get(seq: Seq): TraceRecord | undefined {
    const i = seq - this.block.first;
    if (i < 0 || i >= this.block.count) return undefined;
    this.made[i] ??= this.packed.raw(i) as unknown as TraceRecord;
    return this.made[i];
  }
}

/** The state that was packed: a copy of its own. */
export const openState = ({ bytes, size }: PackedState): NodeState =>
  cloneState(JSON.parse(utf8TextStrict(expand(bytes, size))) as NodeState);
