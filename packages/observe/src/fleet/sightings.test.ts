import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { Sightings } from './sightings.js';

const EPOCH = Date.UTC(2026, 10, 22, 10) * 1000;
const S = 1e6;
let seq = 0;
const record = (time: number, body: object) => ({ seq: ++seq, time, ...body }) as unknown as TraceRecord;
const added = (time: number, ...pods: string[]) =>
  record(time, { kind: 'pod-config', source: 'api', op: 'ADD', pods: pods.map((pod) => ({ pod, uid: `u-${pod}` })) });
const started = (time: number, pod: unknown, created: string) =>
  record(time, {
    kind: 'log',
    severity: 'I',
    msg: 'Observed pod startup duration',
    kv: { pod, podCreationTimestamp: created },
  });
function seen(...records: TraceRecord[]) {
  const sightings = new Sightings();
  for (const one of records) sightings.take(one, EPOCH);
  return sightings;
}

describe('sightings', () => {
  it('are landings of pods that came, not of those that a kubelet had when it started', () => {
    const one = seen(
      record(0, { kind: 'process', process: 'kubelet', state: 'started' }),
      added(S, 'a/1', 'a/2', 'a/3'),
      added(5 * S, 'a/4'),
      record(60 * S, { kind: 'process', process: 'kubelet', state: 'started' }),
      added(61 * S),
      added(62 * S, 'a/1', 'a/4'),
      added(90 * S, 'a/5'),
    );
    expect(one.landings(EPOCH).map(({ pod, at }) => [pod, at - EPOCH / 1000])).toEqual([
      ['a/4', 5000],
      ['a/5', 90_000],
    ]);
  });

  it('of evictions have each pod once, at its first line', () => {
    const evict = (time: number, phase: string, pod: string) =>
      record(time, { kind: 'eviction', phase, pod, uid: 'u' });
    const one = seen(
      evict(S, 'evict', 'a/1'),
      evict(2 * S, 'evicted', 'a/1'),
      evict(9 * S, 'rank', ''),
      evict(10 * S, 'evict', 'a/2'),
    );
    expect(one.evictions(EPOCH).map(({ pod, at }) => [pod, at - EPOCH / 1000])).toEqual([
      ['a/1', 1000],
      ['a/2', 10_000],
    ]);
  });

  it('give the clock from what the API server and the kubelet dated, in text and in JSON', () => {
    const one = seen(
      added(30 * S, 'a/1'),
      added(40 * S, 'a/2'),
      added(50 * S, 'a/3'),
      started(35 * S, 'a/1', '2026-11-22 10:00:10 +0000 UTC'),
      started(45 * S, { namespace: 'a', name: 'a-2' }, '2026-11-22 10:00:20 +0000 UTC'),
      started(45 * S, { namespace: 'a', name: '2' }, '2026-11-22T10:00:20Z'),
      started(55 * S, 'a/3', '2026-11-22 12:00:30 +0200 CEST'),
      started(56 * S, 'a/9', 'yesterday'),
    );
    expect(one.clock()).toEqual({ ahead: 19_500, uncertainty: 1000, pods: 3 });
    expect(one.lines).toEqual({ from: 35 * S, to: 56 * S });
  });
});
