import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { base64Bytes, utf8Bytes, utf8Text } from '@syncloop/core/base';
import { readMessage } from '@syncloop/core/cri/wire';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence/index.js';
import { sampled } from '../testing/sampled.js';
import { answer, bytes, F, frame, headers, PREFACE, request, T, u32 } from '../testing/socket.js';
import { CRICaptureReader } from './capture.js';
import { Conversation } from './conversation.js';
import { ContainerEventsReader } from './events.js';
import { EvidenceLinesReader } from './evidence-lines.js';
import { HpackDecoder } from './hpack.js';

/** xorshift: the same numbers in each run. */
function random(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

const capture = Uint8Array.from(
  gunzipSync(
    readFileSync(
      new URL('../../../core/testdata/attach/v1.36-v4-calls/single-pod-lifecycle/cri-bytes.ndjson.gz', import.meta.url),
    ),
  ),
);
interface Piece {
  readonly conn: number;
  readonly dir?: 'c' | 's';
  readonly b64?: string;
}
const pieces: Piece[] = utf8Text(capture)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const KINDS = new Set(['call', 'return', 'container-event', 'gap']);
const MIB = 1024 * 1024;

/** Checks that every piece has the right form, and that a gap has a sentence. */
function check(evidence: readonly Evidence[]): void {
  for (const one of evidence) {
    if (!KINDS.has(one.kind)) throw new Error(`evidence of kind ${one.kind}`);
    if (one.kind === 'gap' && !/^[\s\S]+\.$/.test(one.why)) throw new Error(`a gap without a sentence: ${one.why}`);
    JSON.stringify(one);
  }
}

describe('frames that were changed', () => {
  it.each(sampled([1, 2, 3, 4], 2))('end nothing and fill nothing, seed %i', (seed) => {
    const next = random(seed * 7919);
    const conversation = new Conversation('cri', { readMessage });
    const seen = { call: 0, gap: 0 };
    let fed = 0;
    let at = 0;
    const hear = (evidence: readonly Evidence[]) => {
      check(evidence);
      for (const { kind } of evidence) if (kind === 'call' || kind === 'gap') seen[kind]++;
    };
    while (fed < MIB / 2) {
      for (const { conn, dir, b64 } of pieces) {
        at += 10;
        if (dir === undefined || b64 === undefined) {
          hear(conversation.open(conn, at));
          continue;
        }
        const sent = base64Bytes(b64);
        fed += sent.length;
        const how = next(20);
        if (how === 0) continue;
        if (how < 6) for (let i = next(4); i >= 0; i--) sent[next(sent.length)] = next(256);
        if (how === 6) hear(conversation.lost(conn, dir, next(1000), at));
        const kept = how === 7 ? sent.subarray(0, next(sent.length)) : sent;
        hear(conversation.bytes(conn, how === 8 ? 'c' : dir, kept, at));
        if (how === 9)
          hear(
            conversation.bytes(
              conn,
              dir,
              Uint8Array.from({ length: next(300) }, () => next(256)),
              at,
            ),
          );
        expect(conversation.held).toBeLessThan(64 * MIB);
      }
    }
    for (let conn = 0; conn < 10; conn++) hear(conversation.close(conn, at));
    expect(conversation.held).toBe(0);
    // It still reads the whole parts.
    expect(seen.call).toBeGreaterThan(100);
    expect(seen.gap).toBeGreaterThan(100);
  });

  it('and bytes that are none at all', () => {
    const next = random(99);
    for (const whole of [true, false]) {
      const conversation = new Conversation('cri', { readMessage });
      if (whole) conversation.open(1, 0);
      for (let fed = 0, at = 1; fed < MIB / 4; at++) {
        const piece = Uint8Array.from({ length: 1 + next(2000) }, () => next(next(4) === 0 ? 10 : 256));
        fed += piece.length;
        check(conversation.bytes(1, next(2) === 0 ? 'c' : 's', piece, at));
      }
      check(conversation.close(1, 1e6));
      expect(conversation.held).toBe(0);
    }
  });
});

describe('a peer that means harm', () => {
  const open = (options = {}) => {
    const conversation = new Conversation('cri', { readMessage, ...options });
    conversation.open(1, 0);
    conversation.bytes(1, 'c', PREFACE, 1);
    return conversation;
  };

  it('does not fill the memory with streams, headers without end, or messages that are never sent', () => {
    const conversation = open();
    const evidence: Evidence[] = [];
    for (let stream = 1; stream < 30_000; stream += 2)
      evidence.push(...conversation.bytes(1, 'c', request(stream, '/x.Y/Z', bytes()), stream));
    evidence.push(...conversation.bytes(1, 'c', frame(T.HEADERS, 0, 30_001, headers({ a: 'b' })), 30_001));
    const more = frame(T.CONTINUATION, 0, 30_001, new Uint8Array(16_000));
    for (let i = 0; i < 200; i++) evidence.push(...conversation.bytes(1, 'c', more, 30_002));
    evidence.push(...conversation.bytes(1, 'c', frame(T.CONTINUATION, F.END_HEADERS, 30_001), 30_003));
    expect(evidence.filter((e) => e.kind === 'call').length).toBe(10_000);
    check(evidence);
    // Each promises 15 MiB and sends most of it.
    const other = open();
    for (let stream = 1; stream < 40; stream += 2) {
      const head = bytes([0], u32(15 * MIB));
      other.bytes(1, 'c', frame(T.HEADERS, F.END_HEADERS, stream, headers({ ':path': '/x.Y/Z' })), 2);
      other.bytes(1, 'c', frame(T.DATA, 0, stream, head), 2);
      for (let i = 0; i < 900; i++) other.bytes(1, 'c', frame(T.DATA, 0, stream, new Uint8Array(16_000)), 2);
      expect(other.held).toBeLessThanOrEqual(64 * MIB);
    }
  });

  it('does not make much of a little: a message of nothing but fields, one that is pressed', () => {
    const conversation = open({ inflate: () => null });
    const many = new Uint8Array(2 * 3 * MIB);
    for (let i = 0; i < many.length; i += 2) many[i] = 10;
    const list = '/runtime.v1.RuntimeService/ListContainers';
    const parts = answer(1, many);
    const evidence = conversation.bytes(1, 'c', request(1, list, bytes()), 2);
    // The frame is longer than the other side takes: it is cut into those that are not.
    const whole = parts;
    for (let i = 0; i < whole.length; i += 16_000)
      evidence.push(...conversation.bytes(1, 's', whole.subarray(i, i + 16_000), 3));
    check(evidence);
    expect(() => readMessage(list, 'response', many)).toThrow(/more than 1000000 fields/);
    expect(Object.keys(readMessage('/x.Y/Z', 'response', many) as object)).toEqual(['1']);
    expect((readMessage('/x.Y/Z', 'response', many) as { 1: unknown[] })[1]).toHaveLength(1000);
  });

  it('does not fill a table of headers', () => {
    const hpack = new HpackDecoder(false);
    const long = headers({ name: 'v'.repeat(10_000) }, true);
    for (let i = 0; i < 1000; i++) hpack.decode(long);
    const refers = Uint8Array.from([0x80 | 62, 0x80 | 66, 0x80 | 69]);
    expect(hpack.decode(refers).map((f) => f.value?.length ?? null)).toEqual([10_000, 10_000, null]);
  });
});

describe('captures that were changed', () => {
  it.each([5, 6])('give typed gaps, seed %i', (seed) => {
    const next = random(seed * 104_729);
    const readers = [
      new CRICaptureReader('cri', { readMessage }),
      new ContainerEventsReader('events'),
      new EvidenceLinesReader('tap'),
    ];
    const changed = Uint8Array.from(capture);
    for (let i = 0; i < changed.length / 200; i++) changed[next(changed.length)] = next(256);
    for (const reader of readers) {
      for (let i = 0; i < changed.length; i += 4096) check(reader.push(changed.subarray(i, i + 4096)));
      check(reader.push(utf8Bytes('{"at":1e999,"conn":{},"dir":"c","b64":7}\n{"__proto__":{"at":1}}\n')));
      check(reader.end());
    }
  });
});
