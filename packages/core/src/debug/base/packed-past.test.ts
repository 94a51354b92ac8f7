import { describe, expect, it } from 'vitest';
import { cloneState, initialState, type NodeState, reduce, type TraceRecord } from '../../trace/index.js';
import { simulationSource } from '../run/scenario-source.js';
import { PackedPast } from './packed-past.js';
import { RecordStore } from './record-store.js';

/** The records of a scenario's first decisions. */
function recordsOf(scenario: string, decisions: number): TraceRecord[] {
  const records: TraceRecord[] = [];
  const { kernel, ...simulation } = simulationSource().start({ scenario, seed: 1, sink: (r) => records.push(r) });
  while (kernel.steps < decisions) (simulation.step ?? (() => kernel.step()))();
  return records;
}
const all = recordsOf('crash-loop', 4000);
function folded(seq: number): NodeState {
  const state = initialState();
  for (const record of all.slice(0, seq)) reduce(state, record);
  return cloneState(state);
}
const places = [0, 1, 64, 65, 1000, 2047, 2048, Math.floor(all.length / 2), all.length - 1, all.length];

/** A store that holds little, with all records pushed. */
function stored(past: PackedPast) {
  const store = new RecordStore({ capacity: 512, chunk: 64 }, undefined, past);
  for (const record of all) store.push(record);
  return store;
}

describe('PackedPast', () => {
  it('gives back every record and every state that its store no longer holds', () => {
    const store = stored(new PackedPast(undefined, 16_384));
    expect(store.first).toBeGreaterThan(5000);
    expect(store.oldest).toBe(1);
    for (const record of all) expect(JSON.stringify(store.get(record.seq))).toBe(JSON.stringify(record));
    for (const seq of places) expect(store.stateAt(seq)).toEqual(folded(seq));
    expect(store.seqAt(-1)).toBe(0);
    for (const { time } of [all[0], all[700], all[5000]] as TraceRecord[])
      expect(store.seqAt(time)).toBe(all.findLastIndex((r) => r.time <= time) + 1);
  });

  it('loses nothing beyond its budget if there is another place; if that is full, too, the oldest are dropped', () => {
    let room = 20;
    const elsewhere = (bytes: Uint8Array) => {
      if (room-- <= 0) throw new Error('the disk is full');
      const kept = bytes.slice();
      return () => kept.slice();
    };
    const past = new PackedPast(100_000, 16_384, elsewhere);
    const store = new RecordStore({ capacity: 512, chunk: 64 }, undefined, past);
    let n = 0;
    while (room >= 0) store.push(all[n++] as TraceRecord);
    room = 1_000_000;
    expect(store.oldest).toBe(1);
    for (const seq of [1, 63, 64, 65, 700]) expect(store.get(seq)).toEqual(all[seq - 1]);
    expect(store.stateAt(700)).toEqual(folded(700));
    const { kind, ...rest } = all[40] as TraceRecord;
    const { hits } = past.findWords([kind], 1);
    expect(rest.seq).toBe(41);
    expect(hits.map(({ seq }) => seq)).toContain(41);
    room = 0;
    for (; n < all.length; n++) store.push(all[n] as TraceRecord);
    expect(store.oldest).toBeGreaterThan(1);
    expect(store.get(store.oldest)).toEqual(all[store.oldest - 1]);
  });

  it('makes a store of any moment, which goes on from there as the run did', () => {
    const store = stored(new PackedPast(undefined, 16_384));
    for (const seq of places) {
      const view = store.until(seq);
      expect(view.last).toBe(seq);
      expect(view.state).toEqual(folded(seq));
      for (let s = seq + 1; s <= Math.min(seq + 700, all.length); s++) view.push(store.get(s) as TraceRecord);
      expect(view.state).toEqual(folded(Math.min(seq + 700, all.length)));
      expect(view.oldest).toBe(1);
    }
  });

  it('takes much less than the text, and keeps states by what reading on would cost', () => {
    const past = new PackedPast(undefined, 16_384);
    stored(past);
    const text = all.slice(0, past.last).reduce((sum, r) => sum + JSON.stringify(r).length, 0);
    expect(past.bytes).toBeLessThan(text / 3);
    expect(past.states).toBeGreaterThan(5);
    // They are some 45 KB each: as often as each 16 KB they would be more than the records.
    expect(past.states).toBeLessThan(text / 100_000);
  });

  it('stays within its budget: first with fewer states, then with fewer of the oldest records', () => {
    const whole = new PackedPast(undefined, 16_384);
    stored(whole);
    const thin = new PackedPast(whole.bytes - 10_000, 16_384);
    const thinned = stored(thin);
    expect(thin.bytes).toBeLessThanOrEqual(whole.bytes - 10_000);
    expect(thin.states).toBeLessThan(whole.states);
    expect(thin.first).toBe(1);
    for (const seq of places) expect(thinned.stateAt(seq)).toEqual(folded(seq));
    const small = new PackedPast(Math.floor(whole.bytes / 4), 16_384);
    const store = stored(small);
    expect(small.bytes).toBeLessThanOrEqual(whole.bytes / 4);
    expect(small.first).toBeGreaterThan(1);
    expect(small.last).toBe(whole.last);
    expect(store.get(small.first - 1)).toBeUndefined();
    expect(() => store.stateAt(small.first - 2)).toThrow(/is not in memory, which has/);
    expect(store.stateAt(small.first - 1)).toEqual(folded(small.first - 1));
  });

  it('is cut for another run that is the same up to a record, and neither changes the other', () => {
    const past = new PackedPast(undefined, 16_384);
    const store = stored(past);
    const { bytes, last } = past;
    const cut = past.until(3000);
    expect(cut.last).toBeLessThanOrEqual(3000);
    const other = new RecordStore({ capacity: 128, chunk: 64 }, store.stateAt(cut.last), cut);
    for (const record of all.slice(cut.last)) other.push(record);
    expect(cut.last).toBeGreaterThan(3000);
    expect([past.bytes, past.last]).toEqual([bytes, last]);
    for (const seq of places) expect(other.stateAt(seq)).toEqual(folded(seq));
  });
});
