import { Kernel, VirtualClock } from '@syncloop/core/kernel';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, vi } from 'vitest';
import { type RecordBatch, RecordFeed } from './record-feed.js';

function fed(most = 3) {
  const redact = vi.fn((record: TraceRecord) => ({ ...record, cause: 99 }));
  const feed = new RecordFeed({ redact, most, flushMillis: 1_000_000 });
  const kernel = new Kernel({ clock: new VirtualClock() });
  kernel.addSink(feed.sink);
  const batches: RecordBatch[] = [];
  const seqs = () => batches.map(({ json }) => (JSON.parse(json) as TraceRecord[]).map(({ seq }) => seq));
  const emit = (n: number) => {
    for (let i = 0; i < n; i++) kernel.emit({ kind: 'input', verb: 'x', args: [] });
  };
  return { feed, redact, batches, seqs, emit };
}

describe('RecordFeed', () => {
  it('hands on records in order, in batches that are encoded once, redacted once', () => {
    const { feed, redact, batches, seqs, emit } = fed();
    const again: RecordBatch[] = [];
    feed.onBatch((batch) => batches.push(batch));
    feed.onBatch((batch) => again.push(batch));
    emit(7);
    expect(seqs()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    feed.close();
    expect(seqs()).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(batches.map(({ count }) => count)).toEqual([3, 3, 1]);
    expect(again).toEqual(batches);
    expect(again[0]).toBe(batches[0]);
    expect(redact).toHaveBeenCalledTimes(7);
    expect(JSON.parse(batches[0]?.json ?? '')[0].cause).toBe(99);
  });

  it('has handed on a record by the time that whoever sees it flushes', () => {
    const { feed, batches, seqs, emit } = fed(100);
    feed.onBatch((batch) => batches.push(batch));
    feed.onRecord(({ seq }) => {
      if (seq === 2) feed.flush();
    });
    emit(3);
    expect(seqs()).toEqual([[1, 2]]);
    feed.close();
  });

  it('keeps nothing for nobody', () => {
    const { feed, emit } = fed();
    emit(10);
    feed.flush();
    const batches: RecordBatch[] = [];
    feed.onBatch((batch) => batches.push(batch));
    feed.close();
    expect(batches).toEqual([]);
  });
});
