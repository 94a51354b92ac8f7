import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { CallEvidence, Evidence, ReturnEvidence, SpanEvidence } from './evidence/index.js';
import { Observer, SpanExtractor, SpansEvidenceReader } from './index.js';
import { captured } from './testing/capture.js';

const observe = (evidence: readonly Evidence[]): TraceRecord[] => {
  const observer = new Observer({
    sources: [{ id: 'spans', kind: 'spans', name: 'spans' }],
    extractors: [new SpanExtractor()],
  });
  return [...observer.push(evidence), ...observer.end()];
};
const spansOfCapture = (): Evidence[] => new SpansEvidenceReader('spans').push(captured('otlp.ndjson'));

const T = 1_700_000_000_000_000;
let ids = 0;
const span = (name: string, at: number, end: number, more: Partial<SpanEvidence> = {}): SpanEvidence => ({
  kind: 'span',
  source: 'spans',
  place: {},
  at: T + at,
  end: T + end,
  name,
  spanKind: name.startsWith('runtime.') ? 'client' : 'internal',
  service: 'kubelet',
  scope: '',
  traceId: 't',
  spanId: `s${++ids}`,
  parentSpanId: '',
  attributes: {},
  ...more,
});
const web = { 'k8s.pod.uid': 'u-1', 'k8s.pod': 'default/web' };
const cri = (method: string, at: number, end: number, more: Partial<SpanEvidence> = {}): SpanEvidence =>
  span(`runtime.v1.RuntimeService/${method}`, at, end, more);

/** The records without evidence. */
const told = (records: readonly TraceRecord[]) => records.filter((r) => !r.evidence && r.kind !== 'goroutine-start');

describe('what spans prove', () => {
  it('a worker enters and leaves its steps, with the CRI calls that it makes within', () => {
    const sync = span('syncPod', 0, 900, { attributes: { ...web, 'k8s.pod.update_type': 'create' }, error: 'no' });
    const run = cri('RunPodSandbox', 100, 500, { parentSpanId: sync.spanId });
    const start = cri('StartContainer', 600, 700, {
      parentSpanId: sync.spanId,
      attributes: { 'rpc.response.status_code': 'NOT_FOUND' },
    });
    const records = observe([run, start, sync]);
    const steps = told(records).filter((r) => !r.kind.startsWith('work-'));
    const [enter, call, ret, call2, ret2, exit] = steps as [
      RecordOf<'enter'>,
      RecordOf<'cri-call'>,
      RecordOf<'cri-return'>,
      RecordOf<'cri-call'>,
      RecordOf<'cri-return'>,
      RecordOf<'exit'>,
    ];
    expect(enter).toMatchObject({ fn: 'SyncPod', args: { pod: 'default/web', uid: 'u-1', updateType: 'create' } });
    const within = { g: enter.g, span: enter.seq };
    expect(call).toMatchObject({ time: 100, method: 'RunPodSandbox', cause: enter.seq, ...within });
    expect(ret).toMatchObject({ time: 500, call: call.seq, took: 400, cause: call.seq, ...within });
    expect(ret.error).toBeUndefined();
    expect(call2).toMatchObject({ time: 600, method: 'StartContainer', ...within });
    expect(ret2).toMatchObject({ time: 700, error: { code: 5, details: '' } });
    expect(exit).toMatchObject({ time: 900, of: enter.seq, fn: 'SyncPod', error: 'no', ...within });
    const work = { pod: 'default/web', uid: 'u-1', workType: 'sync', concluded: true };
    expect(told(records)[0]).toMatchObject({ kind: 'work-start', updateType: 'create', ...work });
    expect(told(records).at(-1)).toMatchObject({ kind: 'work-done', time: 900, error: 'no', ...work });
    // Each rests on the record of its span.
    for (const record of told(records))
      expect(records.find((r) => r.seq === record.basis?.[0])?.kind).toBe('telemetry-span');
  });

  it('a call that was seen on the socket has no second record, and is put within its step', () => {
    const sync = span('syncPod', 0, 900, { attributes: web });
    const run = cri('RunPodSandbox', 100, 500, { parentSpanId: sync.spanId });
    const call: CallEvidence = {
      kind: 'call',
      source: 'cri',
      at: T + 130,
      place: {},
      call: 7,
      method: 'RunPodSandbox',
      request: {},
    };
    const end: ReturnEvidence = {
      kind: 'return',
      source: 'cri',
      at: T + 480,
      place: {},
      call: 7,
      method: 'RunPodSandbox',
      took: 350,
    };
    const records = observe([call, end, sync, run]);
    expect(records.filter((r) => r.kind === 'cri-call')).toHaveLength(1);
    expect(records.filter((r) => r.kind === 'cri-return')).toHaveLength(1);
    const enter = records.find((r) => r.kind === 'enter');
    expect(records.find((r) => r.kind === 'cri-call')).toMatchObject({
      evidence: { source: 'cri' },
      span: enter?.seq,
      g: enter?.g,
    });
    expect(records.find((r) => r.kind === 'cri-return')).toMatchObject({
      evidence: { source: 'cri' },
      span: enter?.seq,
    });
  });

  it('spans of other programs, and those without a time, are only spans', () => {
    const records = observe([
      span('syncPod', 0, 1, { attributes: web, service: 'somebody' }),
      span('syncPod', 0, 1, { attributes: web, at: null }),
      cri('RunPodSandbox', 0, 1, { spanKind: 'server', service: 'containerd' }),
      span('/pods', 0, 1, { spanKind: 'server' }),
    ]);
    expect(told(records)).toEqual([]);
    expect(records).toHaveLength(4);
  });

  it('pairs of lists a period apart are relists; those of others are not', () => {
    const evidence: Evidence[] = [];
    const pair = (at: number) => {
      evidence.push(cri('ListPodSandbox', at, at + 5000), cri('ListContainers', at + 5100, at + 9000));
    };
    for (let n = 0; n < 8; n++) pair(n * 1_012_000);
    // Housekeeping, every two seconds.
    for (let n = 0; n < 4; n++) pair(300_000 + n * 2_000_000);
    const relists = observe(evidence).filter((r) => r.kind === 'relist');
    // The first has none before it, the last none after it.
    expect(relists.map((r) => r.time)).toEqual([1, 2, 3, 4, 5, 6].map((n) => n * 1_012_000 + 9000));
    expect(relists.every((r) => r.concluded && r.basis?.length === 2)).toBe(true);
  });

  it('where two could be the relist, none is', () => {
    const evidence: Evidence[] = [];
    for (const at of [0, 1_012_000, 1_050_000, 2_024_000])
      evidence.push(cri('ListPodSandbox', at, at + 5000), cri('ListContainers', at + 5100, at + 9000));
    expect(observe(evidence).filter((r) => r.kind === 'relist')).toEqual([]);
  });

  it('of a captured run: as many steps as its log has, as many calls as its socket', () => {
    const records = observe(spansOfCapture());
    const entered = records.flatMap((r) => (r.kind === 'enter' ? [r.fn] : []));
    const log = new TextDecoder().decode(captured('kubelet.v4.log'));
    for (const fn of ['SyncPod', 'SyncTerminatingPod', 'SyncTerminatedPod'])
      expect([fn, entered.filter((f) => f === fn).length]).toEqual([fn, log.split(`"${fn} enter"`).length - 1]);
    const truth = JSON.parse(new TextDecoder().decode(captured('truth.json'))) as { cri: { method: string }[] };
    const count = (methods: readonly string[]) => {
      const all: Record<string, number> = {};
      for (const method of methods.toSorted()) all[method] = (all[method] ?? 0) + 1;
      return all;
    };
    expect(count(records.flatMap((r) => (r.kind === 'cri-call' ? [r.method] : [])))).toEqual(
      count(truth.cri.map(({ method }) => method)),
    );
    const exits = records.filter((r) => r.kind === 'exit');
    expect(exits).toHaveLength(entered.length);
  });

  it('relists of a captured run are lists without a filter on the socket', () => {
    const records = observe(spansOfCapture());
    const truth = JSON.parse(new TextDecoder().decode(captured('truth.json'))) as {
      cri: { at: number; method: string; request: { filter?: { state?: object; labelSelector?: object } } }[];
    };
    const start = records.find((r) => r.kind === 'cri-call')?.time ?? 0;
    const first = truth.cri[0]?.at ?? 0;
    const relists = records.filter((r) => r.kind === 'relist');
    expect(relists).toHaveLength(13);
    for (const relist of relists) {
      const at = (relist.time - start) / 1000 + first;
      const near = truth.cri.filter((c) => c.method === 'ListContainers' && Math.abs(c.at - at) < 25);
      expect(near.some(({ request: { filter } }) => !filter?.state && !filter?.labelSelector)).toBe(true);
    }
  });
});
