import { utf8Text } from '@syncloop/core/base';
import { readMessage } from '@syncloop/core/cri/wire';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { CRICaptureReader } from '../cri/capture.js';
import type { Evidence, Source } from '../evidence/index.js';
import {
  allExtractors,
  foresee,
  LogEvidenceReader,
  MetricsEvidenceReader,
  Observer,
  openObservation,
  PodsEvidenceReader,
  SpansEvidenceReader,
} from '../index.js';
import { captured, startedMillis } from '../testing/capture.js';

const HOUR = 3600e6;
const NOT_AFTER = startedMillis() + 60_000;
const log = (): Evidence[] => {
  const reader = new LogEvidenceReader('log', { notAfter: NOT_AFTER });
  return [...reader.push(captured('kubelet.v4.log')), ...reader.end()];
};
const spans = (offset = 0): Evidence[] =>
  new SpansEvidenceReader('spans')
    .push(captured('otlp.ndjson'))
    .map((e) => (e.kind === 'span' && e.at !== null ? { ...e, at: e.at + offset, end: e.end + offset } : e));
const pods = (): Evidence[] => {
  const reader = new PodsEvidenceReader('pods', { startedMillis: startedMillis() });
  return [...reader.push(captured('pods.ndjson')), ...reader.end()];
};
const sources: readonly Source[] = (['log', 'spans', 'pods', 'cri', 'metrics'] as const).map((kind) => ({
  id: kind,
  kind,
  name: kind,
}));

function observe(...all: readonly (readonly Evidence[])[]): TraceRecord[] {
  const reach = { micros: 10 * HOUR, pieces: 1e6 };
  const observer = new Observer({ sources, extractors: allExtractors(), foresee, reach });
  for (const evidence of all) observer.sight(evidence);
  return [...all.flatMap((evidence) => observer.push(evidence, true)), ...observer.end()];
}
const count = (records: readonly TraceRecord[], kind: string, fn?: string) =>
  records.filter((r) => r.kind === kind && (fn === undefined || (r as { fn?: string }).fn === fn)).length;

describe('a log, spans and the socket of one run', () => {
  it('have one record of each call, within the step that made it, and agree with the counters', () => {
    const cri = new CRICaptureReader('cri', { readMessage, startedAt: startedMillis() });
    const calls = [...cri.push(captured('cri-bytes.ndjson')), ...cri.end()];
    const counters = new MetricsEvidenceReader('metrics').push(captured('metrics.txt'));
    const records = observe(log(), spans(), pods(), calls, counters);
    const truth = JSON.parse(utf8Text(captured('truth.json'))) as { readonly cri: readonly unknown[] };
    expect([count(records, 'cri-call'), count(records, 'cri-return')]).toEqual([truth.cri.length, truth.cri.length]);
    // Each is a record of the socket, none of a span.
    expect(records.every((r) => r.kind !== 'cri-call' || r.evidence?.source === 'cri')).toBe(true);
    // Which step a call was made in, only spans tell of those that name no pod.
    const within = (all: readonly TraceRecord[]) => all.filter((r) => r.kind === 'cri-call' && r.span > 0).length;
    expect(within(records)).toBeGreaterThan(within(observe(log(), pods(), calls)));
    expect(records.filter((r) => r.kind === 'disagreement')).toEqual([]);
  });
});

describe('a log and spans of one run', () => {
  it.each([0, 2 * HOUR, -7 * HOUR])('have one record of each step, with clocks that differ by %d us', (offset) => {
    const records = observe(log(), spans(offset), pods());
    for (const [fn, n] of [
      ['SyncPod', 3],
      ['SyncTerminatingPod', 1],
      ['SyncTerminatedPod', 1],
    ] as const)
      expect([fn, count(records, 'enter', fn), count(records, 'exit', fn)]).toEqual([fn, n, n]);
    expect([count(records, 'work-start'), count(records, 'work-done')]).toEqual([5, 5]);
    expect(count(records, 'cri-return')).toBe(count(records, 'cri-call'));
    const [found] = records.flatMap((r) => (r.kind === 'clock-offset' && r.source === 'spans' ? [r] : []));
    expect(found?.against).toBe('log');
    expect(Math.abs((found?.offset ?? 0) + offset)).toBeLessThan(100);
    expect(found?.uncertainty).toBeLessThan(100);
    // Calls lie within the steps that made them.
    const enters = new Map(records.flatMap((r) => (r.kind === 'enter' ? [[r.seq, r.time] as const] : [])));
    const within = records.filter((r) => r.kind === 'cri-call' && r.span > 0);
    expect(within.length).toBeGreaterThan(8);
    for (const { span, time } of within) expect(time - (enters.get(span) ?? 0)).toBeLessThan(3_000_000);
  });

  it('all rest on evidence, which comes before them', () => {
    const records = observe(log(), spans(), pods());
    for (const r of records)
      for (const basis of r.basis ?? []) {
        expect(basis).toBeLessThan(r.seq);
        expect(records[basis - 1]?.evidence).toBeDefined();
      }
    expect(records.every((r, i) => i === 0 || r.time >= (records[i - 1] as TraceRecord).time)).toBe(true);
  });

  it('opened as files make the same records whatever is read at a time', () => {
    const context = { notAfter: NOT_AFTER, startedMillis: startedMillis() };
    const files = (
      [
        ['log', 'log', 'kubelet.v4.log'],
        ['spans', 'otlp', 'otlp.ndjson'],
        ['pods', 'pods-ndjson', 'pods.ndjson'],
        ['metrics', 'metrics', 'metrics.txt'],
      ] as const
    ).map(([kind, format, file]) => ({ id: kind, kind, format, name: file, context, bytes: captured(file) }));
    const open = (piece: number) => {
      const observation = openObservation(files);
      const at = new Map<string, number>();
      const records: TraceRecord[] = [];
      for (let id = observation.behind; id !== undefined; id = observation.behind) {
        const { bytes } = files.find((f) => f.id === id) as (typeof files)[number];
        const from = at.get(id) ?? 0;
        at.set(id, from + piece);
        records.push(
          ...(from < bytes.length ? observation.push(id, bytes.slice(from, from + piece)) : observation.end(id)),
        );
      }
      return records;
    };
    const whole = open(1e9);
    expect(whole.some((r) => r.kind === 'metrics-check')).toBe(true);
    expect(whole.some((r) => r.kind === 'disagreement' || r.kind === 'evidence-gap')).toBe(false);
    for (const piece of [5000, 70_000]) expect(open(piece)).toEqual(whole);
  });
});
