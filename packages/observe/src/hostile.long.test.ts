/** Bytes that anybody may have made: nothing throws, nothing grows without end, and losses are reported. */

import { base64Encode, utf8Bytes, utf8Text } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import type { Evidence, EvidenceReader } from './evidence/index.js';
import {
  allExtractors,
  foresee,
  MetricsEvidenceReader,
  Observer,
  PodsEvidenceReader,
  SpansEvidenceReader,
} from './index.js';
import { spansOfBinary } from './spans/otlp.js';
import { captured } from './testing/capture.js';
import { manyRuns } from './testing/sampled.js';

/** upstream: Mulberry32, by Tommy Ettinger. */
function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The bytes with some of them changed, taken out, doubled, or cut off. */
function damaged(bytes: Uint8Array, next: () => number): Uint8Array {
  const out = [...bytes];
  for (let n = 1 + Math.floor(next() * 20); n > 0; n--) {
    const at = Math.floor(next() * out.length);
    const what = next();
    if (what < 0.5) out[at] = Math.floor(next() * 256);
    else if (what < 0.7) out.splice(at, 1 + Math.floor(next() * 8));
    else if (what < 0.9) out.splice(at, 0, ...out.slice(at, at + Math.floor(next() * 40)));
    else out.length = Math.max(1, at);
  }
  return Uint8Array.from(out);
}
const noise = (length: number, next: () => number) => Uint8Array.from({ length }, () => Math.floor(next() * 256));

/** Reads in pieces of any size, and has all extractors hear it. How many pieces of evidence and gaps there were. */
function survives(
  make: () => EvidenceReader,
  kind: 'spans' | 'pods' | 'metrics',
  bytes: Uint8Array,
  next: () => number,
) {
  const reader = make();
  const observer = new Observer({ sources: [{ id: 'x', kind, name: 'x' }], extractors: allExtractors(), foresee });
  const evidence: Evidence[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = 1 + Math.floor(next() * 10_000);
    evidence.push(...reader.push(bytes.slice(at, at + piece)));
    at += piece;
  }
  evidence.push(...reader.end());
  const records = [...observer.push(evidence), ...observer.end()];
  expect(records.filter((r) => r.evidence)).toHaveLength(evidence.length);
  for (const one of evidence) if (one.kind === 'gap') expect(one.why).toMatch(/^[A-Z0-9][\s\S]*\.$/);
  for (const r of records) expect(Number.isSafeInteger(r.time) && r.time >= 0).toBe(true);
  return { evidence: evidence.length, gaps: evidence.filter((one) => one.kind === 'gap').length };
}

const BYTES = manyRuns ? 1_000_000 : 400_000;

describe('bytes by the hundred thousand', () => {
  it('of damaged spans', () => {
    const next = random(14);
    const lines = utf8Text(captured('otlp.ndjson')).trim().split('\n');
    const batches = lines.map((line) => Buffer.from((JSON.parse(line) as { b64: string }).b64, 'base64'));
    let read = 0;
    let thrown = 0;
    for (let n = 0; read < BYTES; n++) {
      const whole = batches[n % batches.length] as Uint8Array;
      const part = n % 10 === 9 ? noise(5000, next) : damaged(whole.subarray(0, 20_000), next);
      read += part.length;
      // The bytes as a receiver gets them: an Error, or spans.
      try {
        spansOfBinary(part);
      } catch (err) {
        expect(err).toBeInstanceOf(Error);
        thrown++;
      }
      const text = n % 2 === 0 ? base64Encode(part) : `{"b64":"${base64Encode(part)}"}`;
      const { evidence } = survives(() => new SpansEvidenceReader('x'), 'spans', utf8Bytes(`${text}\n`), next);
      expect(evidence).toBeGreaterThan(0);
    }
    expect(thrown).toBeGreaterThan(10);
    // Whole spans whose content is damaged, and lines that are.
    const file = damaged(captured('otlp.ndjson'), next);
    survives(() => new SpansEvidenceReader('x'), 'spans', file, next);
    survives(() => new SpansEvidenceReader('x'), 'spans', noise(BYTES, next), next);
  });

  it('of damaged pods, as JSON and YAML', () => {
    const next = random(15);
    const file = captured('pods.ndjson');
    let read = 0;
    let gaps = 0;
    while (read < BYTES) {
      const part = damaged(file, next);
      read += part.length;
      gaps += survives(() => new PodsEvidenceReader('x', { startedMillis: 0 }), 'pods', part, next).gaps;
    }
    expect(gaps).toBeGreaterThan(10);
    survives(() => new PodsEvidenceReader('x', { startedMillis: 0 }), 'pods', noise(BYTES, next), next);
    const yaml =
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {b: "c"}\nstatus:\n  phase: Running\n---\n';
    for (let n = 0; n < 300; n++)
      survives(
        () => new PodsEvidenceReader('x', { startedMillis: null }),
        'pods',
        damaged(utf8Bytes(yaml.repeat(3)), next),
        next,
      );
  });

  it('of damaged counters', () => {
    const next = random(16);
    const file = captured('metrics.txt').subarray(0, 100_000);
    for (let read = 0; read < BYTES; read += file.length)
      survives(() => new MetricsEvidenceReader('x'), 'metrics', damaged(file, next), next);
    survives(() => new MetricsEvidenceReader('x'), 'metrics', noise(BYTES, next), next);
  });
});

describe('what is made to be large', () => {
  it('spans within spans, values within values, and texts without end are cut', () => {
    const nest = (depth: number): object =>
      depth === 0 ? { stringValue: 'x' } : { arrayValue: { values: [nest(depth - 1)] } };
    const span = (attributes: object[]) => ({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [{ traceId: '00', spanId: '00', name: 'n'.repeat(1e6), startTimeUnixNano: '1000000', attributes }],
            },
          ],
        },
      ],
    });
    const read = (value: object) => new SpansEvidenceReader('x').push(utf8Bytes(`${JSON.stringify(value)}\n`));
    const [wide] = read(span(Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, value: { stringValue: 'v' } }))));
    expect(wide?.kind === 'span' && [wide.name.length, Object.keys(wide.attributes).length]).toEqual([4096, 128]);
    const [deep] = read(span([{ key: 'a', value: nest(20) }]));
    expect(deep?.kind === 'span' && deep.attributes.a).toEqual([[[[null]]]]);
    const [deeper] = read(span([{ key: 'a', value: nest(200) }]));
    expect(deeper?.kind === 'span' && deeper.attributes.a).toEqual([[[[null]]]]);
    // In protobuf, where messages are read within each other: value, list, value, list...
    const within = (tag: number, bytes: readonly number[]) => [
      tag,
      (bytes.length & 0x7f) | 0x80,
      (bytes.length >> 7) & 0x7f,
      ...bytes,
    ];
    let value: number[] = [];
    for (let n = 0; n < 200; n++) value = within(0x2a, within(0x0a, value));
    const request = [0x12, 0x4a, 0x12, 0x12, 0x0a].reduce((bytes, tag) => within(tag, bytes), value);
    expect(() => spansOfBinary(Uint8Array.from(request))).toThrow(/more than 100 messages within each other/);
  });

  it('spans that are each other’s parents have an end', () => {
    const spans = Array.from(
      { length: 3 },
      (_, i): Evidence => ({
        kind: 'span',
        source: 'x',
        place: {},
        at: 1e15 + i,
        end: 1e15 + 100,
        name: 'runtime.v1.RuntimeService/RunPodSandbox',
        spanKind: 'client',
        service: 'kubelet',
        scope: '',
        traceId: '',
        spanId: `s${i}`,
        parentSpanId: `s${(i + 1) % 3}`,
        attributes: {},
      }),
    );
    const observer = new Observer({ sources: [], extractors: allExtractors(), foresee });
    const records = [...observer.push(spans), ...observer.end()];
    expect(records.filter((r) => r.kind === 'cri-call')).toHaveLength(3);
  });

  it('ends that never come are told before their time, and there are no more of them than are held', () => {
    const spans = Array.from(
      { length: 50_000 },
      (_, i): Evidence => ({
        kind: 'span',
        source: 'x',
        place: {},
        at: 1e15 + i,
        end: 8e15 - i,
        name: 'runtime.v1.RuntimeService/StopContainer',
        spanKind: 'client',
        service: 'kubelet',
        scope: '',
        traceId: '',
        spanId: `s${i}`,
        parentSpanId: '',
        attributes: {},
      }),
    );
    const observer = new Observer({ sources: [], extractors: allExtractors(), foresee });
    const early = observer.push(spans).filter((r) => r.kind === 'cri-return');
    const before = early.length;
    expect(before).toBeGreaterThan(0);
    // They do not take the time with them.
    expect(early.every(({ time }) => time < 1e6)).toBe(true);
    expect(before + observer.end().filter((r) => r.kind === 'cri-return').length).toBe(50_000);
  });
});
