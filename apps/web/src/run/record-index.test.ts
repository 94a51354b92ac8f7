import { RecordStore } from '@syncloop/core/debug';
import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { tape } from '../fixtures/node-state.js';
import { firstAt, RecordIndex, Sieve } from './record-index.js';

const log = (msg: string): RecordBody => ({ kind: 'log', severity: 'I', v: 2, msg, kv: {}, file: 'a.go' });
const input: RecordBody = { kind: 'input', verb: 'x', args: [] };
const storeOf = (records: readonly TraceRecord[], options = {}) => {
  const store = new RecordStore(options);
  for (const r of records) store.push(r);
  return store;
};
const seqs = (items: readonly { seq: number }[]) => items.map((r) => r.seq);

describe('an index of records', () => {
  const records = tape([log('a'), input, log('b'), log('c'), input, log('d')]);

  it('has those of its kinds, and takes in what comes', () => {
    const store = storeOf(records.slice(0, 3));
    const index = new RecordIndex('log');
    expect(seqs(index.sync(store))).toEqual([1, 3]);
    const before = index.items;
    for (const r of records.slice(3)) store.push(r);
    expect(seqs(index.sync(store))).toEqual([1, 3, 4, 6]);
    expect(index.items).toBe(before);
  });
  it('keeps what a run that went back still has, and takes what comes there instead', () => {
    const store = storeOf(records);
    const index = new RecordIndex('log');
    index.sync(store);
    const earlier = store.until(3);
    expect(seqs(index.sync(earlier))).toEqual([1, 3]);
    const other = { ...(records[3] as TraceRecord), msg: 'other' } as TraceRecord;
    earlier.push(other);
    expect(index.sync(earlier)[2]).toBe(other);
    // It goes forward again, over known records.
    expect(index.sync(store).map((r) => r.msg)).toEqual(['a', 'b', 'c', 'd']);
  });
  it('starts over in another run', () => {
    const index = new RecordIndex('log');
    index.sync(storeOf(records));
    const others = tape([input, log('x')]);
    expect(index.sync(storeOf(others)).map((r) => r.msg)).toEqual(['x']);
  });
  it('lets go of what is no longer held', () => {
    const store = new RecordStore({ capacity: 20, chunk: 10 });
    const index = new RecordIndex('log');
    for (const r of tape(Array.from({ length: 95 }, (_, i) => log(`${i}`)))) {
      store.push(r);
      if (r.seq % 7 === 0) index.sync(store);
    }
    const items = index.sync(store);
    expect([items[0]?.seq, items.at(-1)?.seq, items.length]).toEqual([store.first, 95, store.size]);
  });
  it('finds positions', () => {
    const items = [{ seq: 2 }, { seq: 5 }, { seq: 9 }];
    expect([0, 2, 3, 9, 10].map((n) => firstAt(items, n))).toEqual([0, 0, 1, 2, 3]);
  });
});

describe('a sieve', () => {
  const numbers = Array.from({ length: 2_000 }, (_, i) => i);
  const even = (n: number) => n % 2 === 0;

  it('goes on where it was stopped', () => {
    const sieve = new Sieve<number>();
    expect(sieve.advance(numbers, 'even', even, () => true)).toBe(false);
    expect(sieve.found).toHaveLength(250);
    while (!sieve.advance(numbers, 'even', even, () => true));
    expect(sieve.found).toEqual(numbers.filter(even));
  });
  it('looks only at what came, and starts over with another question or another list', () => {
    const sieve = new Sieve<number>();
    const never = () => false;
    const list = [1, 2];
    sieve.advance(list, 'even', even, never);
    list.push(4);
    let looked = 0;
    sieve.advance(list, 'even', (n) => ++looked > 0 && even(n), never);
    expect([sieve.found, looked]).toEqual([[2, 4], 1]);
    sieve.advance(list, 'odd', (n) => !even(n), never);
    expect(sieve.found).toEqual([1]);
    sieve.advance([3], 'odd', (n) => !even(n), never);
    expect(sieve.found).toEqual([3]);
  });
});
