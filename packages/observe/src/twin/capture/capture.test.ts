import { findScenario, startScenario } from '@syncloop/core/scenario';
import type { RecordKind, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { captureOf } from './capture.js';
import { observeCapture } from './observe.js';

const second = 1_000_000;
const scenario = findScenario('crash-loop');
const capture = captureOf(scenario, { until: 40 * second });
const kindsOf = (records: readonly TraceRecord[]) => new Set<RecordKind>(records.map((r) => r.kind));

describe('a capture of our own kubelet', () => {
  it('is observed as a story of all kinds, without a gap', () => {
    const { observation, records } = observeCapture(capture);
    expect(
      records.filter((r) => r.kind === 'evidence-gap' || (r.kind === 'evidence-source' && r.state === 'lost')),
    ).toEqual([]);
    expect(observation.verbosity).toBe(4);
    expect(observation.facts).toMatchObject({ version: 'v1.36.2', node: 'node1' });
    const kinds = kindsOf(records);
    for (const kind of [
      'pod-config',
      'pleg-event',
      'pod-update',
      'cri-call',
      'cri-return',
      'status',
      'backoff',
      'container-event',
      'relist',
    ] as const)
      expect(kinds, kind).toContain(kind);
  });

  it('has each call of the kubelet once, also over restarts of kubelet and runtime', () => {
    for (const name of ['kubelet-crash', 'runtime-stopped', 'pre-stop-hangs']) {
      const told = new Map<string, number>();
      const count = (into: Map<string, number>, key: string, n = 1) => into.set(key, (into.get(key) ?? 0) + n);
      const whole = captureOf(findScenario(name), {
        until: 60 * second,
        sink: (r) => {
          if (r.kind === 'cri-call' && r.method !== 'Version') count(told, r.method);
          // Nobody was there to take the connection.
          if (r.kind === 'cri-return' && r.error?.details.includes('Error while dialing')) count(told, r.method, -1);
        },
      });
      const { records } = observeCapture(whole, ['cri-bytes']);
      expect(records.filter((r) => r.kind === 'evidence-gap')).toEqual([]);
      const seen = new Map<string, number>();
      for (const r of records) if (r.kind === 'cri-call' && r.method !== 'Version') count(seen, r.method);
      expect([...seen].sort(), name).toEqual([...told].filter(([, n]) => n > 0).sort());
    }
  });

  it('is the run as it would be without one, to the byte', () => {
    const plain: TraceRecord[] = [];
    startScenario(scenario, { sink: (r) => plain.push(r) }).run({ until: 40 * second });
    const captured: TraceRecord[] = [];
    captureOf(scenario, { until: 40 * second, sink: (r) => captured.push(r) });
    expect(captured).toEqual(plain);
  });
});
