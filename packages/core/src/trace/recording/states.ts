/** Checkpoints of the state: those of the file, and those that are made while reading if it has none. */
import { countBefore, own, utf8Bytes, utf8TextStrict } from '../../base/index.js';
import type { Seq } from '../records.js';
import { cloneState, initialState, type NodeState } from '../state/state.js';
import { type BlockEntry, type RecordingSource, readBlock } from './block-index.js';
import { BytesError } from './bytes.js';
import { applyDelta } from './delta.js';
import { BLOCK, LARGEST_BLOCK } from './layout.js';
import { expand, Lz4Compressor } from './lz4.js';

/** Most states that are kept after they were read. */
const KEPT = 4;
/** Most states in a row that are stored as differences from the one before. */
const LONGEST_CHAIN = 100;

/**
 * Most bytes that the states of such a chain have together, and most states that may be unreadable before all states of
 * the file are ignored.
 */
const MOST_OF_CHAIN = 1024 * 1024 * 1024;
const MOST_BROKEN_STATES = 3;

/** A block of the file, or a state that was computed here and packed in the same way. */
interface Checkpoint {
  readonly seq: Seq;
  readonly block?: number;
  readonly packed?: { readonly bytes: Uint8Array; readonly size: number };
}

export class Checkpoints {
  private list: Checkpoint[] = [];
  private broken = 0;
  /** The base's block of each state that is stored as a difference, by its own block. */
  private readonly baseOf = new Map<number, number>();
  private readonly read = new Map<Seq, NodeState>();
  private lastText: { readonly block: number; readonly text: Uint8Array } | null = null;
  private readonly lz4 = new Lz4Compressor();

  /** `usable`: the file's states have the shape that this program uses. */
  constructor(
    private readonly source: RecordingSource,
    private readonly blocks: readonly BlockEntry[],
    usable: boolean,
  ) {
    let before = -1;
    blocks.forEach((b, block) => {
      if (b.type !== BLOCK.state && b.type !== BLOCK.delta) return;
      if (b.type === BLOCK.delta) this.baseOf.set(block, before);
      before = block;
      if (usable) this.list.push({ seq: b.lastSeq, block });
    });
    this.list.sort((a, b) => a.seq - b.seq);
  }

  /** The last state at `seq` or before, to fold on from: a copy. Null when there is none. */
  before(seq: Seq): NodeState | null {
    for (;;) {
      const checkpoint = this.list[countBefore(this.list.length, (i) => (this.list[i] as Checkpoint).seq <= seq) - 1];
      if (!checkpoint) return null;
      const held = this.read.get(checkpoint.seq) ?? this.readState(checkpoint);
      const state = held && copyOf(held);
      if (state) {
        this.read.set(checkpoint.seq, held);
        for (const key of this.read.keys()) {
          if (this.read.size <= KEPT) break;
          this.read.delete(key);
        }
        return state;
      }
      // Nothing is lost but time: it is folded from the one before. Of a file with many that are broken all are given
      // up.
      const enough = ++this.broken >= MOST_BROKEN_STATES;
      this.list = this.list.filter((c) => c !== checkpoint && (!enough || c.packed !== undefined));
    }
  }

  /** Keeps a state that took long to make. */
  keep(state: NodeState): void {
    const bytes = utf8Bytes(JSON.stringify(state));
    this.list.push({ seq: state.seq, packed: { bytes: this.lz4.compress(bytes).slice(), size: bytes.length } });
    this.list.sort((a, b) => a.seq - b.seq);
  }

  private readState(checkpoint: Checkpoint): NodeState | null {
    try {
      const { packed, block } = checkpoint;
      const bytes = packed ? expand(packed.bytes, packed.size) : this.stateText(block as number);
      const raw = JSON.parse(utf8TextStrict(bytes)) as NodeState;
      return raw.seq === checkpoint.seq && sameShape(raw, initialState()) ? raw : null;
    } catch (error) {
      if (error instanceof BytesError || error instanceof TypeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** The text of the state in a block, from the states before it. Throws a BytesError if one of them is broken. */
  private stateText(block: number): Uint8Array {
    const chain: number[] = [];
    let at = block;
    while (at !== this.lastText?.block && this.baseOf.has(at)) {
      chain.push(at);
      at = this.baseOf.get(at) as number;
      // A writer stores a whole state long before that.
      if (chain.length > LONGEST_CHAIN || at < 0)
        throw new BytesError('the state that it is stored as a difference from is missing');
    }
    const bytesOf = (i: number) => readBlock(this.source, (this.blocks[i] as BlockEntry).at).bytes;
    let text = this.lastText?.block === at ? this.lastText.text : bytesOf(at);
    let made = 0;
    for (const i of chain.reverse()) {
      text = applyDelta(text, bytesOf(i), LARGEST_BLOCK);
      made += text.length;
      if (made > MOST_OF_CHAIN) throw new BytesError('the states that it is stored as a difference from are too large');
    }
    this.lastText = { block, text };
    return text;
  }
}

/** A copy to fold on, its maps without prototypes; null if `raw` does not have the shape of a state. */
function copyOf(raw: NodeState): NodeState | null {
  try {
    return cloneState(raw);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** True if `value` has the fields of `model`, each of its type; maps and lists are not looked into. */
function sameShape(value: unknown, model: unknown): boolean {
  if (Array.isArray(model)) return Array.isArray(value);
  if (typeof model !== 'object' || model === null) return typeof value === typeof model;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(model).every((key) => sameShape(own(value, key), own(model, key)) || own(model, key) === null);
}
