import { utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import { foreseeIdentities, LogEvidenceReader, LogExtractor, Observer } from './index.js';

const NOT_AFTER = Date.UTC(2026, 10, 22, 12);
const LOG = `I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.36.2"
I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web"]
goroutine 1 [running]:
I1122 10:00:01.000400    1432 pod_workers.go:1] "Pod is being synced for the first time" pod="default/web" podUID="u-1" updateType="create"
`;
function observe(text: string, piece: number) {
  const extractor = new LogExtractor();
  const observer = new Observer({
    sources: [{ id: 'log', kind: 'log', name: 'kubelet.log' }],
    extractors: [extractor],
    foresee: foreseeIdentities,
  });
  const reader = new LogEvidenceReader('log', { notAfter: NOT_AFTER });
  const bytes = utf8Bytes(text);
  const records = [];
  for (let at = 0; at < bytes.length; at += piece)
    records.push(...observer.push(reader.push(bytes.slice(at, at + piece))));
  records.push(...observer.push(reader.end()), ...observer.end());
  return { records, extractor, observer };
}

describe('the observer', () => {
  it('makes a record of each line, with its place, and of what the line proves, which rests on it', () => {
    const { records, extractor, observer } = observe(LOG, 1e9);
    const lines = records.filter((r) => r.evidence !== undefined);
    expect(lines.map((r) => r.evidence?.line)).toEqual([1, 2, 3, 4]);
    const config = records.find((r) => r.kind === 'pod-config');
    expect(config).toMatchObject({ op: 'ADD', source: 'file', pods: [{ pod: 'default/web', uid: 'u-1' }] });
    const line = records.find((r) => r.seq === config?.basis?.[0]);
    expect(line).toMatchObject({ kind: 'log', msg: 'SyncLoop ADD', evidence: { source: 'log', line: 2 } });
    expect(config?.concluded).toBeUndefined();
    expect(records.map((r) => r.seq)).toEqual(records.map((_, i) => i + 1));
    expect(extractor.facts.version).toBe('v1.36.2');
    expect(observer.epochMicros).toBe(Date.UTC(2026, 10, 22, 10) * 1000);
  });

  it('makes the same records of pieces of any size', () => {
    const whole = observe(LOG, 1e9).records;
    for (const piece of [1, 7, 64]) expect(observe(LOG, piece).records).toEqual(whole);
  });

  it('puts what sources say in the order of time', () => {
    const observer = new Observer({ sources: [], extractors: [], reach: { micros: 1e6, pieces: 100 } });
    const gap = (source: string, at: number) => ({ kind: 'gap' as const, source, at, place: {}, why: 'Lost.' });
    const records = [
      ...observer.push([gap('a', 5_000_000), gap('a', 5_500_000)]),
      ...observer.push([gap('b', 5_200_000), gap('b', 7_000_000)]),
    ];
    expect(records.map((r) => [r.evidence?.source, r.time])).toEqual([
      ['a', 0],
      ['b', 200_000],
      ['a', 500_000],
    ]);
    expect(observer.end().map((r) => r.time)).toEqual([2_000_000]);
  });

  it('holds back a bounded amount of text, however long each line is', () => {
    const observer = new Observer({ sources: [], extractors: [] });
    const why = 'x'.repeat(1024 * 1024);
    let told = 0;
    for (let at = 1; at <= 100; at++) told += observer.push([{ kind: 'gap', source: 'a', at, place: {}, why }]).length;
    // 64 MiB are kept, with what a line takes besides its text.
    expect(100 - told).toBe(63);
    expect(told + observer.end().length).toBe(100);
  });
});

it('gives a return the record of its call, and keeps of lists how many there were', () => {
  const head = { source: 'cri', place: {} } as const;
  const observer = new Observer({ sources: [], extractors: [] });
  const subject = { uid: 'u-1' };
  observer.push([
    { ...head, kind: 'gap', at: 1, why: 'A gap.' },
    { ...head, kind: 'call', at: 2, call: 7, method: 'ListContainers', request: { filter: {} }, subject },
    { ...head, kind: 'call', at: 3, call: 8, method: 'Version', request: {} },
    {
      ...head,
      kind: 'return',
      at: 4,
      call: 7,
      method: 'ListContainers',
      response: { containers: [{}, {}] },
      took: 2,
      subject,
    },
    { ...head, kind: 'return', at: 5, call: 99, method: 'Version', took: null },
  ]);
  expect(observer.end().slice(1)).toMatchObject([
    { kind: 'cri-call', seq: 2, request: { filter: {} }, uid: 'u-1' },
    { kind: 'cri-call', seq: 3, request: {} },
    { kind: 'cri-return', call: 2, response: { count: 2 }, took: 2, uid: 'u-1' },
    { kind: 'cri-return', call: 0 },
  ]);
});
