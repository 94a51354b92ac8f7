import { concatBytes, utf8Text } from '@syncloop/core/base';
import type { ArchiveEvent } from './types.js';

const BLOCK = 512;
/** Most bytes of a name or of extended headers. */
const LONGEST_HEADER = 64 * 1024;

/** Reads a tar archive (ustar, pax, GNU) from bytes in pieces of any size. */
export class TarReader {
  private held: Uint8Array = new Uint8Array(0);
  /** Bytes of the entry under way that are still to come, then of its padding. */
  private left = 0;
  private padding = 0;
  /** An extended header under way: what it is about, and its bytes. */
  private header: { readonly type: string; readonly parts: Uint8Array[] } | null = null;
  private shown = false;
  private path = '';
  private size: number | null = null;

  push(bytes: Uint8Array): ArchiveEvent[] {
    const out: ArchiveEvent[] = [];
    let rest = this.held.length > 0 ? concatBytes([this.held, bytes]) : bytes;
    while (rest.length > 0) {
      if (this.left > 0) {
        const part = rest.subarray(0, this.left);
        this.left -= part.length;
        rest = rest.subarray(part.length);
        if (this.header) this.header.parts.push(part.slice());
        else if (this.shown) out.push({ is: 'bytes', bytes: part });
        if (this.left === 0) this.endEntry(out);
        continue;
      }
      if (this.padding > 0) {
        const skipped = Math.min(this.padding, rest.length);
        this.padding -= skipped;
        rest = rest.subarray(skipped);
        continue;
      }
      if (rest.length < BLOCK) break;
      this.begin(rest.subarray(0, BLOCK), out);
      rest = rest.subarray(BLOCK);
    }
    this.held = rest.slice();
    return out;
  }

  private begin(block: Uint8Array, out: ArchiveEvent[]): void {
    // Two empty blocks end the archive.
    if (block[0] === 0) return;
    const text = (at: number, length: number) => {
      const field = block.subarray(at, at + length);
      const end = field.indexOf(0);
      return utf8Text(end < 0 ? field : field.subarray(0, end));
    };
    const type = text(156, 1) || '0';
    const own = numberOf(block.subarray(124, 136));
    const extended = type === 'L' || type === 'x';
    const size = extended || type === 'g' || type === 'K' ? own : (this.size ?? own);
    this.left = size;
    this.padding = (BLOCK - (size % BLOCK)) % BLOCK;
    this.shown = type === '0' || type === '7';
    if (extended) {
      this.header = size <= LONGEST_HEADER ? { type, parts: [] } : null;
    } else if (type !== 'g' && type !== 'K') {
      const prefix = text(257, 5) === 'ustar' && text(263, 2) === '00' ? text(345, 155) : '';
      const name = this.path || (prefix ? `${prefix}/${text(0, 100)}` : text(0, 100));
      this.path = '';
      this.size = null;
      if (this.shown) out.push({ is: 'entry', path: name, size, modified: numberOf(block.subarray(136, 148)) * 1000 });
    }
    if (size === 0) this.endEntry(out);
  }

  private endEntry(out: ArchiveEvent[]): void {
    const { header } = this;
    if (!header) {
      if (this.shown) out.push({ is: 'end' });
      return;
    }
    this.header = null;
    const bytes = concatBytes(header.parts);
    if (header.type === 'L') this.path = utf8Text(bytes).replace(/\0.*$/s, '');
    else
      for (const [key, value] of paxOf(bytes)) {
        if (key === 'path') this.path = value;
        if (key === 'size' && /^\d{1,15}$/.test(value)) this.size = Number(value);
      }
  }
}

/** Octal digits, or, of large files, a number of 64 bits with the highest bit set. */
function numberOf(field: Uint8Array): number {
  if ((field[0] ?? 0) & 0x80) {
    let value = 0;
    for (const byte of field.subarray(4)) value = value * 256 + byte;
    return Number.isSafeInteger(value) ? value : 0;
  }
  return Number.parseInt(utf8Text(field).replace(/\0.*$/s, '').trim() || '0', 8) || 0;
}

/** `27 path=a/long/name\n`, each with its length in bytes. */
function* paxOf(bytes: Uint8Array): Generator<[string, string]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = Number(utf8Text(bytes.subarray(at, space)));
    if (space < 0 || !(length > space - at)) return;
    const line = utf8Text(bytes.subarray(space + 1, at + length - 1));
    const equals = line.indexOf('=');
    if (equals > 0) yield [line.slice(0, equals), line.slice(equals + 1)];
    at += length;
  }
}
