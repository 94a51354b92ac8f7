import { describe, expect, it, vi } from 'vitest';
import type { TraceRecord } from '../index.js';
import { crc32, setUint53, viewOf } from './bytes.js';
import { bytesSource, openRecording, RecordingError } from './index.js';
import {
  BLOCK,
  BLOCK_HEADER,
  type BlockHeader,
  encodeBlockHeader,
  LARGEST_BLOCK,
  LARGEST_RATIO,
  PREAMBLE,
} from './layout.js';
import { Lz4Compressor } from './lz4.js';
import { dice, info, tape, write, writeText } from './testing/write.js';

/** Few enough that each of their bytes can be cut at, of many kinds. */
const records = tape().filter((r) => r.seq % 3 === 0);
const numbered = records.map((r, i) => ({ ...r, seq: i + 1 })) as TraceRecord[];
const bytes = write(numbered.slice(0, 30), { block: 5, checkpoint: 10 });

describe('a recording that is cut off', () => {
  const { blocks } = openRecording(bytesSource(bytes));
  const endOf = (i: number) => (blocks[i]?.at ?? 0) + BLOCK_HEADER + (blocks[i]?.stored ?? 0);

  it('at any byte opens up to its last whole block, and says so', () => {
    const headerEnd = endOf(0);
    let partial = 0;
    for (let cut = 0; cut < bytes.length; cut++) {
      const open = () => openRecording(bytesSource(bytes.subarray(0, cut)));
      if (cut < headerEnd) {
        expect(open).toThrow(RecordingError);
        expect(open).toThrow(cut === 0 ? /is empty/ : /cut off|is not there/);
        continue;
      }
      const whole = blocks.filter((_, i) => endOf(i) <= cut);
      const last = whole.at(-1);
      const end = (last?.at ?? 0) + BLOCK_HEADER + (last?.stored ?? 0);
      const lastSeq = Math.max(0, ...whole.filter((b) => b.type === BLOCK.records).map((b) => b.lastSeq));
      const file = open();
      expect(file.last).toBe(lastSeq);
      expect([...file]).toEqual(numbered.slice(0, lastSeq));
      const ends = lastSeq === 0 ? 'it has no records' : `it ends with record ${lastSeq}`;
      // The missing part may be the index only: it is a block, too.
      const indexWhole = cut >= bytes.length - 16;
      if (cut === end) expect(file.warning).toBe(`The recording was not closed; ${ends}.`);
      else if (!indexWhole) {
        expect(file.warning).toBe(`The recording is cut off in block ${whole.length + 1} at byte ${end}; ${ends}.`);
        partial++;
      } else expect(file.warning).toMatch(`; ${ends}.`);
      expect(file.stateAt(lastSeq).seq).toBe(lastSeq);
    }
    expect(partial).toBeGreaterThan(1000);
  });

  it('with anything after the cut, as a crash of the machine leaves it', () => {
    const roll = dice(1);
    for (let n = 0; n < 300; n++) {
      const cut = endOf(0) + roll(bytes.length - endOf(0) - 20);
      const left = bytes.slice(0, cut + roll(200));
      for (let i = cut; i < left.length; i++) left[i] = n % 2 === 0 ? 0 : roll(256);
      const file = openRecording(bytesSource(left));
      expect([...file]).toEqual(numbered.slice(0, file.last));
      expect(file.warning).toMatch(/^The recording (was not closed|is cut off in block \d+ at byte \d+); it /);
    }
  });
});

describe('what comes from outside', () => {
  /** A block, with a right checksum over whatever it says. */
  const seal = (b: Uint8Array, at: number): void => {
    const view = viewOf(b);
    const stored = view.getUint32(at + 8, true);
    view.setUint32(at + 20, crc32(b.subarray(at + BLOCK_HEADER, at + BLOCK_HEADER + stored)), true);
    view.setUint32(at + 60, crc32(b.subarray(at, at + 60)), true);
  };
  const plain = write(numbered.slice(0, 30), { block: 5, checkpoint: 10, compress: false });
  const places = openRecording(bytesSource(plain)).blocks;
  const words = [
    '"__proto__"',
    '"constructor"',
    '{"__proto__":{"polluted":1}}',
    '-1',
    '1e999',
    'null',
    '[]',
    '""',
    '{',
    ',',
    '\\u0000',
  ];

  /** The `n`-th hostile file: each of them is bad in its own way. */
  function hostile(n: number): Uint8Array {
    const roll = dice(n + 7);
    const kind = n % 8;
    if (kind === 7) {
      // Text.
      const lines = writeText(numbered.slice(0, 12)).split('');
      for (let k = 1 + roll(4); k > 0; k--)
        lines.splice(roll(lines.length), roll(3), words[roll(words.length)] as string);
      return new TextEncoder().encode(lines.join(''));
    }
    const source = kind < 3 ? bytes : plain;
    const copy = source.slice();
    const flip = (from: number, length: number) => {
      for (let k = 1 + roll(4); k > 0; k--) copy[from + roll(length)] = roll(256);
    };
    const block = places[roll(places.length)] as (typeof places)[number];
    const body = block.at + BLOCK_HEADER;
    switch (kind) {
      case 0:
        flip(0, copy.length);
        return copy;
      case 1:
        return Buffer.concat([copy.subarray(0, roll(copy.length)), copy.subarray(roll(copy.length))]);
      case 2:
        flip(PREAMBLE, 200);
        return copy.subarray(0, roll(copy.length));
      case 3:
        // Lengths, counts and numbers that lie, with right checksums.
        for (let k = 1 + roll(2); k > 0; k--) {
          const field = [8, 12, 16, 24, 28, 32, 40, 48][roll(8)] as number;
          viewOf(copy).setUint32(
            block.at + field,
            [0, 1, 2, 255, 0x7fffffff, 0xffffffff, roll(1000)][roll(7)] as number,
            true,
          );
        }
        if (roll(2)) copy[block.at + 4 + roll(2)] = roll(8);
        viewOf(copy).setUint32(block.at + 60, crc32(copy.subarray(block.at, block.at + 60)), true);
        return roll(2) ? copy : copy.subarray(0, copy.length - 3);
      case 4:
        // Columns, names, text and states that lie.
        flip(body, block.stored);
        seal(copy, block.at);
        return copy;
      case 5: {
        // JSON that means harm.
        const word = new TextEncoder().encode(words[roll(words.length)]);
        copy.set(
          word.subarray(0, Math.min(word.length, block.stored)),
          body + roll(Math.max(1, block.stored - word.length)),
        );
        seal(copy, block.at);
        return copy;
      }
      default: {
        // An index that lies, sealed, with the trailer where it was.
        const index = viewOf(copy).getUint32(copy.length - 16, true);
        flip(index + BLOCK_HEADER, copy.length - 16 - index - BLOCK_HEADER);
        seal(copy, index);
        if (roll(4) === 0) {
          setUint53(viewOf(copy), copy.length - 16, roll(copy.length));
          viewOf(copy).setUint32(copy.length - 8, crc32(copy.subarray(copy.length - 16, copy.length - 8)), true);
        }
        return copy;
      }
    }
  }

  /** SYNCLOOP_RUNS: how many instead. */
  const perPart = (Number(process.env.SYNCLOOP_RUNS ?? 0) || 2400) / 4;
  it.each([0, 1, 2, 3])('hostile recordings do no harm, part %i', (part) => {
    let opened = 0;
    let refused = 0;
    let largest = 0;
    for (let n = part * perPart; n < (part + 1) * perPart; n++) {
      const file = hostile(n);
      const source = bytesSource(file);
      const attempt = (fn: () => unknown) => {
        try {
          fn();
          return true;
        } catch (error) {
          if (error instanceof RecordingError) return false;
          throw new Error(`hostile file ${n}: ${error instanceof Error ? error.stack : error}`);
        }
      };
      const ok = attempt(() => {
        const recording = openRecording({
          size: source.size,
          read(offset, length) {
            if (!(offset >= 0 && length >= 0 && offset + length <= source.size))
              throw new Error(`read ${offset}+${length}`);
            largest = Math.max(largest, length);
            return source.read(offset, length);
          },
        });
        attempt(() => [...recording]);
        for (const seq of [0, 1, 7, recording.last]) {
          if (seq >= recording.first - 1 && seq <= recording.last) attempt(() => recording.stateAt(seq));
          attempt(() => recording.records(seq, 3));
          attempt(() => recording.seqAtTime(seq));
        }
      });
      if (ok) opened++;
      else refused++;
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    // Both happen: the files are neither all right nor all rubbish.
    expect(Math.min(opened, refused)).toBeGreaterThan(perPart / 13);
    expect(largest).toBeLessThanOrEqual(bytes.length + plain.length);
  });

  it('does not make a small file take much memory', () => {
    // Blocks that say they are far larger than they are.
    for (const [raw, codec] of [
      [0xffffffff, 0],
      [0xffffffff, 1],
      [64 * 1024 * 1024, 1],
      [1_000_000, 1],
    ] as const) {
      const copy = plain.slice();
      const block = places.find((b) => b.type === BLOCK.records) as (typeof places)[number];
      viewOf(copy).setUint32(block.at + 12, raw, true);
      copy[block.at + 5] = codec;
      seal(copy, block.at);
      const before = process.memoryUsage().arrayBuffers;
      const file = openRecording(bytesSource(copy));
      expect([...file][0]).toMatchObject({ kind: 'gap', from: 1, to: 5 });
      expect(file.warning).toMatch(
        /^Block 2 at byte \d+ is broken \(it (says|stands|ends|refers)|^Block 2 at byte \d+ is broken \(more bytes/,
      );
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    }
  });

  /** A file of blocks as `make` tells them; `stored` is of LZ4. */
  const fileOf = (...blocks: { type: number; stored: Uint8Array; raw: number; more?: Partial<BlockHeader> }[]) => {
    // Header, and the records if there are no others.
    const own = blocks.some((b) => b.type === BLOCK.records)
      ? 0
      : places.findLastIndex((b) => b.type === BLOCK.records);
    const head = plain.subarray(0, places[own + 1]?.at as number);
    const parts: Uint8Array[] = [head];
    for (const { type, stored, raw, more } of blocks) {
      const header = {
        type,
        codec: 1,
        stored: stored.length,
        raw,
        count: 0,
        crc: crc32(stored),
        firstSeq: 0,
        lastSeq: 0,
      };
      parts.push(encodeBlockHeader({ ...header, firstTime: 0, lastTime: 0, ...more }), stored);
    }
    const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
  /** One byte, and then the same again, up to 64 MiB in 263 KB: as much as LZ4 can say. */
  const bomb = (() => {
    const raw = 64 * 1024 * 1024;
    const packed = new Uint8Array(3 + Math.ceil(raw / 255) + 16);
    packed.set([0x1f, 0x20, 1, 0]);
    let at = 4;
    let rest = raw - 1 - 5 - 19;
    for (; rest >= 255; rest -= 255) packed[at++] = 255;
    packed[at++] = rest;
    // The last five bytes are literals.
    packed.set([0x50, 0x20, 0x20, 0x20, 0x20, 0x20], at);
    return { stored: packed.subarray(0, at + 6), raw };
  })();
  /** The bytes that are allocated for what is expanded, and for anything else. */
  const expandedBy = (work: () => void): number => {
    let sum = 0;
    class Counted extends Uint8Array {
      constructor(...args: ConstructorParameters<typeof Uint8Array>) {
        super(...args);
        const [length] = args as unknown[];
        if (typeof length === 'number') sum += length;
      }
    }
    vi.stubGlobal('Uint8Array', Counted);
    try {
      work();
      return sum;
    } finally {
      vi.unstubAllGlobals();
    }
  };

  it('that is a bomb is not expanded to see where it ends', () => {
    // It stands for fewer bytes than it says: each was expanded to be found broken, from the last one on.
    const broken = { type: BLOCK.records, stored: bomb.stored, raw: bomb.raw - 1 };
    const more = (i: number) => ({ count: 1, firstSeq: i + 1, lastSeq: i + 1 });
    const file = fileOf(...Array.from({ length: 60 }, (_, i) => ({ ...broken, more: more(i) })));
    expect(expandedBy(() => openRecording(bytesSource(file)))).toBeLessThan(1_000_000);
  });

  it('that is full of runs or states that are bombs is read without them', () => {
    for (const type of [BLOCK.run, BLOCK.state, BLOCK.delta]) {
      const blocks = Array.from({ length: 40 }, () => ({ type, ...bomb, more: { firstSeq: 5, lastSeq: 5 } }));
      const file = fileOf(...blocks);
      const work = () => openRecording(bytesSource(file)).stateAt(5);
      expect(expandedBy(work)).toBeLessThan(1_000_000);
    }
  });

  it('whose states and runs are broken is not searched to its beginning for one that is not', () => {
    // Spaces: no JSON, whatever else it is.
    const stored = new Lz4Compressor().compress(new Uint8Array(60_000).fill(0x20)).slice();
    for (const type of [BLOCK.run, BLOCK.state]) {
      const block = { type, stored, raw: 60_000, more: { firstSeq: 5, lastSeq: 5 } };
      const file = fileOf(...Array.from({ length: 40 }, () => block));
      const work = () => openRecording(bytesSource(file)).stateAt(5);
      expect(expandedBy(work)).toBeLessThanOrEqual(4 * 60_000);
    }
  });

  it('whose records stand for more than anything that was recorded is given up', () => {
    const records = Array.from({ length: 40 }, (_, i) => ({
      type: BLOCK.records,
      ...bomb,
      more: { count: 1, firstSeq: i + 1, lastSeq: i + 1 },
    }));
    const bytes = fileOf(...records.slice(0, 3));
    const file = openRecording(bytesSource(bytes));
    let error: unknown;
    const expanded = expandedBy(() => {
      try {
        for (const _ of file);
      } catch (err) {
        error = err;
      }
    });
    expect(error).toBeInstanceOf(RecordingError);
    expect((error as Error).message).toMatch(/unpack to more than \d+: it was not written by this program/);
    expect(expanded).toBeLessThanOrEqual(Math.max(LARGEST_BLOCK, LARGEST_RATIO * bytes.length));
  });

  it('is safe against names that mean something to JavaScript', () => {
    const evil = JSON.parse(
      '{"seq":1,"time":0,"g":0,"span":0,"cause":0,"kind":"input","verb":"x","args":[{"__proto__":{"polluted":true}}],"__proto__":{"polluted":true}}',
    );
    const pod = { ...evil, kind: 'cache-wait', seq: 2, uid: '__proto__', pod: 'constructor', newerThan: 1 };
    for (const file of [write([evil, pod]), new TextEncoder().encode(writeText([evil, pod]))]) {
      const recording = openRecording(bytesSource(file));
      expect([...recording]).toHaveLength(2);
      recording.stateAt(2);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    }
    const header = JSON.parse(`{"__proto__":{"format":"syncloop-recording","version":1}}`);
    expect(() => openRecording(bytesSource(new TextEncoder().encode(`${JSON.stringify(header)}\n`)))).toThrow(
      /not a header/,
    );
    expect(
      openRecording(bytesSource(write([], { info: { ...info, ...JSON.parse('{"__proto__":{"virtual":1}}') } }))).header
        .virtual,
    ).toBe(true);
  });
});
