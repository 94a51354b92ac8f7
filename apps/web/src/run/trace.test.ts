import { RecordStore } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { tape } from '../fixtures/node-state.js';
import { newest } from './queries.js';
import { same } from './same.js';
import { TraceStore } from './trace-store.js';

const logs = (n: number) =>
  tape(
    Array.from(
      { length: n },
      (_, i) => ({ kind: 'log', severity: 'I', v: 2, msg: `m${i}`, kv: {}, file: 'a.go' }) as const,
    ),
  );
const storeOf = (records: readonly TraceRecord[]) => {
  const store = new RecordStore();
  for (const r of records) store.push(r);
  return store;
};

describe('TraceStore', () => {
  it('tells its views once per frame, and hands over what came since the frame before', () => {
    let frame: (() => void) | null = null;
    const store = new TraceStore((then) => {
      frame = then;
    });
    const batches: number[] = [];
    let told = 0;
    store.onBatch((records) => batches.push(records.length));
    store.subscribe(() => told++);
    const run = new RecordStore();
    store.use(run);
    for (const r of logs(30)) run.push(r);
    store.changed();
    store.changed(12_000_000);
    expect(told).toBe(0);
    expect(store.behind).toBe(true);
    (frame as (() => void) | null)?.();
    expect({ told, batches, behind: store.behind }).toEqual({ told: 1, batches: [30], behind: false });
    expect(store.cursor).toMatchObject({ version: 1, epoch: 1, seq: 30, time: 12_000_000 });
  });
  it('waits for the little that is missing of a moment that was gone to, and says what of it is past', () => {
    const frames: (() => void)[] = [];
    const store = new TraceStore((then) => frames.push(then));
    const frame = () => {
      for (const f of frames.splice(0)) f();
    };
    const all = logs(40);
    const batches: { n: number; past: number }[] = [];
    store.onBatch((records, past) => batches.push({ n: records.length, past }));
    const run = storeOf(all.slice(0, 10));
    store.use(run, 30);
    frame();
    expect(store.cursor.version).toBe(0);
    expect(store.behind).toBe(true);
    for (const r of all.slice(10, 30)) run.push(r);
    store.changed();
    frame();
    expect(store.cursor).toMatchObject({ version: 1, seq: 30 });
    expect(store.behind).toBe(false);
    for (const r of all.slice(30)) run.push(r);
    store.changed();
    frame();
    expect(batches).toEqual([
      { n: 20, past: 30 },
      { n: 10, past: 30 },
    ]);
    // A moment far away is not waited for: there is something to see meanwhile.
    store.use(storeOf(all.slice(0, 10)), 100_000);
    frame();
    expect(store.cursor).toMatchObject({ version: 3, seq: 10 });
  });
  it('hands over no more than the newest of a flood', () => {
    let frame: (() => void) | null = null;
    const store = new TraceStore((then) => {
      frame = then;
    });
    const run = new RecordStore();
    store.use(run);
    let last: readonly TraceRecord[] = [];
    store.onBatch((records) => {
      last = records;
    });
    for (const r of logs(10_000)) run.push(r);
    store.changed();
    (frame as (() => void) | null)?.();
    expect(last.length).toBeLessThanOrEqual(2_000);
    expect(last[last.length - 1]?.seq).toBe(10_000);
  });
  it('shows the past of a run that it joins late, and does not play it', () => {
    let frame: (() => void) | null = null;
    const store = new TraceStore((then) => {
      frame = then;
    });
    let batches = 0;
    store.onBatch(() => batches++);
    store.use(storeOf(logs(5)));
    (frame as (() => void) | null)?.();
    expect(batches).toBe(0);
    expect(store.cursor.seq).toBe(5);
  });
});

describe('queries', () => {
  it('find the newest first, within reach', () => {
    const store = storeOf(logs(1_700));
    expect(newest(store, 3, (r) => r.seq % 10 === 0).map((r) => r.seq)).toEqual([1700, 1690, 1680]);
    expect(newest(store, 3, (r) => r.seq === 1, 100)).toEqual([]);
    expect(newest(store, 3, (r) => r.seq === 1).map((r) => r.seq)).toEqual([1]);
    expect(newest(new RecordStore(), 3, () => true)).toEqual([]);
  });
});

describe('same', () => {
  it('compares what views are made of', () => {
    expect(same({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toBe(true);
    expect(same({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(same([1], { 0: 1 })).toBe(false);
    expect(same(null, {})).toBe(false);
    expect(same(Number.NaN, Number.NaN)).toBe(true);
  });
});
