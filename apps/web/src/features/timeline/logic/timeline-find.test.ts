import { describe, expect, it } from 'vitest';
import { modelOf, recordsOf } from '../../../fixtures/timeline-run.js';
import { Axis, fit, zoomAt } from './timeline-axis.js';
import { chainOf, countRange, HitSearch, hitAt, nearest, neighbour } from './timeline-find.js';
import { layoutOf, ROW, type Row, rowAt, rowsBetween } from './timeline-layout.js';
import type { Lane } from './timeline-model.js';

const crash = recordsOf('crash-loop');
const model = modelOf(crash);
const worker = model.lanes.find((l) => l?.name === 'podWorker default/crash-node1') as Lane;
const axis = new Axis(model);
axis.mode = 'records';
axis.scale = 10;
axis.update();
const layout = layoutOf(model.lanes, { folded: {} });
const rowOf = (name: string) => layout.rows.find((r) => r.id === `lane ${name}`) as Row;

describe('rows', () => {
  it('lie below each other without gaps, groups in their order', () => {
    let y = 0;
    for (const row of layout.rows) {
      expect(row.y).toBe(y);
      y += row.height;
    }
    expect(layout.height).toBe(y);
    expect(rowAt(layout, layout.rows[3]?.y ?? 0)).toBe(layout.rows[3]);
    expect(rowAt(layout, y)).toBeUndefined();
    const groups = [...new Set(layout.rows.map((r) => r.group))];
    expect(groups.indexOf('loop')).toBeLessThan(groups.indexOf('pleg'));
    expect(groups.indexOf('pleg')).toBeLessThan(groups.indexOf('workers'));
  });
  it('are found by height alone, however many there are', () => {
    const seen = rowsBetween(layout, 50, 120);
    expect(seen.length).toBeGreaterThan(0);
    for (const row of layout.rows) expect(seen.includes(row)).toBe(row.y < 120 && row.y + row.height > 50);
  });
  it('of a folded group are one, and of an unfolded one as many as it has lanes', () => {
    const id = 'group other';
    const rows = (folded: boolean) =>
      layoutOf(model.lanes, { folded: { [id]: folded } }).rows.filter((r) => r.group === 'other');
    expect(rows(true).length).toBe(1);
    expect(rows(false).length).toBe(1 + (rows(true)[0]?.lanes.length ?? 0));
  });
  it('are slim in a crowd', () => {
    const lanes = Array.from({ length: 110 }, (_, i) => ({ ...worker, index: i, name: `podWorker default/p${i}` }));
    const crowd = layoutOf(lanes, { folded: {} });
    expect(crowd.rows.length).toBe(111);
    expect(crowd.height).toBeLessThan(111 * 25);
    const opened = layoutOf(lanes, { folded: { 'lane podWorker default/p7': false } });
    expect(opened.height).toBeGreaterThan(crowd.height);
  });
});

describe('what is under the pointer', () => {
  it('is the span of that depth, between its ends', () => {
    const row = rowOf(worker.name);
    const { columns: c } = model;
    const spans = worker.seqs.filter((s) => crash[s - 1]?.kind === 'enter' && model.endOf(s) > s + 4);
    expect(spans.length).toBeGreaterThan(20);
    for (const seq of spans) {
      const depth = c.depth[seq - c.base] as number;
      const middle = (axis.ofSeq(seq) + axis.ofSeq(model.endOf(seq))) / 2;
      const hit = hitAt(model, axis, row, middle, ROW.marks + ROW.span * (depth + 0.5));
      // A neighbour of that depth may begin and end within.
      expect(c.depth[hit - c.base]).toBe(depth);
      expect(hit).toBeGreaterThanOrEqual(seq);
      expect(hit).toBeLessThan(model.endOf(seq));
    }
  });
  it('is the most telling of the marks nearby', () => {
    const row = rowOf(worker.name);
    const status = worker.seqs.find((s) => crash[s - 1]?.kind === 'status') as number;
    expect(hitAt(model, axis, row, axis.ofSeq(status) + 2, 5)).toBe(status);
    const far = new Axis(model);
    far.scale = fit(far, 900).scale;
    far.update();
    const view = zoomAt(far, fit(far, 900), 0, 1);
    expect(view.scale).toBe(far.scale);
    const hit = hitAt(model, far, row, far.ofSeq(status), 5);
    const { columns: c } = model;
    expect(c.weight[hit - c.base]).toBeGreaterThanOrEqual(c.weight[status - c.base] as number);
  });
  it('is nothing before the first record', () => {
    expect(hitAt(model, axis, rowOf(worker.name), -500, 5)).toBe(0);
  });
});

describe('moving along', () => {
  it('goes from record to record of a lane and stops at its ends', () => {
    const [a, b] = worker.seqs as [number, number];
    const last = worker.seqs.at(-1) as number;
    expect(neighbour(worker, a, 1)).toBe(b);
    expect(neighbour(worker, b, -1)).toBe(a);
    expect(neighbour(worker, a, -1)).toBe(0);
    expect(neighbour(worker, last, 1)).toBe(0);
    expect(nearest(worker, 1)).toBe(a);
    expect(nearest(worker, last + 1)).toBe(last);
  });
});

describe('a range', () => {
  it('counts what is in it', () => {
    const part = crash.slice(999, 2000);
    const counts = countRange(model, 1000, 2000);
    expect(counts).toMatchObject({
      records: 1001,
      duration: (part.at(-1)?.time ?? 0) - (part[0]?.time ?? 0),
      spans: part.filter((r) => r.kind === 'enter').length,
      calls: part.filter((r) => r.kind === 'cri-call').length,
      messages: part.filter((r) => r.kind === 'send').length,
    });
    expect(counts.failures).toBeGreaterThan(0);
    expect(countRange(model, 1, crash.length + 50).records).toBe(crash.length);
  });
});

describe('causes and search', () => {
  const record = (seq: number) => crash[seq - 1];
  it('follows causes back, and stops where they are no longer held', () => {
    const start = crash.findLast((r) => r.kind === 'pleg-event')?.seq ?? 0;
    const chain = chainOf(record, start);
    expect(chain[0]).toBe(start);
    for (let i = 1; i < chain.length; i++) expect(record(chain[i - 1] as number)?.cause).toBe(chain[i]);
    expect(chainOf((s) => (s > start - 1 ? record(s) : undefined), start)).toEqual([start]);
    expect(chainOf(record, start, 2).length).toBe(2);
  });
  it('finds all hits a slice at a time, goes on as the run does, and gives up those that were cut off', () => {
    const says = (r: { kind: string }) => (r.kind === 'backoff' ? 'A Crash Loop' : '');
    const search = new HitSearch('crash loop', says);
    let rounds = 0;
    while (search.look(record, 1, 3000, 500)) rounds++;
    expect(rounds).toBe(5);
    const wanted = (last: number) => crash.filter((r) => r.seq <= last && r.kind === 'backoff').map((r) => r.seq);
    expect(search.hits).toEqual(wanted(3000));
    while (search.look(record, 1, crash.length, 500));
    expect(search.hits).toEqual(wanted(crash.length));
    search.look(record, 1, 2500, 500);
    expect(search.hits).toEqual(wanted(2500));
    while (search.look(record, 2001, crash.length, 500));
    expect(search.hits).toEqual(wanted(crash.length).filter((s) => s >= 2001));
  });
});
