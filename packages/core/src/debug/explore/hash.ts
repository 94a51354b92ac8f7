import { FNV32_OFFSET, fnv32aAdd, fnv32aText } from '../../base/index.js';
import type { TraceRecord } from '../../trace/index.js';

/** Positions in the sequence: they say the same thing otherwise when something else came before. */
const positions: ReadonlySet<string> = new Set(['seq', 'span', 'cause', 'of', 'call']);

export const mix = (hash: number, n: number): number => fnv32aAdd(hash, n) ^ (hash >>> 15);

/** FNV-1a. Most strings of a trace come again and again, so it remembers. */
class Strings {
  private readonly known = new Map<string, number>();
  hash(text: string): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const hash = fnv32aText(text);
    if (this.known.size > 20_000) this.known.clear();
    this.known.set(text, hash);
    return hash;
  }
}

/** Hashes records by what they say, not by where they stand. */
export class RecordHasher {
  private readonly strings = new Strings();
  /** The hash of each field of records; null for positions. */
  private readonly fields = new Map<string, number | null>([...positions].map((name) => [name, null]));

  record(record: TraceRecord): number {
    let hash = FNV32_OFFSET;
    for (const key in record) {
      const field = this.field(key);
      if (field !== null) hash = this.value(mix(hash, field), (record as unknown as Record<string, unknown>)[key]);
    }
    return hash;
  }

  private field(name: string): number | null {
    const known = this.fields.get(name);
    if (known !== undefined) return known;
    const hash = fnv32aText(name);
    this.fields.set(name, hash);
    return hash;
  }

  private value(before: number, value: unknown): number {
    switch (typeof value) {
      case 'number':
        return mix(mix(before, value | 0), Math.trunc(value / 0x1_0000_0000));
      case 'string':
        return mix(before, this.strings.hash(value));
      case 'boolean':
        return mix(before, value ? 3 : 5);
      case 'object': {
        if (value === null) return mix(before, 7);
        let hash = mix(before, 11);
        if (Array.isArray(value)) for (const item of value) hash = this.value(hash, item);
        else
          for (const key in value) {
            hash = mix(hash, this.strings.hash(key));
            hash = this.value(hash, (value as Record<string, unknown>)[key]);
          }
        return mix(hash, 13);
      }
      default:
        return mix(before, 17);
    }
  }
}
