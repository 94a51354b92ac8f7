import { describe, expect, it } from 'vitest';
import { initialState, type TraceRecord } from '../../trace/index.js';
import { PackedPast } from '../base/packed-past.js';
import { RecordStore } from '../base/record-store.js';
import { atOnce } from '../base/work.js';
import { DensityFold, finding, windowOf } from './index.js';

const head = { g: 0, span: 0, cause: 0 };
const line = (seq: number, time: number, more: object = {}): TraceRecord =>
  ({
    ...{ seq, time, ...head, kind: 'log', severity: 'I', v: 2, file: 'kubelet.go', line: 1, msg: 'SyncLoop', kv: {} },
    ...{ evidence: { source: 'log' }, ...more },
  }) as unknown as TraceRecord;

describe('the density of a run', () => {
  it('counts lines by time, and keeps its buckets however long the run is', () => {
    const fold = new DensityFold();
    fold.take({ ...line(1, 0), kind: 'evidence-source', evidence: undefined } as unknown as TraceRecord);
    let seq = 2;
    const day = 86_400_000_000;
    for (let i = 0; i < 1000; i++) fold.take(line(seq++, i * day, i === 500 ? { severity: 'E' } : {}));
    // A conclusion is not a line.
    fold.take({ ...line(seq, 999 * day), evidence: undefined } as unknown as TraceRecord);
    const { lines, errors, width, from, to } = fold.density({ most: 100, oldest: 1, oldestTime: 0 });
    expect(lines.length).toBeLessThanOrEqual(100);
    expect(lines.reduce((sum, n) => sum + n, 0)).toBe(1000);
    expect(to).toBe(999 * day);
    expect(errors.map((n, i) => (n > 0 ? i : -1)).filter((i) => i >= 0)).toEqual([
      Math.floor((500 * day - from) / width),
    ]);
    expect(width * lines.length).toBeGreaterThan(to - from);
  });

  it('has nothing to say of an empty run', () => {
    const answer = new DensityFold().density({ oldest: 0, oldestTime: 0 });
    expect([answer.lines, answer.to]).toEqual([[], 0]);
  });
});

/** A store that has most of its records packed. */
function packed(records: readonly TraceRecord[]): RecordStore {
  const store = new RecordStore({ capacity: 32, chunk: 16 }, initialState(), new PackedPast());
  for (const record of records) store.push(record);
  return store;
}
const source = (store: RecordStore) => ({
  first: store.oldest,
  last: store.last,
  *iterate(seq = 0) {
    for (let at = Math.max(seq, store.oldest); at <= store.last; at++) yield store.get(at) as TraceRecord;
  },
  stateAt: (seq: number) => store.stateAt(seq),
  seqAtTime: (time: number) => store.seqAt(time),
  findWords: (words: readonly string[], from: number) => store.findWords(words, from),
});

describe('the search for words', () => {
  const records = Array.from({ length: 200 }, (_, i) =>
    line(
      i + 1,
      i * 1000,
      i % 50 === 7 ? { msg: 'Killing container', kv: { pod: `default/web-${i}`, podUID: 'x' } } : {},
    ),
  );
  const store = packed(records);

  it('finds the same in packed records, in those in memory, and in a file', () => {
    for (const text of ['killing CONTAINER', 'default/web-57', 'poduid="x"']) {
      const fast = atOnce(finding(source(store), { text }));
      const { findWords: _, ...plain } = source(store);
      const slow = atOnce(finding(plain, { text }));
      expect(fast.hits, text).toEqual(slow.hits);
      expect(fast.hits, text).toEqual(text.includes('57') ? [58] : [8, 58, 108, 158]);
      expect(fast.times[0], text).toBe(((fast.hits[0] as number) - 1) * 1000);
      expect(fast.to, text).toBe(200);
    }
  });

  it('takes no name of a field for a word, but those of a line', () => {
    expect(atOnce(finding(source(store), { text: 'severity' })).hits).toEqual([]);
    expect(atOnce(finding(source(store), { text: 'log' })).hits).toEqual(records.map(({ seq }) => seq));
    expect(atOnce(finding(source(store), { text: '  "" ' }))).toMatchObject({ hits: [], to: 200 });
  });

  it('goes on where it stopped', () => {
    const first = atOnce(finding(source(store), { text: 'killing', most: 100 }));
    const second = atOnce(finding(source(store), { text: 'killing', from: first.to + 1 }));
    expect([...first.hits, ...second.hits]).toEqual([8, 58, 108, 158]);
    expect(first.to).toBeLessThan(200);
  });
});

describe('a part of a run', () => {
  it('is the state before it, and its records', () => {
    const store = packed(Array.from({ length: 100 }, (_, i) => line(i + 1, i * 1000)));
    const part = atOnce(windowOf(source(store), { from: 20, to: 30, state: true }));
    expect(part.records.map(({ seq }) => seq)).toEqual(Array.from({ length: 11 }, (_, i) => 20 + i));
    expect(part.state?.seq).toBe(19);
    expect([part.to, part.next]).toEqual([30, null]);
    const timed = atOnce(windowOf(source(store), { from: 19_000, to: 29_500, by: 'time' }));
    expect(timed.records.map(({ seq }) => seq)).toEqual(part.records.map(({ seq }) => seq));
  });
});
