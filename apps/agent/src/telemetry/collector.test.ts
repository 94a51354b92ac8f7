/** Whole runs to a collector in this process, read there with the official types. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import {
  type OtlpRun,
  type OtlpSpan,
  otlpRequests,
  type RecordingHeader,
  type TraceRecord,
} from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseKubeletConfiguration } from '../config/kubelet-configuration.js';
import { exporterFor } from './settings.js';
import { type Answer, type Collector, grpcCollector, httpCollector } from './testing/collector.js';
import { spansOf } from './testing/official.js';

const run: OtlpRun = { node: 'node1', scenario: '', seed: 0, title: 'Node node1', epochMillis: Date.UTC(2026, 0, 1) };
const made = new Map<string, TraceRecord[]>();
function recordsOf(scenario: string): TraceRecord[] {
  let records = made.get(scenario);
  if (!records) {
    const into: TraceRecord[] = [];
    startScenario(findScenario(scenario), { seed: 1, sink: (r) => void into.push(r) }).run({ until: 60_000_000 });
    records = into;
    made.set(scenario, into);
  }
  return records;
}
const expected = (records: readonly TraceRecord[], own = true): OtlpSpan[] =>
  spansOf([...otlpRequests(run as RecordingHeader, records, { own })]);
/** Sorts by id: in a batch they are sorted by scope. */
const sorted = (spans: readonly OtlpSpan[]) => {
  const byId = new Map(spans.map((s) => [s.spanId, s]));
  expect(byId.size).toBe(spans.length);
  return new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)));
};
const attribute = (s: OtlpSpan, key: string) => Object.values(s.attributes.find((a) => a.key === key)?.value ?? {})[0];

async function exporter(flags: Parameters<typeof exporterFor>[1], tracing: Parameters<typeof exporterFor>[0] = null) {
  const warnings: string[] = [];
  const made = await exporterFor(tracing, flags, run, (text) => warnings.push(text));
  return { exporter: made, warnings };
}

/** Ends an exporter once all is sent: by itself it gives up after three seconds, which a busy machine may need. */
async function sendAll(out: Awaited<ReturnType<typeof exporter>>['exporter']) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await out?.close();
  } finally {
    vi.useRealTimers();
  }
}

const collectors: [string, () => Promise<Collector>, (endpoint: string) => string][] = [
  ['HTTP', () => httpCollector(), (e) => e],
  ['gRPC', () => grpcCollector(), (e) => `grpc://${e}`],
];

describe.each(collectors)('a collector over %s', (_, start, endpoint) => {
  it.each(['liveness', 'graceful-delete'])('gets the spans of %s: names, parents, times', async (scenario) => {
    const records = recordsOf(scenario);
    const collector = await start();
    const { exporter: out, warnings } = await exporter({ 'otlp-endpoint': endpoint(collector.endpoint) });
    for (const record of records) out?.sink(record);
    await sendAll(out);
    const spans = spansOf(collector.requests);
    expect(sorted(spans)).toEqual(sorted(expected(records)));
    expect(out?.stats).toEqual({ sent: spans.length, dropped: 0, queued: 0 });
    expect(warnings).toEqual([]);
    // They are not only as in the export: they are as the run was.
    const byId = new Map(spans.map((s) => [s.spanId, s]));
    const start1 = spans.find((s) => s.name === 'runtime.v1.RuntimeService/StartContainer') as OtlpSpan;
    const parent = byId.get(start1.parentSpanId ?? '') as OtlpSpan;
    expect(parent.name).toBe('syncPod');
    expect(parent.traceId).toBe(start1.traceId);
    const call = records.find((r) => r.seq === Number(attribute(start1, 'syncloop.record'))) as TraceRecord;
    expect(call).toMatchObject({ kind: 'cri-call', method: 'StartContainer' });
    expect(start1.startTimeUnixNano).toBe(String(BigInt(run.epochMillis) * 1_000_000n + BigInt(call.time) * 1000n));
    const back = records.find((r) => r.kind === 'cri-return' && r.call === call.seq) as TraceRecord;
    expect(start1.endTimeUnixNano).toBe(String(BigInt(run.epochMillis) * 1_000_000n + BigInt(back.time) * 1000n));
    for (const request of collector.requests) {
      expect(spansOf([request]).length).toBeLessThanOrEqual(512);
      expect(request.resourceSpans[0]?.resource.attributes.slice(0, 3)).toEqual([
        { key: 'service.name', value: { stringValue: 'kubelet' } },
        { key: 'host.name', value: { stringValue: hostname() } },
        { key: 'k8s.node.name', value: { stringValue: 'node1' } },
      ]);
    }
  });

  it('is given the headers of the file, as it is then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'otlp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'headers');
    writeFileSync(file, '# of the collector\nAuthorization: Bearer old\nx-scope-orgid: team a\n');
    const collector = await start();
    const { exporter: out } = await exporter({
      'otlp-endpoint': endpoint(collector.endpoint),
      'otlp-headers-file': file,
    });
    writeFileSync(file, 'authorization: Bearer new\nx-scope-orgid: team a\n');
    for (const record of recordsOf('hello')) out?.sink(record);
    await sendAll(out);
    expect(collector.seen[0]?.headers).toMatchObject({ authorization: 'Bearer new', 'x-scope-orgid': 'team a' });
  });
});

it('a KubeletConfiguration sends what upstream would, over gRPC, at its rate', async () => {
  const collector = await grpcCollector();
  const warnings: string[] = [];
  const file = (rate: string) => `kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
tracing:
  endpoint: ${collector.endpoint}
${rate}`;
  const read = (rate: string) => parseKubeletConfiguration('k.yaml', file(rate), (w) => warnings.push(w)).tracing;
  const none = await exporter({}, read(''));
  expect(none.exporter).toBeNull();
  expect(none.warnings[0]).toMatch(/no spans are sent to 127.0.0.1:\d+ \(gRPC\): the sampling rate is 0/);
  const half = await exporter({ 'otlp-no-own-spans': true }, read('  samplingRatePerMillion: 500000'));
  const records = recordsOf('liveness');
  for (const record of records) half.exporter?.sink(record);
  await sendAll(half.exporter);
  const got = spansOf(collector.requests);
  const all = expected(records, false);
  expect(got.length / all.length).toBeGreaterThan(0.3);
  expect(got.length / all.length).toBeLessThan(0.7);
  // Whole traces or none of them.
  const ids = new Set(got.map((s) => s.traceId));
  expect(sorted(got)).toEqual(sorted(all.filter((s) => ids.has(s.traceId))));
  expect(() => read('  samplingRatePerMillion: 1000001')).toThrow(/tracing.samplingRatePerMillion: it is 1000001/);
  expect(() =>
    parseKubeletConfiguration('k.yaml', file('').replace(collector.endpoint, 'https://x:1'), () => {}),
  ).toThrow(/k.yaml:4:\d+: tracing.endpoint: it is "https:\/\/x:1"; it must be HOST:PORT/);
  expect(warnings).toEqual([]);
});

describe('a collector that does not take spans', () => {
  const send = async (answer: (nth: number) => Answer | undefined) => {
    const collector = await httpCollector(answer);
    const { exporter: out, warnings } = await exporter({ 'otlp-endpoint': collector.endpoint });
    for (const record of recordsOf('hello')) out?.sink(record);
    await out?.close();
    return { collector, warnings, stats: out?.stats };
  };

  it('is told of with what to do: 401, 404', async () => {
    const { warnings, stats } = await send(() => ({ status: 401 }));
    expect(warnings[0]).toMatch(
      /^spans do not reach the collector http:\/\/127.0.0.1:\d+\/v1\/traces: it answered 401 Unauthorized: give its token with --otlp-headers-file; these spans are dropped/,
    );
    expect(warnings.at(-1)).toBe(
      `${stats?.dropped} spans did not reach the collector ${/http:\S+traces/.exec(warnings[0] ?? '')?.[0]}`,
    );
    expect(stats?.sent).toBe(0);
    expect((await send(() => ({ status: 404 }))).warnings[0]).toMatch(
      /is this the address of an OTLP receiver over HTTP/,
    );
  });

  it('and of what it takes in part', async () => {
    const { warnings, stats } = await send(() => ({ rejected: 3, message: 'too old' }));
    expect(warnings.filter((w) => /refused 3 spans: too old$/.test(w)).length).toBeGreaterThan(0);
    expect(warnings.filter((w) => !/refused 3 spans/.test(w))).toEqual([]);
    expect(stats?.dropped).toBeGreaterThan(0);
  });

  it('hangs, and the end does not wait for it longer than it may', async () => {
    const collector = await httpCollector(() => 'never');
    const warnings: string[] = [];
    const { SpanExporter } = await import('./exporter.js');
    const { senderTo } = await import('./sender.js');
    const { parseTarget } = await import('./target.js');
    const out = new SpanExporter({
      run,
      resource: [],
      name: 'c',
      perMillion: 1_000_000,
      own: true,
      sender: senderTo(parseTarget(collector.endpoint, 'x'), { timeoutMillis: 60_000 }),
      warn: (w) => warnings.push(w),
      limits: { flush: 50, delay: 0 },
    });
    const all = recordsOf('hello');
    for (const record of all) out.sink(record);
    const since = performance.now();
    await out.close();
    // Its answer would be waited for a minute long.
    expect(performance.now() - since).toBeLessThan(60_000);
    expect(out.stats).toEqual({ sent: 0, dropped: expected(all).length, queued: 0 });
    expect(warnings.at(-1)).toMatch(/^\d+ spans did not reach the collector c$/);
  });

  it('refuses by gRPC, in its words', async () => {
    const collector = await grpcCollector(() => status.UNIMPLEMENTED);
    const { exporter: out, warnings } = await exporter({ 'otlp-endpoint': collector.endpoint });
    for (const record of recordsOf('hello')) out?.sink(record);
    await out?.close();
    expect(warnings[0]).toMatch(/UNIMPLEMENTED it is: is this the address of an OTLP receiver over gRPC\?/);
  });
});
