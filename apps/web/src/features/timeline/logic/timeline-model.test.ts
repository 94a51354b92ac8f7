import type { TraceRecord } from '@syncloop/core/trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, plainValues, recordsOf } from '../../../fixtures/timeline-run.js';
import { Role } from './timeline-kinds.js';
import type { Lane } from './timeline-model.js';

const crash = recordsOf('crash-loop');
const at = (seq: number) => crash[seq - 1] as TraceRecord;

describe('lanes of a run', () => {
  const model = modelOf(crash);
  const lane = (name: string) => model.lanes.find((l) => l?.name === name) as Lane;

  it('hold every record once, in order', () => {
    const seqs = model.lanes.flatMap((l) => l?.seqs ?? []);
    expect(seqs.length).toBe(crash.length);
    expect(new Set(seqs).size).toBe(crash.length);
    for (const l of model.lanes) expect(l?.seqs).toEqual([...(l?.seqs ?? [])].sort((a, b) => a - b));
  });
  it('are one for each named goroutine, and for runtime, timers and outside', () => {
    expect(lane('syncLoop').group).toBe('loop');
    expect(lane('genericPLEG').group).toBe('pleg');
    expect(lane('podWorker default/crash-node1').group).toBe('workers');
    expect(lane('@runtime').seqs.every((s) => at(s).kind.startsWith('actual-'))).toBe(true);
    expect(lane('@timers').seqs.length).toBeGreaterThan(10);
    expect(lane('@outside').seqs.some((s) => at(s).kind === 'input')).toBe(true);
  });
  it('nest calls as the trace says', () => {
    const { columns: c } = model;
    let spans = 0;
    for (const r of crash) {
      const i = r.seq - c.base;
      // The trace's own span, except where a CRI call is open within it.
      const parent = c.parent[i] as number;
      const real = parent > 0 && at(parent).kind === 'cri-call' ? c.parent[parent - c.base] : parent;
      if (r.g !== 0 && r.kind !== 'goroutine-start' && model.laneAt(r.seq)?.name.startsWith('@') === false)
        expect(real, `record ${r.seq} ${r.kind}`).toBe(r.span);
      if (r.kind === 'exit') {
        expect(c.end[r.of - c.base]).toBe(r.seq);
        expect(c.end[i]).toBe(r.of);
        expect(c.depth[r.of - c.base]).toBe(c.depth[i]);
        spans++;
      }
      if (r.kind === 'cri-return') expect(model.endOf(r.call)).toBe(r.seq);
    }
    expect(spans).toBeGreaterThan(400);
    expect(lane('podWorker default/crash-node1').deepest).toBeGreaterThanOrEqual(5);
  });
  it('name spans by function, calls by method and waits by what they wait for', () => {
    for (const r of crash) {
      if (r.kind === 'enter') expect(model.labelAt(r.seq)).toBe(r.fn);
      if (r.kind === 'cri-call') expect(model.labelAt(r.seq)).toBe(r.method);
      if (r.kind === 'wait') expect(model.labelAt(r.seq)).toContain(r.on.op);
    }
  });
  it('end a wait with what its goroutine does next', () => {
    for (const r of crash) {
      if (r.kind !== 'wait') continue;
      const next = crash.find((x) => x.seq > r.seq && x.g === r.g && !x.kind.startsWith('actual-'));
      expect(model.endOf(r.seq)).toBe(next?.seq ?? 0);
    }
  });
  it('pair each receive with its send: same channel, same item, in order', () => {
    let pairs = 0;
    const before = new Map<number, number>();
    for (const r of crash) {
      if (r.kind !== 'receive' || !r.ok) continue;
      const send = at(model.endOf(r.seq));
      if (send.kind !== 'send') throw new Error(`record ${r.seq} is paired with a ${send.kind}`);
      expect(send.chan).toBe(r.chan);
      expect(send.item).toEqual(r.item);
      expect(model.endOf(send.seq)).toBe(r.seq);
      expect(send.seq).toBeGreaterThan(before.get(r.chan) ?? 0);
      before.set(r.chan, send.seq);
      pairs++;
    }
    expect(pairs).toBeGreaterThan(80);
  });
  it('let goroutines of one name follow each other in one lane, and stand beside each other when both live', () => {
    const start = (seq: number, id: number): TraceRecord => ({
      ...{ seq, time: seq, g: 0, span: 0, cause: 0 },
      ...{ kind: 'goroutine-start', id, name: 'killContainer app', parent: 1, process: 'kubelet' },
    });
    const end = (seq: number, id: number): TraceRecord => ({
      ...{ seq, time: seq, g: id, span: 0, cause: 0 },
      ...{ kind: 'goroutine-end', id },
    });
    const names = (records: TraceRecord[]) => modelOf(records).lanes.map((l) => l?.name);
    expect(names([start(1, 5), end(2, 5), start(3, 6)])).toEqual(['killContainer app']);
    expect(names([start(1, 5), start(2, 6)])).toEqual(['killContainer app', 'killContainer app (2)']);
  });
});

describe('cutting back', () => {
  it('is as if what came after had never been, at any record, and it grows on from there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: crash.length }), fc.integer({ min: 0, max: 400 }), (keep, more) => {
        const model = modelOf(crash.slice(0, Math.min(crash.length, keep + more)));
        model.cut(keep);
        expect(plainValues(model)).toEqual(plainValues(modelOf(crash.slice(0, keep))));
        for (const r of crash.slice(keep, keep + 100)) model.take(r);
        expect(plainValues(model)).toEqual(plainValues(modelOf(crash.slice(0, Math.min(crash.length, keep + 100)))));
      }),
      { numRuns: 40, seed: 7 },
    );
  });
  it('reopens spans whose beginning was forgotten', () => {
    const model = modelOf(crash.slice(0, 3000));
    model.forget(1500);
    const open = (name: string) => model.lanes.find((l) => l?.name === name)?.old.size ?? 0;
    expect(open('syncLoop')).toBeGreaterThan(0);
    const before = plainValues(model);
    for (const r of crash.slice(3000)) model.take(r);
    model.cut(3000);
    expect(plainValues(model)).toEqual(before);
  });
});

describe('forgetting', () => {
  it('keeps what is left as it was, and the names of open spans', () => {
    const model = modelOf(crash);
    const whole = modelOf(crash);
    model.forget(2001);
    expect({ first: model.first, last: model.last }).toEqual({ first: 2001, last: crash.length });
    for (let seq = 2001; seq <= crash.length; seq++) {
      expect(model.timeAt(seq)).toBe(whole.timeAt(seq));
      expect(model.laneAt(seq)?.name).toBe(whole.laneAt(seq)?.name);
      expect(model.endOf(seq)).toBe(whole.endOf(seq));
      expect(model.labelAt(seq)).toBe(whole.labelAt(seq));
    }
    const loop = model.lanes.find((l) => l?.name === 'syncLoop');
    expect([...(loop?.old.values() ?? [])].map((s) => s.label)).toContain('syncLoop');
  });
  it('is bounded by what is held, however long the run', () => {
    const model = modelOf([]);
    const held = 1000;
    let bytes = 0;
    let lanes = 0;
    // The same run over and over, as one that never ends: new goroutines and channels each time.
    for (let round = 0; round < 12; round++) {
      for (const r of crash) {
        const seq = r.seq + round * crash.length;
        const shift = (n: number) => (n === 0 ? 0 : n + round * crash.length);
        const g = r.g === 0 ? 0 : r.g + round * 1000;
        const moved = { ...r, seq, time: r.time + round * 60e6, g, span: shift(r.span), cause: shift(r.cause) };
        if (moved.kind === 'exit') Object.assign(moved, { of: shift(moved.of) });
        if (moved.kind === 'cri-return') Object.assign(moved, { call: shift(moved.call) });
        if (moved.kind === 'goroutine-start' || moved.kind === 'goroutine-end')
          Object.assign(moved, { id: moved.id + round * 1000 });
        model.take(moved as TraceRecord);
        if (seq % 500 === 0) model.forget(seq - held);
      }
      // The kubelet of the round is killed.
      const last = model.last;
      const living = [...new Set(crash.filter((r) => r.kind === 'goroutine-start').map((r) => r.id + round * 1000))];
      expect(last).toBe((round + 1) * crash.length);
      for (const l of model.lanes) for (const t of l?.tenants ?? []) if (living.includes(t.id)) t.to ||= last;
      if (round === 3) {
        bytes = model.columns.bytes;
        lanes = model.lanes.length;
      }
    }
    expect(model.columns.length).toBeLessThanOrEqual(held + 500);
    expect(model.columns.bytes).toBe(bytes);
    expect(model.lanes.length).toBeLessThanOrEqual(lanes + 2);
    expect(model.lanes.reduce((n, l) => n + (l?.seqs.length ?? 0), 0)).toBe(model.columns.length);
    expect(model.ticks.length).toBeLessThanOrEqual(model.columns.length);
    expect(model.undelivered).toBeLessThanOrEqual(held);
  });
  it('all, where records are missing, and goes on', () => {
    const model = modelOf(crash.slice(0, 500));
    for (const r of crash.slice(700, 900)) model.take(r);
    expect({ first: model.first, last: model.last }).toEqual({ first: 701, last: 900 });
    expect(model.columns.role[0]).toBeGreaterThanOrEqual(Role.mark);
  });
});
