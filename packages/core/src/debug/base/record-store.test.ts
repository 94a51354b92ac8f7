import { describe, expect, it } from 'vitest';
import { foldAll, recordWeight, type TraceRecord } from '../../trace/index.js';
import { allSamples, Tape } from '../../trace/testing/samples.js';
import { RecordStore } from '../index.js';

function tape(n: number): TraceRecord[] {
  const t = new Tape();
  while (t.records.length < n) for (const b of allSamples) if (b.kind !== 'gap' && t.records.length < n) t.add(b);
  return t.records;
}

describe('RecordStore', () => {
  it('holds the newest records and the state they make', () => {
    const records = tape(1000);
    const store = new RecordStore({ capacity: 300, chunk: 50 });
    for (const r of records) store.push(r);
    expect([store.last, store.size]).toEqual([1000, 300]);
    expect(store.first).toBe(701);
    expect(store.state).toEqual(foldAll(records));
    expect(store.get(700)).toBeUndefined();
    expect(store.get(701)).toBe(records[700]);
    expect(store.get(1000)).toBe(records[999]);
    expect(store.get(1001)).toBeUndefined();
    expect(store.slice(995, 100)).toEqual(records.slice(994));
    expect(store.slice(1, 60)).toEqual(records.slice(700, 760));
    expect(store.slice(1001, 5)).toEqual([]);
    expect([...store.from(940)]).toEqual(records.slice(939));
  });

  it('holds a bounded number of bytes, however large each record is', () => {
    const t = new Tape();
    for (let i = 0; i < 400; i++) t.add({ kind: 'log', severity: 'I', v: 0, msg: 'x'.repeat(1000), kv: {}, file: '' });
    const store = new RecordStore({ capacity: 300, chunk: 100, bytes: 100_000 });
    let most = 0;
    for (const record of t.records) {
      store.push(record);
      most = Math.max(
        most,
        [...store.from(0)].reduce((sum, one) => sum + recordWeight(one), 0),
      );
    }
    expect(most).toBeGreaterThan(90_000);
    // A chunk more, at most.
    expect(most).toBeLessThan(130_000);
    expect(store.last).toBe(400);
    for (let seq = store.first - 1; seq <= 400; seq++)
      expect(store.stateAt(seq)).toEqual(foldAll(t.records.slice(0, seq)));
  });

  it('gives the state at any record it holds, and right before the first', () => {
    const records = tape(500);
    const store = new RecordStore({ capacity: 200, chunk: 64 });
    for (const r of records) store.push(r);
    for (let seq = store.first - 1; seq <= 500; seq++)
      expect(store.stateAt(seq)).toEqual(foldAll(records.slice(0, seq)));
    expect(() => store.stateAt(store.first - 2)).toThrow(RangeError);
    expect(() => store.stateAt(501)).toThrow('record 501 is not in memory');
    store.stateAt(500).pods = {};
    expect(store.state.pods).not.toEqual({});
  });

  it('starts from a snapshot', () => {
    const records = tape(500);
    const first = new RecordStore({ chunk: 100 });
    for (const r of records) first.push(r);
    const snapshot = first.checkpoint(150);
    expect(snapshot.seq).toBe(400);
    expect(snapshot.state).toEqual(foldAll(records.slice(0, 400)));
    const second = new RecordStore({}, snapshot.state);
    for (const r of first.from(401)) second.push(r);
    expect(second.state).toEqual(first.state);
    expect(second.first).toBe(401);
    expect(first.checkpoint(10_000).seq).toBe(0);
    // Nobody gets the state that still grows.
    expect(first.checkpoint(0).seq).toBe(400);
  });

  it('gives itself up to a record', () => {
    const records = tape(500);
    const store = new RecordStore({ capacity: 300, chunk: 64 });
    for (const r of records) store.push(r);
    for (const seq of [store.first - 1, store.first, 320, 321, 384, 385, 499, 500]) {
      const past = store.until(seq);
      expect([past.first, past.last, past.size]).toEqual([store.first, seq, seq - store.first + 1]);
      expect(past.state).toEqual(foldAll(records.slice(0, seq)));
      for (const r of records.slice(seq)) past.push(r);
      expect(past.state).toEqual(store.state);
      expect([...past.from(330)]).toEqual(records.slice(329));
    }
    expect(store.last).toBe(500);
    expect(() => store.until(3)).toThrow(RangeError);
  });

  it('refuses what does not come next, but takes a record that names the hole', () => {
    const records = tape(100);
    const store = new RecordStore({ chunk: 16 });
    for (const r of records.slice(0, 10)) store.push(r);
    expect(() => store.push(records[11] as TraceRecord)).toThrow('record 12 cannot come after record 10');
    expect(() => store.push(records[9] as TraceRecord)).toThrow(RangeError);
    store.push({ seq: 20, time: 5, g: 0, span: 0, cause: 0, kind: 'gap', from: 11, to: 20 });
    for (const r of records.slice(20)) store.push(r);
    expect(store.slice(9, 4).map((r) => r.seq)).toEqual([9, 10, 20, 21]);
    expect([store.get(15), store.get(20)?.kind]).toEqual([undefined, 'gap']);
    expect(store.stateAt(10).seq).toBe(10);
    expect(store.stateAt(20).seq).toBe(20);
  });

  it('may begin in the middle of a run', () => {
    const records = tape(100);
    const store = new RecordStore();
    for (const r of records.slice(40)) store.push(r);
    expect([store.first, store.last]).toEqual([41, 100]);
    expect(store.checkpoint(1000).seq).toBe(40);
  });
});
