import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readMessage } from '@syncloop/core/cri/wire';
import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { isListing } from '@syncloop/core/trace/kinds';
import { describe, expect, it } from 'vitest';
import {
  CallExtractor,
  CRICaptureReader,
  type Evidence,
  foreseeIdentities,
  LogEvidenceReader,
  LogExtractor,
  Observer,
} from './index.js';

const folder = new URL('../../core/testdata/attach/v1.36-v4-calls/', import.meta.url);
const unpacked = (path: string): Uint8Array => Uint8Array.from(gunzipSync(readFileSync(new URL(path, folder))));
const startOf = (name: string): number =>
  Date.parse(JSON.parse(readFileSync(new URL(`${name}/about.json`, folder), 'utf8')).startedAt);

type From = 'calls' | 'log';
function read(name: string, from: From): Evidence[] {
  const startedAt = startOf(name);
  const reader =
    from === 'calls'
      ? new CRICaptureReader('cri', { readMessage, startedAt })
      : new LogEvidenceReader('log', { notAfter: startedAt + 3_600_000 });
  const file = from === 'calls' ? 'cri-bytes.ndjson.gz' : 'kubelet.v4.log.gz';
  return [...reader.push(unpacked(`${name}/${file}`)), ...reader.end()];
}
function records(evidence: readonly Evidence[]): TraceRecord[] {
  const extractors = [new LogExtractor(), new CallExtractor()];
  const observer = new Observer({ sources: [], extractors, foresee: foreseeIdentities });
  return [...observer.push([...evidence].sort((a, b) => (a.at ?? 0) - (b.at ?? 0))), ...observer.end()];
}
const ofKind = <K extends TraceRecord['kind']>(all: readonly TraceRecord[], kind: K) =>
  all.filter((r): r is RecordOf<K> => r.kind === kind);
const transitions = (all: readonly TraceRecord[]) =>
  ofKind(all, 'pleg-transition').map((r) => `${r.id} ${r.old} ${r.new}`);
const events = (all: readonly TraceRecord[]) => ofKind(all, 'pleg-event').map((r) => `${r.uid} ${r.type} ${r.data}`);

describe.each(['single-pod-lifecycle', 'post-start-fails'])('from the calls of %s', (name) => {
  const calls = records(read(name, 'calls'));
  const log = records(read(name, 'log'));
  const both = records([...read(name, 'calls'), ...read(name, 'log')]);

  it('finds the kills that the log tells of, with the same periods, and each once where both are read', () => {
    const kills = (all: readonly TraceRecord[]) =>
      ofKind(all, 'kill').map((k) => `${k.pod} ${k.container} ${k.id} ${k.gracePeriod}`);
    expect(kills(log)).not.toEqual([]);
    expect(kills(calls)).toEqual(kills(log));
    expect(kills(both)).toEqual(kills(log));
    expect(ofKind(calls, 'kill').every((k) => k.concluded && (k.basis ?? []).length > 0)).toBe(true);
  });
  it('follows what the PLEG saw and said, the same as the log tells', () => {
    expect(transitions(calls).sort()).toEqual(transitions(log).sort());
    expect(events(calls).sort()).toEqual(events(log).sort());
    expect(events(calls).length).toBeGreaterThan(3);
    for (const record of calls)
      if (record.kind === 'pleg-transition' || record.kind === 'pleg-event') {
        expect(record.concluded).toBe(true);
        const basis = record.basis?.map((seq) => calls[seq - 1]?.kind);
        expect(basis?.length).toBeGreaterThan(0);
        expect(new Set(basis)).toEqual(new Set(['cri-return']));
      }
  });

  it('concludes nothing that the log tells in words', () => {
    expect(transitions(both)).toEqual(transitions(log));
    expect(events(both)).toEqual(events(log));
  });

  it('concludes nothing that the log told a second before the look that shows it', () => {
    const earlier = (at: number | null) => (at === null ? null : at - 1e6);
    const early = read(name, 'log').map(
      (one): Evidence =>
        one.kind === 'line' && one.entry.kind === 'entry' && /PLEG/.test(one.entry.msg)
          ? {
              ...one,
              at: earlier(one.at),
              entry: { ...one.entry, epochMicros: earlier(one.entry.epochMicros) },
            }
          : one,
    );
    const all = records([...read(name, 'calls'), ...early]);
    expect(events(all).sort()).toEqual(events(log).sort());
  });
  it('knows the relists, and what the cache holds after a change', () => {
    const relists = ofKind(calls, 'relist').filter((r) => r.scope === 'global');
    const apart = relists.slice(1).map((r, i) => r.time - (relists[i]?.time ?? 0));
    expect(relists.length).toBeGreaterThan(10);
    expect(apart.every((micros) => micros < 1_300_000)).toBe(true);
    const caches = ofKind(calls, 'cache');
    const ended = caches.flatMap((c) => c.containers).filter((c) => c.state === 'exited');
    expect(ended.length).toBeGreaterThan(0);
    for (const one of ended) expect(one).toMatchObject({ name: 'app', exitCode: expect.any(Number) });
    expect(caches[0]).toMatchObject({ op: 'set', sandboxes: [{ ip: expect.stringMatching(/^10\./) }] });
  });

  it('puts calls that change something into the step of the worker that made them', () => {
    const made = ofKind(both, 'cri-call').filter((r) =>
      /^(RunPodSandbox|(Create|Start|Stop)Container)$/.test(r.method),
    );
    expect(made.length).toBeGreaterThan(2);
    for (const call of made) {
      const step = both[call.span - 1];
      expect(step).toMatchObject({ kind: 'enter', g: call.g });
      const answer = ofKind(both, 'cri-return').find((r) => r.call === call.seq);
      expect(answer).toMatchObject({ g: call.g, span: call.span, cause: call.seq });
    }
    // Without a log the step of a call is unknown.
    for (const call of ofKind(calls, 'cri-call')) expect(call).toMatchObject({ g: 0, span: 0 });
    for (const call of ofKind(both, 'cri-call').filter((r) => isListing(r.method))) expect(call.span).toBe(0);
  });
});

it('takes what is there when it begins to look for no change, and lists of others for no relist', () => {
  const evidence = read('post-start-fails', 'calls').filter(
    (e) => (e.at ?? 0) > (startOf('post-start-fails') + 9_000) * 1000,
  );
  const found = records(evidence);
  const all = records(read('post-start-fails', 'calls'));
  expect(events(found).length).toBeGreaterThan(0);
  for (const event of events(found)) expect(events(all)).toContain(event);
});
