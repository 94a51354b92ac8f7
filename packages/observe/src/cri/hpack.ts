/** Header blocks of HTTP/2, also of a connection whose beginning was not seen. upstream: RFC 7541 */
import { huffmanText, latin1, STATIC_TABLE } from './hpack-tables.js';

/** A header; null stands for a reference to an entry from before the observation. */
export interface HeaderField {
  readonly name: string | null;
  readonly value: string | null;
}

/** The block is not a header block, or the table is not what its sender has. The connection's headers are lost then. */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

interface Entry extends HeaderField {
  readonly size: number;
}
/** The size of an entry besides its name and value. */
const OVERHEAD = 32;
/** A size of an entry of which parts are unknown: the least it can be. */
const sizeOf = (field: HeaderField): number => OVERHEAD + (field.name?.length ?? 0) + (field.value?.length ?? 0);
const DEFAULT_SIZE = 4096;
/** No client of a runtime requests more. It bounds the memory of one connection. */
const LARGEST_SIZE = 64 * 1024;

/** Decodes the header blocks of one direction of one connection, in their order. */
export class HpackDecoder {
  /** Newest first. */
  private readonly entries: Entry[] = [];
  private size = 0;
  private max = DEFAULT_SIZE;

  /** `whole`: the first block of the connection will be seen, so that every entry is known. */
  constructor(private whole: boolean) {
    if (!whole) this.max = LARGEST_SIZE;
  }

  /** Marks entries as unknown, because blocks were not seen. */
  lose(): void {
    this.entries.length = 0;
    this.size = 0;
    this.whole = false;
    this.max = LARGEST_SIZE;
  }

  /** The headers of a block. Throws an {@link HpackError}, after which `lose` is due. */
  decode(block: Uint8Array): HeaderField[] {
    const fields: HeaderField[] = [];
    const at = { i: 0 };
    while (at.i < block.length) {
      const first = block[at.i] as number;
      if (first & 0x80) fields.push(this.entry(integer(block, at, 7)));
      else if (first & 0x40) {
        const field = this.literal(block, at, 6);
        this.add(field);
        fields.push(field);
      } else if (first & 0x20) this.resize(integer(block, at, 5));
      else fields.push(this.literal(block, at, 4));
    }
    return fields;
  }

  private entry(index: number): HeaderField {
    if (index === 0) throw new HpackError('index 0');
    const known = STATIC_TABLE[index - 1] ?? this.entries[index - 1 - STATIC_TABLE.length];
    if (known) return known;
    if (this.whole) throw new HpackError(`no entry ${index}`);
    return { name: null, value: null };
  }

  private literal(block: Uint8Array, at: { i: number }, bits: number): HeaderField {
    const index = integer(block, at, bits);
    const name = index === 0 ? text(block, at) : this.entry(index).name;
    return { name, value: text(block, at) };
  }

  private add(field: HeaderField): void {
    const entry = { ...field, size: sizeOf(field) };
    this.entries.unshift(entry);
    this.size += entry.size;
    this.evict();
  }

  /**
   * A table that was not seen from its beginning is kept longer than its sender may keep it, as no header refers to it.
   */
  private resize(size: number): void {
    if (size > LARGEST_SIZE) throw new HpackError(`a table of ${size} bytes`);
    if (size === 0) {
      this.entries.length = 0;
      this.size = 0;
      // From here on every entry is known.
      this.whole = true;
    }
    if (this.whole) this.max = size;
    this.evict();
  }

  private evict(): void {
    while (this.size > this.max) this.size -= (this.entries.pop() as Entry).size;
  }
}

function integer(block: Uint8Array, at: { i: number }, bits: number): number {
  const mask = 2 ** bits - 1;
  let value = byte(block, at) & mask;
  if (value < mask) return value;
  for (let shift = 0; shift < 28; shift += 7) {
    const next = byte(block, at);
    value += (next & 0x7f) * 2 ** shift;
    if ((next & 0x80) === 0) return value;
  }
  throw new HpackError('a number that is too long');
}

function text(block: Uint8Array, at: { i: number }): string {
  const huffman = ((block[at.i] ?? 0) & 0x80) !== 0;
  const length = integer(block, at, 7);
  if (at.i + length > block.length) throw new HpackError('a string that goes beyond its block');
  const bytes = block.subarray(at.i, at.i + length);
  at.i += length;
  if (!huffman) return latin1(bytes);
  const value = huffmanText(bytes);
  if (value === null) throw new HpackError('a string that is not in the Huffman code');
  return value;
}

function byte(block: Uint8Array, at: { i: number }): number {
  const value = block[at.i++];
  if (value === undefined) throw new HpackError('the block ends within a field');
  return value;
}
