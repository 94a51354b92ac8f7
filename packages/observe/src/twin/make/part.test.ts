import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { PartKeeper } from './part.js';

const record = (seconds: number, body: RecordBody): TraceRecord =>
  ({ ...body, seq: seconds + 1, time: seconds * 1e6, g: 0, span: 0, cause: 0 }) as TraceRecord;
const config = (op: 'ADD' | 'REMOVE', uid: string): RecordBody => ({
  ...{ kind: 'pod-config', source: 'api', op },
  pods: [{ pod: `default/${uid}`, uid }],
});
const status = (uid: string, version: number): RecordBody => ({
  ...{ kind: 'status', version, uid, pod: `default/${uid}` },
  status: { phase: 'Running' },
});
const line: RecordBody = { kind: 'log', v: 2, severity: 'I', file: 'x.go', msg: 'said', kv: {} } as RecordBody;
const kept = (from: number, to: number, ...list: TraceRecord[]) => {
  const keeper = new PartKeeper({ from: from * 1e6, to: to * 1e6 });
  for (const one of list) if (!keeper.take(one)) break;
  return keeper.records.map(({ time }) => time / 1e6);
};

describe('a part of a run', () => {
  it('has all records of its time, and those after it that its last decisions rest on', () => {
    const times = [1, 100, 150, 205, 211, 212];
    expect(kept(100, 200, ...times.map((at) => record(at, { kind: 'relist', scope: 'global' })))).toEqual([
      100, 150, 205,
    ]);
  });

  it('knows from before it how the node came to be as it is: settings, pods that are there, the last status', () => {
    const started: RecordBody = { kind: 'process', process: 'kubelet', state: 'started' };
    expect(
      kept(
        1000,
        2000,
        ...[record(1, started), record(20, line), record(300, line)],
        ...[record(301, config('ADD', 'a')), record(302, config('ADD', 'b')), record(303, status('a', 1))],
        ...[record(304, status('b', 1)), record(305, status('a', 2)), record(306, config('REMOVE', 'b'))],
        record(1500, line),
      ),
    ).toEqual([1, 20, 301, 305, 1500]);
  });

  it('keeps a pod that was removed and came back', () => {
    const list = [record(1, config('ADD', 'a')), record(2, config('REMOVE', 'a')), record(3, config('ADD', 'a'))];
    expect(kept(10, 20, ...list)).toContain(3);
  });

  it('takes no more memory for weeks before it than for what is there', () => {
    const keeper = new PartKeeper({ from: 1e12 });
    for (let i = 0; i < 120_000; i++) keeper.take(record(i, i % 3 === 0 ? status('a', i) : line));
    expect(keeper.records.length).toBeLessThan(100);
    expect(keeper.weight).toBeLessThan(100_000);
  });
});
