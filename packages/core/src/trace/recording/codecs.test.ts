import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../base/index.js';
import { ByteReader, BytesError, ByteWriter, crc32 } from './bytes.js';
import { applyDelta, DeltaBase } from './delta.js';
import { compressedBound, expand, expandedBound, Lz4Compressor } from './lz4.js';

/** Bytes with repetitions near and far, as records have. */
const repetitive = fc
  .array(fc.tuple(fc.constantFrom('"kind":"log"', 'SyncPod', '{"pod":"default/web"}', 'x', ''), fc.string()), {
    maxLength: 200,
  })
  .map((parts) => utf8Bytes(parts.map(([a, b]) => a + b).join('')));
const anyBytes = fc.oneof(
  repetitive,
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.nat(100_000), fc.nat(255)).map(([n, v]) => new Uint8Array(n).fill(v)),
);

describe('numbers', () => {
  it('come back from varints and zigzags', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(Number.MAX_SAFE_INTEGER), fc.maxSafeInteger())), (pairs) => {
        const out = new ByteWriter(1);
        for (const [n, z] of pairs) {
          out.varint(n);
          out.zigzag(Math.trunc(z / 2));
        }
        const reader = new ByteReader(out.view());
        for (const [n, z] of pairs) expect([reader.varint(), reader.zigzag() + 0]).toEqual([n, Math.trunc(z / 2) + 0]);
        expect(() => reader.varint()).toThrow(BytesError);
      }),
    );
  });
  it('that are too large are refused', () => {
    expect(() => new ByteReader(new Uint8Array(9).fill(255)).varint()).toThrow(BytesError);
    expect(() => new ByteReader(Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127)).varint()).toThrow(BytesError);
  });
  it('crc32 is the one of zlib', () => {
    expect(crc32(utf8Bytes('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });
});

describe('lz4', () => {
  const lz4 = new Lz4Compressor();
  it('gives back what it was given, and never grows beyond its bound', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const packed = lz4.compress(bytes).slice();
        expect(packed.length).toBeLessThanOrEqual(compressedBound(bytes.length));
        expect(bytes.length).toBeLessThanOrEqual(expandedBound(packed.length));
        expect(Buffer.compare(expand(packed, bytes.length), bytes)).toBe(0);
      }),
    );
  });
  it('is the block format: a block by hand expands', () => {
    // "abcd" as literals, then twelve bytes from four back, then "vwxyz", for a block ends with five literals.
    const block = Uint8Array.of(0x48, 97, 98, 99, 100, 4, 0, 0x50, 118, 119, 120, 121, 122);
    expect(new TextDecoder().decode(expand(block, 21))).toBe('abcdabcdabcdabcdvwxyz');
  });
  it('refuses what is no block, and any size but its own', () => {
    const packed = lz4.compress(utf8Bytes('syncloop '.repeat(50))).slice();
    for (const size of [0, 449, 451]) expect(() => expand(packed, size)).toThrow(BytesError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(2000), (bytes, size) => {
        try {
          expect(expand(bytes, size)).toHaveLength(size);
        } catch (error) {
          expect(error).toBeInstanceOf(BytesError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a delta', () => {
  it('gives the text back', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, fc.nat(200), fc.nat(200), (a, b, from, length) => {
        // Something of the base in another place, too.
        const target = Buffer.concat([b, a.subarray(from), b.subarray(0, length), a.subarray(0, from)]);
        const made = applyDelta(a, new DeltaBase(a).encode(target).slice(), target.length);
        expect(Buffer.compare(made, target)).toBe(0);
      }),
    );
  });
  it('of nearly the same text is small', () => {
    const pod = (n: number, seq: number) => `"uid-${n}":{"phase":"Running","lastSeq":${seq},"worker":{"state":"sync"}}`;
    const text = (seq: number) => utf8Bytes(Array.from({ length: 1000 }, (_, n) => pod(n, n === 500 ? seq : n)).join());
    expect(new DeltaBase(text(1)).encode(text(98_765)).length).toBeLessThan(40);
  });
  it('that lies is refused', () => {
    const base = utf8Bytes('syncloop '.repeat(50));
    expect(() => applyDelta(base, Uint8Array.of(255, 255, 255, 127), 1000)).toThrow(/says that it has/);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          applyDelta(base, bytes, 10_000);
        } catch (error) {
          expect(error).toBeInstanceOf(BytesError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
