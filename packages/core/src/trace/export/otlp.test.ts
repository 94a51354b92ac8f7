import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import type { RecordOf, TraceRecord } from '../index.js';
import { Tape } from '../testing/samples.js';
import {
  type ExportTraceServiceRequest,
  type OtlpOptions,
  type OtlpSpan,
  OtlpSpans,
  otlpLines,
  otlpRequests,
} from './index.js';
import { header, recordsOf } from './testing/runs.js';

/** The official types, compiled from the .proto files beside them. */
const registry = createFileRegistry(
  fromBinary(
    FileDescriptorSetSchema,
    readFileSync(new URL('../../../testdata/otlp/trace_service.binpb', import.meta.url)),
  ),
);
const requestType = registry.getMessage('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest');
if (!requestType) throw new Error('testdata/otlp has no ExportTraceServiceRequest');
const official = requestType;

/** OTLP's JSON is protobuf's, but for ids in hex. */
const inBase64 = (value: unknown, key = ''): JsonValue => {
  if (Array.isArray(value)) return value.map((v) => inBase64(v));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, inBase64(v, k)]));
  if (typeof value === 'string' && /^(traceId|spanId|parentSpanId)$/.test(key)) {
    if (!/^([0-9a-f]{32}|[0-9a-f]{16})$/.test(value)) throw new Error(`${key} ${value} is no id`);
    return Buffer.from(value, 'hex').toString('base64');
  }
  return value as JsonValue;
};

const requests = (records: Iterable<TraceRecord>, options?: OtlpOptions): ExportTraceServiceRequest[] =>
  [...otlpLines(header, records, options)].map((line) => JSON.parse(line) as ExportTraceServiceRequest);
interface Scoped extends OtlpSpan {
  readonly scope: string;
}
const spansOf = (records: Iterable<TraceRecord>, options?: OtlpOptions): Scoped[] =>
  requests(records, options).flatMap((r) =>
    r.resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) => spans.map((s) => ({ ...s, scope: scope.name }))),
    ),
  );
const attributes = (span: OtlpSpan): Record<string, string> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0] as string]));

describe.each(['hello', 'liveness', 'graceful-delete'])('the spans of %s', (scenario) => {
  const records = recordsOf(scenario);
  const spans = spansOf(records);
  const byId = new Map(spans.map((s) => [s.spanId, s]));

  it('are messages of the official types, with nothing that those do not know', () => {
    for (const request of requests(records, { batch: 100 })) {
      const json = inBase64(request);
      const message = fromJson(official, json, { ignoreUnknownFields: false });
      const back = toJson(official, message, { enumAsInteger: true }) as { resourceSpans: unknown[] };
      expect(back.resourceSpans).toHaveLength(1);
    }
    expect(() => fromJson(official, { resourceSpans: [{ scopeSpans: [{ spans: [{ nmae: 'x' }] }] }] })).toThrow();
  });

  it('have each an id of its own, a trace and an end not before its begin', () => {
    expect(byId.size).toBe(spans.length);
    for (const s of spans) {
      expect(s.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(s.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(s.endTimeUnixNano) >= BigInt(s.startTimeUnixNano)).toBe(true);
      if (s.parentSpanId === undefined) continue;
      const parent = byId.get(s.parentSpanId);
      // A parent that never ended is not exported.
      if (parent) expect(parent.traceId).toBe(s.traceId);
      if (parent) expect(BigInt(parent.startTimeUnixNano) <= BigInt(s.startTimeUnixNano)).toBe(true);
    }
    const first = spans.find((s) => s.name === 'syncPod') as Scoped;
    const record = records[Number(attributes(first)['syncloop.record']) - 1] as TraceRecord;
    expect(first.startTimeUnixNano).toBe(String(BigInt(header.epochMillis) * 1_000_000n + BigInt(record.time) * 1000n));
  });

  it('are those of the kubelet, by name', () => {
    const count = (pick: (r: TraceRecord) => boolean) => records.filter(pick).length;
    const returned = (fn: string) => count((r) => r.kind === 'exit' && r.fn === fn);
    expect(spans.filter((s) => s.name === 'syncPod')).toHaveLength(returned('SyncPod'));
    expect(spans.filter((s) => s.name === 'syncTerminatingPod')).toHaveLength(returned('SyncTerminatingPod'));
    expect(spans.filter((s) => s.kind === 3)).toHaveLength(count((r) => r.kind === 'cri-return'));
    const theirs = new Set(spans.filter((s) => s.scope !== 'syncloop').map((s) => s.name.replace(/\/.*/, '')));
    expect(
      [...theirs].filter(
        (n) => !/^(sync(Terminat(ing|ed))?Pod|Images|Containers|runtime\.v1\.(Runtime|Image)Service)$/.test(n),
      ),
    ).toEqual([]);
    const ours = new Set(spans.filter((s) => s.scope === 'syncloop').map((s) => s.name));
    expect([...ours].every((n) => n.startsWith('syncloop.'))).toBe(true);
    expect(spansOf(records, { own: false }).some((s) => s.scope === 'syncloop')).toBe(false);
  });

  it('have the attributes of the kubelet', () => {
    for (const s of spans.filter((x) => x.name === 'syncPod')) {
      const a = attributes(s);
      expect(Object.keys(a)).toEqual([
        'k8s.pod.uid',
        'k8s.pod',
        'k8s.pod.name',
        'k8s.pod.update_type',
        'k8s.namespace.name',
        'syncloop.record',
      ]);
      expect(a['k8s.pod']).toBe(`${a['k8s.namespace.name']}/${a['k8s.pod.name']}`);
      expect(a['k8s.pod.update_type']).toMatch(/^(create|update|sync)$/);
    }
    const run = spans.find((s) => s.name === 'runtime.v1.RuntimeService/RunPodSandbox') as Scoped;
    expect(attributes(run)).toMatchObject({
      'rpc.system': 'grpc',
      'rpc.service': 'runtime.v1.RuntimeService',
      'rpc.method': 'RunPodSandbox',
      'rpc.grpc.status_code': '0',
    });
    expect(byId.get(run.parentSpanId ?? '')?.name).toBe('syncPod');
  });

  it('are roots where the kubelet begins with a context of its own', () => {
    const lists = spans.filter((s) => s.name === 'runtime.v1.RuntimeService/ListContainers');
    expect(lists.some((s) => s.parentSpanId === undefined)).toBe(true);
    for (const s of spans.filter((x) => x.name === 'syncPod' || x.name === 'syncTerminatingPod'))
      expect(s.parentSpanId).toBeUndefined();
    // Probes are nobody's children; hooks belong to the sync that runs them, in whatever goroutine.
    for (const s of spans.filter((x) => x.name.endsWith('/ExecSync')))
      expect(byId.get(s.parentSpanId ?? '')?.name).toBe(
        scenario === 'graceful-delete' ? 'syncTerminatingPod' : undefined,
      );
  });

  it('are the same every time', () => {
    expect([...otlpLines(header, records)].join('')).toBe([...otlpLines(header, records)].join(''));
    const other = [...otlpRequests({ ...header, seed: 2 }, records)];
    expect(JSON.stringify(other)).not.toContain(spans[0]?.traceId);
  });
});

describe('spans', () => {
  it('tell what failed, in the manner of the kubelet', () => {
    const tape = new Tape();
    tape.add({ kind: 'goroutine-start', id: 1, name: 'podWorker', parent: 0, process: 'kubelet' }, { g: 0 });
    const enter = tape.add({
      kind: 'enter',
      fn: 'SyncPod',
      args: { pod: 'default/web', uid: 'u', updateType: 'sync' },
    });
    const call = tape.add({ kind: 'cri-call', method: 'PullImage', request: {} });
    tape.add({
      kind: 'cri-return',
      call: call.seq,
      method: 'PullImage',
      took: 5,
      error: { code: 14, details: 'no route' },
    });
    tape.add({ kind: 'exit', of: enter.seq, fn: 'SyncPod', error: 'pull failed' });
    const [pull, sync] = spansOf(tape.records) as [Scoped, Scoped];
    expect(pull).toMatchObject({
      name: 'runtime.v1.ImageService/PullImage',
      kind: 3,
      parentSpanId: sync.spanId,
      traceId: sync.traceId,
      status: { code: 2, message: 'no route' },
    });
    expect(attributes(pull)['rpc.grpc.status_code']).toBe('14');
    expect(sync.status).toEqual({ code: 2, message: 'pull failed' });
    expect(sync.events?.[0]).toMatchObject({ name: 'exception', timeUnixNano: sync.endTimeUnixNano });
  });

  it('of an image pull are children of the sync that asked for it, whoever pulls', () => {
    const all = spansOf(recordsOf('image-missing'));
    const pulls = all.filter((s) => s.name.endsWith('/PullImage'));
    const spans = new Map(all.map((s) => [s.spanId, s]));
    expect(pulls.length).toBeGreaterThan(0);
    for (const p of pulls) expect(spans.get(p.parentSpanId ?? '')?.name).toBe('syncPod');
  });

  it('name the channel of each iteration', () => {
    const iterations = spansOf(recordsOf('hello')).filter((s) => s.name === 'syncloop.iteration');
    const channels = new Set(iterations.map((s) => attributes(s)['syncloop.channel']));
    expect(channels).toContain('plegCh');
    expect(channels).toContain('configCh');
    const selects = recordsOf('hello').filter(
      (r): r is RecordOf<'select'> => r.kind === 'select' && r.cases.length > 3,
    );
    expect(iterations.length).toBeGreaterThan(selects.length - 2);
  });
});

describe('a stream of spans', () => {
  it('is what an export of the same records has, span by span', () => {
    const records = recordsOf('hello');
    const stream = new OtlpSpans(header, true);
    const ended = records.flatMap((r) => stream.add(r)?.span ?? []);
    const byId = (spans: readonly OtlpSpan[]) => new Map(spans.map(({ spanId, ...s }) => [spanId, JSON.stringify(s)]));
    expect(ended.length).toBeGreaterThan(100);
    expect(byId(ended)).toEqual(byId(spansOf(records).map(({ scope: _, ...s }) => s)));
  });

  it('holds no more after months than what is open, and still knows the channels of the loop', () => {
    const stream = new OtlpSpans(header, true);
    const tape = new Tape();
    tape.add({ kind: 'chan-make', chan: 1, name: 'configCh', cap: 1 });
    tape.add({ kind: 'chan-make', chan: 2, name: 'plegCh', cap: 1 });
    const iteration = (chosen: number) => {
      const enter = tape.add({ kind: 'enter', fn: 'syncLoopIteration', args: null }, { g: 1 });
      tape.add({ kind: 'select', cases: [1, 2], ready: [chosen], chosen, item: null, ok: true, cause: 0 } as never, {
        g: 1,
      });
      tape.add({ kind: 'exit', of: enter.seq, fn: 'syncLoopIteration' }, { g: 1 });
    };
    for (let month = 0; month < 4; month++) {
      for (let i = 0; i < 3000; i++) {
        const g = 100_000 * (month + 1) + i;
        tape.add({ kind: 'chan-make', chan: g, name: 'timer', cap: 1 });
        // A goroutine that nobody was told of, and one that was.
        const enter = tape.add({ kind: 'enter', fn: 'relistPod', args: null }, { g });
        tape.add({ kind: 'exit', of: enter.seq, fn: 'relistPod' }, { g });
        const call = tape.add({ kind: 'cri-call', method: 'Status', request: {} }, { g });
        tape.add({ kind: 'cri-return', call: call.seq, method: 'Status', took: 1, response: {} }, { g });
      }
      iteration(0);
    }
    iteration(1);
    const ended = tape.records.flatMap((r) => stream.add(r)?.span ?? []);
    const channels = ended
      .filter((s) => s.name === 'syncloop.iteration')
      .map((s) => s.attributes.find((a) => a.key === 'syncloop.channel')?.value);
    expect(channels).toEqual([...Array(4).fill({ stringValue: 'configCh' }), { stringValue: 'plegCh' }]);
    const held = stream as unknown as Record<'contexts' | 'calls' | 'channels' | 'sent', ReadonlyMap<number, unknown>>;
    expect(held.contexts.size).toBeLessThan(10);
    expect(held.calls.size + held.sent.size).toBe(0);
    expect(held.channels.size).toBeLessThanOrEqual(4096);
  });
});
