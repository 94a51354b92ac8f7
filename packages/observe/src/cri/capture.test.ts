import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { utf8Bytes, utf8Text } from '@syncloop/core/base';
import { readMessage } from '@syncloop/core/cri/wire';
import type { Json } from '@syncloop/core/trace';
import { isListing } from '@syncloop/core/trace/kinds';
import { describe, expect, it } from 'vitest';
import type { CallEvidence, Evidence, ReturnEvidence } from '../evidence/index.js';
import { CRICaptureReader } from './capture.js';
import { UNKNOWN_METHOD } from './conversation.js';

const folder = new URL('../../../core/testdata/attach/v1.36-v4-calls/', import.meta.url);
const file = (path: string) => readFileSync(new URL(path, folder));
const unpacked = (path: string): Uint8Array => Uint8Array.from(gunzipSync(file(path)));
const CAPTURES = ['single-pod-lifecycle', 'post-start-fails'];

interface TrueCall {
  readonly method: string;
  readonly at: number;
  readonly tookMs: number;
  readonly request: Json;
  readonly response?: Json;
  readonly error?: { readonly code: number; readonly details: string };
}
function read(bytes: Uint8Array, piece = 1e9, startedAt = 0): Evidence[] {
  const reader = new CRICaptureReader('cri', { readMessage, startedAt });
  const out: Evidence[] = [];
  for (let i = 0; i < bytes.length; i += piece) out.push(...reader.push(bytes.subarray(i, i + piece)));
  return [...out, ...reader.end()];
}
const calls = (evidence: readonly Evidence[]) => evidence.filter((e): e is CallEvidence => e.kind === 'call');
const returns = (evidence: readonly Evidence[]) => evidence.filter((e): e is ReturnEvidence => e.kind === 'return');
const gaps = (evidence: readonly Evidence[]) => evidence.filter((e) => e.kind === 'gap');

/** One text for each call. The truth has other paths, bytes as lists of numbers, and empty lists where we have none. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_, v) => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return v;
    if (v.type === 'Buffer') return Buffer.from(v.data).toString('base64');
    const kept = Object.entries(v).filter(([, one]) => !(Array.isArray(one) && one.length === 0));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  }).replaceAll('/tmp/golden/', '/node/');

describe.each(CAPTURES)('the capture %s', (name) => {
  const evidence = read(unpacked(`${name}/cri-bytes.ndjson.gz`));
  const truth: TrueCall[] = JSON.parse(utf8Text(unpacked(`${name}/truth.json.gz`))).cri;
  const byCall = new Map(calls(evidence).map((call) => [call.call, call]));
  const found = returns(evidence).map(({ call, method, response, error }) => ({
    method,
    request: byCall.get(call)?.request,
    ...(error ? { error } : { response }),
  }));

  it('has each call that changes something, whole, and no other', () => {
    const changing = <T extends { method: string }>(all: readonly T[]) => all.filter((c) => !isListing(c.method));
    const want = changing(truth).map(({ method, request, response, error }) =>
      shown({ method, request, ...(error ? { error } : { response: response ?? {} }) }),
    );
    expect(changing(found).map(shown).sort()).toEqual(want.sort());
    expect(want.length).toBeGreaterThan(5);
  });

  it('has as many of every other call, with their requests', () => {
    const request = (c: { method: string; request?: Json | undefined }) =>
      shown({ method: c.method, request: c.request });
    expect(found.map(request).sort()).toEqual(truth.map(request).sort());
    expect(gaps(evidence)).toEqual([]);
  });

  it('has their times', () => {
    const at = (all: readonly { method: string; at: number | null }[]) =>
      all.filter((c) => !isListing(c.method)).map((c) => c.at ?? 0);
    const [mine, its] = [at(calls(evidence)), at(truth)];
    for (const [i, time] of its.entries()) expect(Math.abs((mine[i] ?? 0) / 1000 - time)).toBeLessThan(100);
  });

  it('says whose call it is, also where only an answer before it told', () => {
    const stop = calls(evidence).find((c) => c.method === 'StopContainer');
    expect(stop?.subject).toMatchObject({ uid: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(stop?.subject?.sandbox).toMatch(/^[0-9a-f]{64}$/);
    expect(stop?.subject?.container).toBe((stop?.request as { containerId?: string } | undefined)?.containerId);
  });
});

describe('a capture', () => {
  const bytes = unpacked('single-pod-lifecycle/cri-bytes.ndjson.gz');
  const lines = utf8Text(bytes).trimEnd().split('\n');

  it('is the same in pieces of any size', () => {
    const whole = read(bytes);
    for (const piece of [61, 4096]) expect(read(bytes, piece)).toEqual(whole);
  });

  it('knows its clock from its first line, or from who reads it', () => {
    const first = (start: string, startedAt?: number) => read(utf8Bytes(start + lines.join('\n')), 1e9, startedAt)[0];
    const said = first('{"startedAt":"2026-11-22T11:31:15.508Z"}\n');
    expect(said?.at).toBe(Date.parse('2026-11-22T11:31:15.508Z') * 1000 + 127_000 - 3000);
    expect(first('', 1_000_000)?.at).toBe(1_000_000_000 + 124_000);
  });

  it('that begins in the middle of connections gives what can be known, and says so', () => {
    const evidence = read(utf8Bytes(lines.slice(60).join('\n')));
    expect(gaps(evidence).map((g) => g.why)).toContain(
      'A connection is seen from its middle: methods and headers of its first calls are unknown.',
    );
    const known = calls(evidence).filter((c) => c.method !== UNKNOWN_METHOD);
    const whole = calls(read(bytes)).map((c) => shown({ method: c.method, request: c.request }));
    for (const call of known) expect(whole).toContain(shown({ method: call.method, request: call.request }));
    expect(known.length).toBeGreaterThan(20);
    // Nothing of an unknown method is guessed: its fields have numbers.
    const unknown = calls(evidence).filter((c) => c.method === UNKNOWN_METHOD);
    expect(unknown.length).toBeGreaterThan(0);
    for (const call of unknown) expect(Object.keys(call.request ?? {}).every((key) => /^\d+$/.test(key))).toBe(true);
  });

  it('goes on after bytes that were not kept', () => {
    const start = lines.findIndex((line) => line.includes('"dir":"c"') && JSON.parse(line).at > 3630);
    const cut = lines.map((line, i) => {
      if (i < start || i >= start + 6 || !line.includes('b64')) return line;
      const { at, conn, dir, b64 } = JSON.parse(line);
      return JSON.stringify({ at, conn, dir, lost: Buffer.from(b64, 'base64').length });
    });
    const evidence = read(utf8Bytes(cut.join('\n')));
    expect(gaps(evidence).length).toBeGreaterThan(0);
    expect(gaps(evidence)[0]).toMatchObject({ bytes: expect.any(Number), place: { line: expect.any(Number) } });
    const whole = new Set(calls(read(bytes)).map((c) => shown({ method: c.method, request: c.request })));
    const wrong = calls(evidence).filter(
      (c) =>
        c.method !== UNKNOWN_METHOD &&
        c.request !== null &&
        !whole.has(shown({ method: c.method, request: c.request })),
    );
    expect(wrong).toEqual([]);
    // The last calls are as they were.
    const tail = (all: Evidence[]) =>
      calls(all)
        .slice(-8)
        .map((c) => shown([c.method, c.request]));
    expect(tail(evidence)).toEqual(tail(read(bytes)));
  });

  it('says which line it cannot read', () => {
    const evidence = read(utf8Bytes(`nonsense\n{"at":1}\n{"at":1,"conn":0,"dir":"x"}\n{"at":2,"conn":0,"op`));
    expect(gaps(evidence).map((g) => [g.place.line, g.why])).toEqual([
      [1, 'Line 1 is not a JSON object.'],
      [2, 'A line is not in the format of a CRI capture.'],
      [3, 'A line is not in the format of a CRI capture.'],
      [4, 'Line 4 is not a JSON object: the file ends within it.'],
    ]);
  });
});
