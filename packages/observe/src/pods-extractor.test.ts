import { foldAll, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { foreseePods, Observer, PodsEvidenceReader, PodsExtractor } from './index.js';
import { captured, startedMillis } from './testing/capture.js';

function observe(): TraceRecord[] {
  const reader = new PodsEvidenceReader('pods', { startedMillis: startedMillis() });
  const observer = new Observer({ sources: [], extractors: [new PodsExtractor()], foresee: foreseePods });
  return [...observer.push([...reader.push(captured('pods.ndjson')), ...reader.end()]), ...observer.end()];
}

describe('what lists of pods prove', () => {
  it('a status is written when it changes, and rests on its list', () => {
    const records = observe();
    const statuses = records.flatMap((r) => (r.kind === 'status' ? [r] : []));
    expect(statuses.map(({ pod, status }) => [pod, (status as { phase: string }).phase])).toEqual([
      ['default/web-node1', 'Pending'],
      ['default/web-node1', 'Pending'],
      ['default/web-node1', 'Running'],
    ]);
    for (const { basis, time } of statuses) {
      const list = records.find((r) => r.seq === basis?.[0]);
      expect([list?.kind, list?.time]).toEqual(['pod-list', time]);
    }
  });

  it('the state has the pod, its containers, and that it is no longer desired', () => {
    const records = observe();
    const until = (n: number) => {
      const lists = records.filter((r) => r.kind === 'pod-list');
      return foldAll(records.filter((r) => r.seq < (lists[n]?.seq ?? Number.POSITIVE_INFINITY)));
    };
    const [running] = Object.values(until(4).pods);
    expect(running).toMatchObject({ pod: 'default/web-node1', phase: 'Running', desired: true, source: 'file' });
    expect(Object.values(until(4).containers).map(({ name, state, attempt }) => [name, state, attempt])).toEqual([
      ['app', 'running', 0],
    ]);
    expect(Object.values(until(5).pods)[0]).toMatchObject({ phase: 'Running', desired: false });
  });
});
