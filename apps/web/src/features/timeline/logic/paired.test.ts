import { describe, expect, it } from 'vitest';
import { modelOf, recordsOf } from '../../../fixtures/timeline-run.js';
import type { PairedRuns } from '../../../run/counterpart.js';
import { placePairs, tickAt } from './paired.js';
import { Axis, type AxisMode } from './timeline-axis.js';

const records = recordsOf('crash-loop');
const model = modelOf(records);
const axisOf = (mode: AxisMode): Axis => {
  const axis = new Axis(model);
  axis.mode = mode;
  axis.scale = mode === 'time' ? 0.001 : 4;
  axis.update();
  return axis;
};
const [a, b] = [records[100], records[400]].map((r) => ({ seq: r?.seq ?? 0, time: r?.time ?? 0 })) as [
  { seq: number; time: number },
  { seq: number; time: number },
];
const paired: PairedRuns = {
  seen: [
    { seq: 7, time: a.time + 1_000 },
    { seq: 9, time: b.time },
  ],
  twin: [a, b],
  pairs: [{ seen: 7, twin: a.seq }],
  differences: [{ side: 'seen', time: b.time, here: true }],
};

describe('both runs on the axis', () => {
  it('stand at their records in the run that is shown, and at their times in the other', () => {
    const axis = axisOf('time');
    const placed = placePairs(paired, 'twin', model, axis, 0, axis.width);
    expect(placed.twin.map(({ x }) => x)).toEqual([axis.ofSeq(a.seq), axis.ofSeq(b.seq)]);
    expect(placed.seen[0]?.x).toBeCloseTo(axis.of(a.time + 1_000));
    expect(placed.lines).toEqual([{ seen: placed.seen[0]?.x, twin: placed.twin[0]?.x }]);
    expect(placed.differences).toEqual([{ side: 'seen', x: axis.of(b.time), here: true }]);
  });
  it('move with the view, and leave out what is out of sight', () => {
    const axis = axisOf('time');
    const all = placePairs(paired, 'twin', model, axis, 0, axis.width);
    const at = axis.ofSeq(a.seq);
    const moved = placePairs(paired, 'twin', model, axis, at - 20, 40);
    expect(moved.twin).toEqual([{ seq: a.seq, x: 20 }]);
    expect(moved.differences).toEqual([]);
    expect(all.twin).toHaveLength(2);
  });
  it('by records: the other run’s decision stands before the first record after it', () => {
    const axis = axisOf('records');
    const placed = placePairs(paired, 'twin', model, axis, 0, axis.width);
    expect(placed.twin[0]?.x).toBe(axis.ofSeq(a.seq));
    const next = model.seqAtTime(a.time + 1_000);
    expect(placed.seen[0]?.x).toBe(axis.of(next));
  });
  it('are found by the pointer within some px', () => {
    const ticks = [
      { seq: 1, x: 10 },
      { seq: 2, x: 14 },
    ];
    expect([tickAt(ticks, 13)?.seq, tickAt(ticks, 3)?.seq, tickAt(ticks, 40)]).toEqual([2, 1, null]);
  });
});
