import type { ClassView } from '@syncloop/core/classroom';
import type { RunSpec } from '@syncloop/core/debug';
import { describe, expect, it } from 'vitest';
import { sameRun, upTo } from '../../../run/run-spec.js';
import { dueStep, type FollowerRun, nextMove, spanOf, type Target } from './next-move.js';

const hello: RunSpec = { scenario: 'hello', seed: 1 };
const kill = (step: number, after: number, time = 0) =>
  ({ step, after, time, command: { do: 'kill', uid: 'abc' } }) as const;
const view = (step: number, seq: number, more: Partial<ClassView> = {}): ClassView => ({
  n: 1,
  run: 1,
  step,
  seq,
  time: 0,
  running: false,
  speed: { mode: 'max' },
  sight: {},
  ...more,
});
const target = (step: number, seq: number, more: Partial<Target> = {}): Target => ({
  spec: hello,
  view: view(step, seq),
  since: 0,
  from: 0,
  span: 0,
  ...more,
});
const own = (step: number, seq: number, more: Partial<FollowerRun> = {}): FollowerRun => ({
  spec: hello,
  at: { step, seq },
  time: 0,
  known: true,
  ...more,
});

describe('two runs', () => {
  it('are the same whatever the order of their fields, and not when anything in them differs', () => {
    const a: RunSpec = { ...hello, interventions: [kill(5, 9)], deviations: [{ decision: 2, case: 1 }] };
    const b = {
      deviations: [{ case: 1, decision: 2 }],
      interventions: [{ time: 0, after: 9, step: 5, command: { uid: 'abc', do: 'kill' } }],
      seed: 1,
      scenario: 'hello',
    } as RunSpec;
    expect(sameRun(a, b)).toBe(true);
    expect(sameRun(a, { ...a, seed: 2 })).toBe(false);
    expect(sameRun(a, { ...a, interventions: [kill(5, 8)] })).toBe(false);
    expect(sameRun(a, { ...a, deviations: [] })).toBe(false);
    expect(sameRun(hello, { ...hello, interventions: [] })).toBe(true);
  });
  it('are cut at a position', () => {
    const spec: RunSpec = {
      ...hello,
      interventions: [kill(5, 9), kill(8, 20)],
      deviations: [{ decision: 7, case: 0 }],
    };
    expect(upTo(spec, { step: 5, seq: 9 })).toEqual(hello);
    expect(upTo(spec, { step: 5, seq: 10 })).toEqual({ ...hello, interventions: [kill(5, 9)] });
    expect(upTo(spec, { step: 8, seq: 21 })).toEqual(spec);
  });
});

describe('a follower', () => {
  it('goes on, back, and to the record, and then rests', () => {
    expect(nextMove(own(3, 5), target(7, 12), 0)).toEqual({ do: 'step', step: 7 });
    expect(nextMove(own(9, 20), target(7, 12), 0)).toEqual({ do: 'step', step: 7 });
    expect(nextMove(own(7, 13), target(7, 12), 0)).toEqual({ do: 'seq', seq: 12 });
    expect(nextMove(own(7, 12), target(7, 12), 0)).toBeNull();
  });
  it('takes as long from view to view as the presenter did, and no longer', () => {
    const running = target(100, 200, { view: view(100, 200, { running: true }), since: 1000, from: 0, span: 200 });
    expect(dueStep(running, 1000)).toBe(0);
    expect(dueStep(running, 1100)).toBe(50);
    expect(dueStep(running, 5000)).toBe(100);
    expect(nextMove(own(50, 90), running, 1100)).toEqual({ do: 'wait', millis: 40 });
    expect(nextMove(own(50, 90), running, 1150)).toEqual({ do: 'step', step: 75 });
    expect(nextMove(own(120, 220), running, 1100)).toEqual({ do: 'step', step: 100 });
    expect(spanOf(200)).toBe(200);
    expect(spanOf(700)).toBe(400);
    expect(spanOf(30_000)).toBe(0);
  });
  it('loads a run that is not its own', () => {
    const load = { do: 'load', spec: hello, to: { step: 7, seq: 12 } };
    expect(nextMove(own(3, 5, { spec: { ...hello, seed: 2 } }), target(7, 12), 0)).toEqual(load);
    expect(nextMove(own(9, 20, { spec: { ...hello, interventions: [kill(8, 15)] } }), target(7, 12), 0)).toEqual(load);
    // It was done here as well, yet later than the presenter's position: going back is enough.
    const spec: RunSpec = { ...hello, interventions: [kill(8, 15)] };
    expect(nextMove(own(9, 20, { spec }), target(7, 12, { spec }), 0)).toEqual({ do: 'step', step: 7 });
  });
  it('does what the presenter did at the same place, and else takes the run anew', () => {
    const spec: RunSpec = { ...hello, interventions: [kill(5, 9, 70)] };
    const there = target(6, 12, { spec });
    expect(nextMove(own(3, 5, { known: false }), there, 0)).toEqual({ do: 'step', step: 5 });
    expect(nextMove(own(5, 9, { known: false, time: 70 }), there, 0)).toEqual({
      do: 'act',
      command: kill(5, 9).command,
    });
    for (const at of [own(5, 9, { known: false, time: 69 }), own(5, 10, { known: false, time: 70 })])
      expect(nextMove(at, there, 0)).toMatchObject({ do: 'load' });
    const more = target(6, 12, { spec: { ...hello, interventions: [kill(5, 9, 70), kill(5, 10, 70)] } });
    expect(nextMove(own(3, 5, { known: false }), more, 0)).toMatchObject({ do: 'load' });
    const deviated = target(6, 12, { spec: { ...hello, deviations: [{ decision: 5, case: 1 }] } });
    expect(nextMove(own(3, 5, { known: false }), deviated, 0)).toMatchObject({ do: 'load' });
    // Known beyond: it happens by itself.
    expect(nextMove(own(3, 5), there, 0)).toEqual({ do: 'step', step: 6 });
  });
});
