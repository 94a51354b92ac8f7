/** Bytes of the recording format: little-endian numbers, varints, CRC-32. */

const CRC_TABLE = (() => {
  const table = new Uint32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    table[n] = c;
  }
  return table;
})();

/** Computes CRC-32 as in zlib and PNG (IEEE 802.3). */
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = (CRC_TABLE[(c ^ (bytes[i] as number)) & 0xff] as number) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const TWO_32 = 2 ** 32;

/** Writes a whole number up to 2^53 in eight bytes. */
export function setUint53(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_32, true);
  view.setUint32(at + 4, Math.floor(value / TWO_32), true);
}
/** Returns the number at `at`; it is more than Number.MAX_SAFE_INTEGER only if `setUint53` did not write it. */
export function getUint53(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * TWO_32 + view.getUint32(at, true);
}

/** Grows as bytes and varints are put into it. */
export class ByteWriter {
  private bytes: Uint8Array;
  length = 0;
  constructor(capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
  }
  /** Writes a whole number from 0 to 2^53 - 1 in 7-bit groups, lowest first. */
  varint(value: number): void {
    this.reserve(8);
    while (value >= 128) {
      this.bytes[this.length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.bytes[this.length++] = value;
  }
  /** Writes a whole number of less than 2^52 either way: 0, -1, 1, -2... as 0, 1, 2, 3... */
  zigzag(value: number): void {
    this.varint(value < 0 ? 2 * (-1 - value) + 1 : 2 * value);
  }
  put(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
  /** The bytes written so far; valid until the next `clear`. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
  clear(): void {
    this.length = 0;
  }
  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    grown.set(this.view());
    this.bytes = grown;
  }
}

/** Thrown by ByteReader if the bytes end too soon or make no number. */
export class BytesError extends Error {
  override readonly name = 'BytesError';
}

/** Reads what ByteWriter wrote. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let n = 0; n < 8; n++) {
      if (this.at >= this.bytes.length) throw new BytesError('it ends within a number');
      const byte = this.bytes[this.at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new BytesError('a number is too large');
  }
  zigzag(): number {
    const n = this.varint();
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  }
}
