import { type ExportTraceServiceRequest, type OtlpRun, otlpText, type TraceRecord } from '@syncloop/core/trace';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ExporterOptions, SpanExporter, sampled } from './exporter.js';
import type { Outcome } from './sender.js';
import { decodeRequest, spansOf } from './testing/official.js';

const run: OtlpRun = { node: 'node1', scenario: '', seed: 0, title: 't', epochMillis: 0 };

/** A turn of the loop: one span. */
function* turns(count: number, from = 1): Generator<TraceRecord> {
  for (let i = 0; i < count; i++) {
    const seq = from + 2 * i;
    const base = { time: seq, g: 1, cause: 0, step: 0 };
    yield { ...base, seq, kind: 'enter', fn: 'syncLoopIteration', args: null } as unknown as TraceRecord;
    yield { ...base, seq: seq + 1, kind: 'exit', of: seq, fn: 'syncLoopIteration' } as unknown as TraceRecord;
  }
}

function setup(outcome: (nth: number) => Outcome | Promise<Outcome>, more: Partial<ExporterOptions> = {}) {
  const requests: { at: number; request: ExportTraceServiceRequest }[] = [];
  const warnings: string[] = [];
  const since = performance.now();
  let nth = 0;
  const exporter = new SpanExporter({
    run,
    resource: [otlpText('service.name', 'kubelet')],
    name: 'C',
    perMillion: 1_000_000,
    own: true,
    warn: (text) => warnings.push(text),
    sender: {
      async send(body) {
        requests.push({ at: performance.now() - since, request: decodeRequest(body) });
        return outcome(nth++);
      },
      close() {},
    },
    ...more,
  });
  const push = (count: number, from?: number) => {
    for (const record of turns(count, from)) exporter.sink(record);
  };
  return { exporter, requests, warnings, push };
}
const taken: Outcome = { kind: 'taken', rejected: 0, message: '' };
const away: Outcome = { kind: 'again', why: 'connect ECONNREFUSED' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('spans are sent', () => {
  it('of our own only, where the kubelet sends its spans itself', async () => {
    const { exporter, requests, push } = setup(() => taken, { own: 'only' });
    const head = { time: 1, g: 2, span: 0, cause: 0 };
    exporter.sink({ ...head, seq: 1, kind: 'enter', fn: 'SyncPod' });
    exporter.sink({ ...head, seq: 2, kind: 'exit', of: 1, fn: 'SyncPod' });
    push(1, 3);
    await exporter.close();
    expect(spansOf(requests.map(({ request }) => request)).map(({ name }) => name)).toEqual(['syncloop.iteration']);
  });

  it('together: when a batch is full, and after five seconds at the latest', async () => {
    const { exporter, requests, push } = setup(() => taken);
    push(3);
    await vi.advanceTimersByTimeAsync(4990);
    expect(requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(requests.map((r) => spansOf([r.request]).length)).toEqual([3]);
    push(1100, 1000);
    await vi.advanceTimersByTimeAsync(10);
    expect(requests.map((r) => spansOf([r.request]).length)).toEqual([3, 512, 512]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(requests.map((r) => spansOf([r.request]).length)).toEqual([3, 512, 512, 76]);
    expect(exporter.stats).toEqual({ sent: 1103, dropped: 0, queued: 0 });
  });

  it('without what is very long in an error, for thousands may wait', async () => {
    const { exporter, requests } = setup(() => taken);
    const base = { time: 1, g: 1, cause: 0, step: 0, fn: 'SyncPod' };
    exporter.sink({ ...base, seq: 1, kind: 'enter', args: null } as unknown as TraceRecord);
    exporter.sink({ ...base, seq: 2, kind: 'exit', of: 1, error: 'x'.repeat(1_000_000) } as unknown as TraceRecord);
    await vi.advanceTimersByTimeAsync(5010);
    const [span] = spansOf(requests.map((r) => r.request));
    const text = JSON.stringify(span);
    expect(text).toMatch(/x{4096}/);
    expect(text.length).toBeLessThan(20_000);
  });

  it('not in the step of the kubelet that ends them', () => {
    const { requests, push } = setup(() => taken);
    push(600);
    expect(requests).toEqual([]);
  });

  it('at the end, without waiting for more', async () => {
    const { exporter, requests, push } = setup(() => taken);
    push(600);
    await Promise.all([exporter.close(), vi.advanceTimersByTimeAsync(1)]);
    expect(spansOf(requests.map((r) => r.request))).toHaveLength(600);
    push(1);
    expect(exporter.stats.queued).toBe(0);
  });
});

describe('a collector that is away', () => {
  it('is asked again, ever less often, and told of once', async () => {
    const { exporter, requests, warnings, push } = setup((n) => (n < 3 ? away : taken));
    push(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(4);
    const gaps = requests.slice(1).map((r, i) => r.at - (requests[i]?.at ?? 0));
    for (const [i, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(2500 * 1.5 ** i - 1);
      expect(gap).toBeLessThanOrEqual(7500 * 1.5 ** i + 1);
    }
    expect(exporter.stats).toEqual({ sent: 1, dropped: 0, queued: 0 });
    expect(warnings).toEqual([
      'spans do not reach the collector C: connect ECONNREFUSED; it is tried again, and the kubelet goes on',
      'the collector C takes spans again; dropped meanwhile: none',
    ]);
  });

  it('makes the queue no longer than its bound; what does not fit is counted, and told when it is back', async () => {
    let up = false;
    const queue = 2000;
    const { exporter, warnings, push } = setup(() => (up ? taken : away), { limits: { queue } });
    push(3000);
    expect(exporter.stats).toEqual({ sent: 0, dropped: 1000, queued: queue });
    // A batch is given up after a minute, as Go does; that makes room.
    await vi.advanceTimersByTimeAsync(61_000);
    const { dropped, queued } = exporter.stats;
    expect(queued).toBe(queue - 512);
    expect(dropped).toBe(1000 + 512);
    up = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(exporter.stats).toEqual({ sent: queued, dropped, queued: 0 });
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toBe(`the collector C takes spans again; dropped meanwhile: ${dropped} spans`);
  });

  it('is left alone for as long as it asks', async () => {
    const { requests, push } = setup((n) => (n === 0 ? { ...away, afterMillis: 20_000 } : taken));
    push(1);
    await vi.advanceTimersByTimeAsync(24_000);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(requests).toHaveLength(2);
  });

  it('gets nothing a second time that it refused', async () => {
    const { exporter, requests, warnings, push } = setup(() => ({ kind: 'refused', why: 'it answered 400' }));
    push(1);
    await vi.advanceTimersByTimeAsync(60_000);
    push(1, 10);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(2);
    expect(exporter.stats.dropped).toBe(2);
    expect(warnings).toEqual([
      'spans do not reach the collector C: it answered 400; these spans are dropped, and the kubelet goes on',
    ]);
  });

  it('does not hold up the end', async () => {
    const { exporter, push, warnings } = setup(() => away);
    push(3);
    await vi.advanceTimersByTimeAsync(6000);
    let over = false;
    void exporter.close().then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(over).toBe(true);
    expect(warnings.at(-1)).toBe('3 spans did not reach the collector C');
  });
});

it('a collector that is slow loses spans, not the loop its time', async () => {
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 9000));
    return taken;
  };
  const { exporter, warnings, push } = setup(slow, { limits: { queue: 200, batch: 32 } });
  for (let i = 0; i < 100; i++) {
    push(25, 1 + i * 100);
    await vi.advanceTimersByTimeAsync(5000);
  }
  const { sent, dropped, queued } = exporter.stats;
  expect(sent + dropped + queued).toBe(2500);
  expect(queued).toBeLessThanOrEqual(200);
  expect(dropped).toBeGreaterThan(0);
  // Once a minute at most.
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings.length).toBeLessThan(10);
  expect(warnings[0]).toMatch(/^the collector C is too slow: dropped \d+ spans?, for which there was no room$/);
});

it('no span holds what was asked, answered, or printed', async () => {
  const canary = 'canary-77aa';
  let bytes = Buffer.alloc(0);
  const { exporter } = setup(() => taken, {
    sender: {
      async send(body) {
        bytes = Buffer.concat([bytes, body]);
        return taken;
      },
      close() {},
    },
  });
  const records: object[] = [
    { kind: 'goroutine-start', id: 1, name: canary, parent: 0, process: 'kubelet' },
    {
      kind: 'enter',
      fn: 'SyncPod',
      args: { pod: 'a/b', uid: 'u', updateType: 'sync', env: [{ name: 'A', value: canary }] },
    },
    {
      kind: 'cri-call',
      method: 'CreateContainer',
      request: { config: { envs: [{ key: 'A', value: canary }] }, auth: { password: canary } },
    },
    { kind: 'cri-return', call: 3, method: 'CreateContainer', took: 1, response: { containerId: canary } },
    { kind: 'cri-call', method: 'ExecSync', request: { cmd: [canary] } },
    { kind: 'cri-return', call: 5, method: 'ExecSync', took: 1, response: { stdout: canary } },
    { kind: 'exit', of: 2, fn: 'SyncPod' },
  ];
  for (const [i, r] of records.entries()) exporter.sink({ seq: i + 1, time: i, g: 1, ...r } as unknown as TraceRecord);
  await Promise.all([exporter.close(), vi.advanceTimersByTimeAsync(1)]);
  expect(spansOf([decodeRequest(bytes)]).map((s) => s.name)).toHaveLength(3);
  expect(bytes.includes(canary)).toBe(false);
});

it('a record that makes no sense ends the spans, not the kubelet', () => {
  const { exporter, warnings, push } = setup(() => taken);
  const broken = {
    seq: 7,
    time: 1,
    g: 1,
    kind: 'select',
    get cases() {
      throw new Error('no cases');
    },
  };
  push(1, 1);
  exporter.sink({
    seq: 5,
    time: 1,
    g: 1,
    kind: 'enter',
    fn: 'syncLoopIteration',
    args: null,
  } as unknown as TraceRecord);
  expect(() => exporter.sink(broken as unknown as TraceRecord)).not.toThrow();
  push(5, 100);
  expect(exporter.stats.queued).toBe(1);
  expect(warnings).toEqual(['no more spans are sent: record 7 cannot be turned into a span (no cases)']);
});

it('as many traces are sampled as are asked for', () => {
  expect(sampled('0'.repeat(32), 0)).toBe(false);
  expect(sampled('f'.repeat(32), 1_000_000)).toBe(true);
  // Go's bound: the trace id's last 63 bits against the rate.
  expect(sampled(`${'f'.repeat(16)}7fffffffffffffff`, 500_000)).toBe(true);
  expect(sampled(`${'0'.repeat(16)}8000000000000000`, 500_000)).toBe(false);
});
