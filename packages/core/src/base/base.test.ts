import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base64Bytes,
  base64Decode,
  base64Encode,
  base64Length,
  base64urlBytes,
  base64urlEncode,
  canonicalQuantity,
  cmpQuantity,
  concatBytes,
  fnv32a,
  fnv64a,
  fnv128a,
  formatDuration,
  hexText,
  isQuantity,
  own,
  parseDuration,
  parseQuantity,
  quantityText,
  readQuantity,
  resourceOf,
  sameQuantity,
  sha256,
  utf8Bytes,
  utf8Text,
} from './index.js';

describe('bytes', () => {
  it('carry any bytes as base64 and base64url, as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const there = Buffer.from(bytes);
        expect(base64Encode(bytes)).toBe(there.toString('base64'));
        expect(base64urlEncode(bytes)).toBe(there.toString('base64url'));
        expect([...base64Bytes(base64Encode(bytes))]).toEqual([...bytes]);
        expect([...(base64urlBytes(base64urlEncode(bytes)) ?? [])]).toEqual([...bytes]);
        expect(base64Length(base64Encode(bytes))).toBe(bytes.length);
        expect(hexText(bytes)).toBe(there.toString('hex'));
      }),
      { seed: 1 },
    );
  });

  it('carry any text as UTF-8, and longer ones than a call has arguments', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8Text(utf8Bytes(text))).toBe(text);
        expect(base64Decode(base64Encode(text))).toBe(text);
      }),
      { seed: 1 },
    );
    const long = '长'.repeat(100_000);
    expect(base64Decode(base64Encode(long))).toBe(long);
  });

  it('that are not UTF-8 become U+FFFD one by one, as in Go', () => {
    const text = (...bytes: number[]) => utf8Text(Uint8Array.from(bytes));
    expect(text(0x61, 0xff, 0x62)).toBe('a\ufffdb');
    expect(text(0xe2, 0x82)).toBe('\ufffd\ufffd');
    // Half of a surrogate pair, a long form of "/", and what is above U+10FFFF.
    expect(text(0xed, 0xa0, 0x80)).toBe('\ufffd\ufffd\ufffd');
    expect(text(0xc0, 0xaf)).toBe('\ufffd\ufffd');
    expect(text(0xf4, 0x90, 0x80, 0x80)).toBe('\ufffd'.repeat(4));
    expect(text(0xef, 0xbb, 0xbf, 0x61)).toBe('\ufeffa');
  });

  it('have one spelling in base64url', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    for (const length of [1, 2, 3, 4, 5, 32]) {
      const text = base64urlEncode(Uint8Array.from({ length }, (_, i) => 255 - i));
      expect(base64urlBytes(text)).toHaveLength(length);
      const others = letters.map((c) => text.slice(0, -1) + c).filter((other) => other !== text);
      // Of a character that stands for fewer bits than it has, only the one with zeros is left.
      const taken = others.filter((other) => base64urlBytes(other) !== null);
      expect(taken, text).toHaveLength({ 1: 3, 2: 15, 0: 63 }[length % 3] as number);
      for (const other of taken)
        expect([...(base64urlBytes(other) ?? [])]).not.toEqual([...(base64urlBytes(text) ?? [])]);
      const standard = Buffer.from(base64urlBytes(text) ?? []).toString('base64');
      for (const other of [`${text}=`, `${text}==`, ` ${text}`, `${text}\n`, `${text.slice(0, 1)} ${text.slice(1)}`])
        expect(base64urlBytes(other), JSON.stringify(other)).toBeNull();
      if (standard !== text) expect(base64urlBytes(standard)).toBeNull();
    }
  });

  it('skip what is not of the alphabet in base64, and refuse it in base64url', () => {
    expect(base64Decode('aGVs\nbG8=')).toBe('hello');
    expect(base64urlBytes('a b')).toBeNull();
    expect(base64urlBytes('aaaaa')).toBeNull();
  });

  it('are joined', () => {
    expect([...concatBytes([Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3)])]).toEqual([1, 2, 3]);
  });
});

describe('hashes', () => {
  it("are Go's hash/fnv", () => {
    expect(fnv32a(utf8Bytes(''))).toBe(0x811c9dc5);
    expect(fnv32a(utf8Bytes('foobar'))).toBe(0xbf9cf968);
    expect(fnv64a(utf8Bytes('foobar'))).toBe(0x85944171f73967e8n);
    expect(fnv128a('a')).toBe('d228cb696f1a8caf78912b704e4a8964');
  });

  it('SHA-256, around the edges of a block', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256('a'.repeat(55))).toBe('9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318');
    expect(sha256('a'.repeat(56))).toBe('b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a');
    expect(sha256('a'.repeat(64))).toBe('ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb');
  });
});

describe('durations', () => {
  it('are read as Go reads them', () => {
    expect(parseDuration('1h2m3.5s')).toBe(3_723_500_000);
    expect(parseDuration('-1.5s')).toBe(-1_500_000);
    expect(parseDuration('0')).toBe(0);
    expect(parseDuration('1500ns')).toBe(2);
    for (const wrong of ['', '1', '00', '1s0', '1 s', 's', '1d', `${'1'.repeat(64)}s`])
      expect(parseDuration(wrong), wrong).toBeNull();
  });

  it('are printed as Go prints them, and read again', () => {
    expect(formatDuration(0)).toBe('0s');
    expect(formatDuration(5_400_000_000)).toBe('1h30m0s');
    expect(formatDuration(-300_000)).toBe('-300ms');
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (micros) => {
        expect(parseDuration(formatDuration(micros))).toBe(micros);
      }),
      { seed: 1 },
    );
  });
});

describe('quantities', () => {
  it('are the same by amount, not by text', () => {
    expect(sameQuantity('1Gi', '1024Mi')).toBe(true);
    expect(sameQuantity('1', '1000m')).toBe(true);
    expect(sameQuantity('1G', '1Gi')).toBe(false);
    expect(sameQuantity('many', 'many')).toBe(true);
    expect(sameQuantity('many', '1')).toBe(false);
    expect(sameQuantity(undefined, '0')).toBe(false);
    expect(cmpQuantity(readQuantity('1100m'), readQuantity('1'))).toBe(1);
  });

  it('have one canonical text, which is the same amount', () => {
    expect(quantityText(readQuantity('1024Mi'))).toBe('1Gi');
    expect(quantityText(readQuantity('0.5'))).toBe('500m');
    expect(quantityText(readQuantity('1e3'))).toBe('1e3');
    expect(['10E1', '1500e-6', '1.5Gi', '0.1Gi', '1000', '1023Ki', '-1024Mi'].map(canonicalQuantity)).toEqual([
      '100',
      '1500e-6',
      '1536Mi',
      '107374182400m',
      '1k',
      '1023Ki',
      '-1Gi',
    ]);
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'G', 'e2'), (n, suffix) => {
        const text = quantityText(readQuantity(`${n}${suffix}`));
        expect(sameQuantity(text, `${n}${suffix}`)).toBe(true);
        expect(quantityText(readQuantity(text))).toBe(text);
      }),
      { seed: 1 },
    );
  });

  it('that cannot be read are said with the words of upstream, and take no memory', () => {
    expect(() => parseQuantity('1Xi')).toThrow('quantities must match the regular expression');
    expect(isQuantity('.')).toBe(false);
    expect(resourceOf({ cpu: 'much' }, 'cpu')).toBe(0n);
    expect(parseQuantity('1e999999999') > 10n ** 100n).toBe(true);
    expect(parseQuantity('1e-999999999')).toBe(1n);
  });
});

it('own fields are never those of a prototype', () => {
  expect(own({}, 'toString')).toBeUndefined();
  expect(own({ a: 1 }, 'a')).toBe(1);
  expect(own(['x'], 0)).toBe('x');
});
