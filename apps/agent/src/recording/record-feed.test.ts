import { Kernel, VirtualClock } from '@syncloop/core/kernel';
import type { Json, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, vi } from 'vitest';
import { type RecordBatch, RecordFeed } from './record-feed.js';

function fed(most = 3, cut: (length: number) => void = () => {}) {
  const redact = vi.fn((record: TraceRecord) => ({ ...record, cause: 99 }));
  const feed = new RecordFeed({ redact, most, flushMillis: 1_000_000, onCut: (_, length) => cut(length) });
  const kernel = new Kernel({ clock: new VirtualClock() });
  kernel.addSink(feed.sink);
  const batches: RecordBatch[] = [];
  const seqs = () => batches.map(({ json }) => (JSON.parse(json) as TraceRecord[]).map(({ seq }) => seq));
  const emit = (n: number) => {
    for (let i = 0; i < n; i++) kernel.emit({ kind: 'input', verb: 'x', args: [] });
  };
  return { feed, kernel, redact, batches, seqs, emit };
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

  it('hands on less at once where records are long', () => {
    const { feed, batches, kernel } = fed(256);
    feed.onBatch((batch) => batches.push(batch));
    for (let i = 0; i < 8; i++) kernel.emit({ kind: 'input', verb: 'x', args: ['y'.repeat(400_000)] });
    feed.close();
    expect(batches.map(({ count }) => count)).toEqual([3, 3, 2]);
  });

  it('cuts what makes a record far too long, the same for all who see it, and says so', () => {
    const cut: number[] = [];
    const { feed, batches, kernel } = fed(256, (length) => cut.push(length));
    const seen: TraceRecord[] = [];
    feed.onRecord((record) => seen.push(record));
    feed.onBatch((batch) => batches.push(batch));
    const pod = { metadata: { name: 'a', annotations: { note: 'x'.repeat(5_000_000) } }, list: Array(2000).fill(7) };
    kernel.emit({ kind: 'input', verb: 'apply', args: [pod] });
    // Nothing in it is long, but all together is.
    const wide = Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => 'y'.repeat(100)));
    kernel.emit({ kind: 'input', verb: 'apply', args: wide });
    kernel.emit({ kind: 'input', verb: 'apply', args: ['short'] });
    feed.close();
    const all = batches.flatMap(({ json }) => JSON.parse(json) as TraceRecord[]);
    expect(seen).toEqual(all);
    expect(batches.every(({ json }) => json.length < 1.1 * 1024 * 1024)).toBe(true);
    const note = expect.stringMatching(/^x{1024}… \(5000000 characters\)$/);
    expect(all).toMatchObject([
      { seq: 1, verb: 'apply', args: [{ metadata: { name: 'a', annotations: { note } }, list: { length: 500 } }] },
      { seq: 2, kind: 'log', kv: { kind: 'input' } },
      { seq: 3, verb: 'apply', args: ['short'] },
    ]);
    expect(cut).toEqual([expect.any(Number), expect.any(Number)]);
    expect(all[0]).toMatchObject({ cut: cut[0] });
    expect(cut[0]).toBeGreaterThan(5_000_000);
  });

  it('outlives a record of which there is no JSON, for a text has no more than 512 MiB', () => {
    const { feed, batches, kernel } = fed(256);
    feed.onBatch((batch) => batches.push(batch));
    class Immense {
      readonly part = 'x';
      toJSON(): never {
        throw new RangeError('Invalid string length');
      }
    }
    kernel.emit({
      kind: 'input',
      verb: 'x',
      args: Array.from({ length: 8 }, () => ({ a: new Immense() as unknown as Json })),
    });
    feed.close();
    expect(JSON.parse(batches[0]?.json ?? '')[0]).toMatchObject({
      verb: 'x',
      args: { length: 8, 0: { a: { part: 'x' } } },
    });
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
