/** Numbers about each record, side by side: 25 bytes a record, however large the records are. */
import type { Seq } from '@syncloop/core/trace';

export class Columns {
  /** `seq` of the first slot. */
  base: Seq = 1;
  length = 0;
  /** Index into the model's instants. */
  tick = new Int32Array(1024);
  lane = new Int32Array(1024);
  /** Innermost span that was open when the record was made; 0 outside any. */
  parent = new Int32Array(1024);
  /** For a record that begins something: the record that ended it (0: still open). For a message: its other half. */
  end = new Int32Array(1024);
  /** Index of a name for spans and waits, the channel for messages. */
  aux = new Int32Array(1024);
  depth = new Uint8Array(1024);
  role = new Uint8Array(1024);
  look = new Uint8Array(1024);
  weight = new Uint8Array(1024);

  get last(): Seq {
    return this.base + this.length - 1;
  }
  has(seq: Seq): boolean {
    return seq >= this.base && seq < this.base + this.length;
  }
  /** Room for one more; its slot. */
  push(): number {
    if (this.length === this.tick.length) this.resize(this.length * 2);
    return this.length++;
  }
  /** Forgets the first `n`. */
  shift(n: number): void {
    const all = [
      this.tick,
      this.lane,
      this.parent,
      this.end,
      this.aux,
      this.depth,
      this.role,
      this.look,
      this.weight,
    ] as const;
    for (const column of all) column.copyWithin(0, n, this.length);
    this.length -= n;
    this.base += n;
    if (this.length < this.tick.length / 4 && this.tick.length > 4096) this.resize(this.tick.length / 2);
  }
  /** Bytes that it takes. */
  get bytes(): number {
    return this.tick.length * (5 * 4 + 4);
  }

  private resize(capacity: number): void {
    const ints = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(capacity);
      grown.set(old.subarray(0, this.length));
      return grown;
    };
    const bytes = (old: Uint8Array): Uint8Array<ArrayBuffer> => {
      const grown = new Uint8Array(capacity);
      grown.set(old.subarray(0, this.length));
      return grown;
    };
    this.tick = ints(this.tick);
    this.lane = ints(this.lane);
    this.parent = ints(this.parent);
    this.end = ints(this.end);
    this.aux = ints(this.aux);
    this.depth = bytes(this.depth);
    this.role = bytes(this.role);
    this.look = bytes(this.look);
    this.weight = bytes(this.weight);
  }
}
