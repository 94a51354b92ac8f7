import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { Evidence, MetricsEvidence, ReturnEvidence } from './evidence/index.js';
import { MetricsEvidenceReader, MetricsExtractor, Observer, SpanExtractor, SpansEvidenceReader } from './index.js';
import { captured } from './testing/capture.js';

const observe = (evidence: readonly Evidence[]): TraceRecord[] => {
  const observer = new Observer({
    sources: [{ id: 'spans', kind: 'spans', name: 'spans' }],
    extractors: [new SpanExtractor(), new MetricsExtractor()],
  });
  return [...observer.push(evidence), ...observer.end()];
};
const checks = (records: readonly TraceRecord[]): RecordOf<'metrics-check'>[] =>
  records.flatMap((r) => (r.kind === 'metrics-check' ? [r] : []));

const START = 1_700_000_000;
const call = (method: string, second: number): ReturnEvidence => ({
  kind: 'return',
  source: 'cri',
  at: (START + second) * 1e6,
  place: {},
  call: second,
  method,
  took: 1000,
});
const operations = (second: number, told: { readonly [operation: string]: number }): MetricsEvidence => ({
  kind: 'metrics',
  source: 'metrics',
  place: {},
  at: (START + second) * 1e6,
  timed: true,
  samples: new Map([
    ['process_start_time_seconds', START],
    ...Object.entries(told).map(([operation, n]): [string, number] => [name(operation), n]),
  ]),
});
const name = (operation: string) => `kubelet_runtime_operations_total{operation_type="${operation}"}`;
const life = (upTo: number): Evidence[] => [
  call('Version', 1),
  ...Array.from({ length: upTo }, (_, n) => call('RunPodSandbox', n + 2)),
];

describe('counters of the kubelet', () => {
  it('agree with the spans of the same run', () => {
    const spans = new SpansEvidenceReader('spans').push(captured('otlp.ndjson'));
    const reader = new MetricsEvidenceReader('metrics');
    const records = observe([...spans, ...reader.push(captured('metrics.txt')), ...reader.end()]);
    const [check] = checks(records);
    // The last span ends while the answer may still have been on its way.
    expect(check).toMatchObject({ whole: false });
    expect(check?.rows).toHaveLength(18);
    expect(check?.rows.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(check?.rows).toContainEqual({ name: name('list_podsandbox'), told: 27, seen: 27, agrees: true });
    expect(records.some((r) => r.kind === 'disagreement')).toBe(false);
  });

  it('that differ are said to differ, with what each side says', () => {
    const records = observe([...life(20), operations(10.5, { run_podsandbox: 12, version: 1 })]);
    const [check] = checks(records);
    expect(check?.rows).toEqual([
      { name: name('run_podsandbox'), told: 12, seen: 9, agrees: false },
      { name: name('version'), told: 1, seen: 1, agrees: true },
    ]);
    expect(records.find((r) => r.kind === 'disagreement')).toMatchObject({
      about: name('run_podsandbox'),
      sides: [
        { source: 'metrics', value: 12 },
        { source: 'cri', value: 9 },
      ],
    });
  });

  it('of what happens while they are asked for agree either way', () => {
    for (const told of [9, 10]) {
      const [check] = checks(observe([...life(20), operations(11, { run_podsandbox: told })]));
      expect(check?.rows).toEqual([{ name: name('run_podsandbox'), told, seen: told, agrees: true }]);
    }
  });

  it('that nothing was seen after, or of which something was lost, may be higher, but not lower', () => {
    const gap: Evidence = { kind: 'gap', source: 'cri', at: (START + 5.5) * 1e6, place: {}, why: 'Lost.' };
    const verdict = (evidence: readonly Evidence[], told: number) => {
      const [check] = checks(observe([...evidence, operations(10.5, { run_podsandbox: told })]));
      return [check?.whole, check?.rows[0]?.agrees];
    };
    expect(verdict([...life(9)], 12)).toEqual([false, true]);
    expect(verdict([...life(20), gap], 12)).toEqual([false, true]);
    expect(verdict([...life(20), gap], 8)).toEqual([false, false]);
  });

  it('of a kubelet that ran before are compared from one answer to the next', () => {
    const calls = life(30).slice(3);
    const records = observe([
      ...calls,
      operations(10.5, { run_podsandbox: 100 }),
      operations(20.5, { run_podsandbox: 111 }),
    ]);
    expect(checks(records).map(({ rows }) => rows)).toEqual([
      [{ name: name('run_podsandbox'), told: 11, seen: 10, agrees: false }],
    ]);
  });

  it('of calls that the kubelet makes past them may be lower than what was seen', () => {
    const lists = [call('Version', 1), ...Array.from({ length: 20 }, (_, n) => call('ListContainers', n + 2))];
    const [check] = checks(observe([...lists, operations(15.5, { list_containers: 9 })]));
    expect(check?.rows).toEqual([{ name: name('list_containers'), told: 9, seen: 14, agrees: true }]);
  });
});
