import { describe, expect, it } from 'vitest';
import { atOnce } from '../base/work.js';
import { steps, toyTravel } from '../testing/toy-travel.js';
import { fitting, type Known, type Replay, replayAt, replayNext, timeOf } from './replay.js';

/** A run of the toy that is known for 60 decisions. */
function known(options = {}): Known & { readonly last: number } {
  const { travel } = toyTravel(5, options);
  steps(travel, 60);
  const { timeline, kernel } = travel;
  return { timeline, steps: kernel.steps, last: timeline.last };
}
const at = (run: Known, step: number, from: Replay | null = null): Replay =>
  atOnce(replayAt(run, { step, seq: run.timeline.seqAfter(step) }, from)) as Replay;

describe('a replay', () => {
  it('is there before the head, and not at it', () => {
    const run = known();
    expect(atOnce(replayAt(run, { step: 60, seq: run.last }, null))).toBeNull();
    expect(atOnce(replayAt(run, { step: 99, seq: run.last + 9 }, null))).toBeNull();
    expect(atOnce(replayAt(run, { step: 59, seq: run.last }, null))).toMatchObject({ step: 59, clock: 0 });
    expect(at(run, 20).view.last).toBe(run.timeline.seqAfter(20));
  });

  it('goes on decision by decision to the head, over the records of the run', () => {
    const run = known();
    const start = at(run, 20);
    let now: Replay | null = start;
    for (let step = 21; step < 60; step++) {
      now = replayNext(run, now as Replay, null) as Replay;
      expect([now.step, now.view.last]).toEqual([step, run.timeline.seqAfter(step)]);
      expect(now.view.state).toEqual(run.timeline.store.stateAt(now.view.last));
    }
    expect(start.step).toBe(20);
    expect(replayNext(run, now as Replay, null)).toBeNull();
  });

  it('stops where the watch says, and does the rest of that decision next', () => {
    const run = known();
    let from = 0;
    while (run.timeline.seqAfter(from + 1) - run.timeline.seqAfter(from) < 3) from++;
    const first = run.timeline.seqAfter(from) + 1;
    const stopped = replayNext(run, at(run, from), (r) => r.seq === first) as Replay;
    expect([stopped.step, stopped.view.last]).toEqual([from + 1, first]);
    const rest = replayNext(run, stopped, null) as Replay;
    expect([rest.step, rest.view.last]).toEqual([from + 1, run.timeline.seqAfter(from + 1)]);
  });

  it('shows the clock of its last record, or as far as the clock has moved since', () => {
    const then = at(known(), 20);
    const { time } = then.view.state;
    expect([timeOf(then), timeOf({ ...then, clock: time + 5 }), timeOf({ ...then, clock: time - 5 })]).toEqual([
      time,
      time + 5,
      time,
    ]);
  });

  it('of long ago is taken of a view near by, where there is one of the same run', () => {
    const { travel } = toyTravel(3, { chunk: 64, capacity: 2048 });
    steps(travel, 2000);
    const run = { timeline: travel.timeline, steps: travel.kernel.steps };
    const { store } = run.timeline;
    const position = (before: number) => ({ step: 0, seq: store.first - before });
    const late = atOnce(replayAt(run, position(100), null));
    const near = replayAt(run, position(200), late).next();
    expect(near).toMatchObject({ done: true, value: { takenOf: store } });
    expect((near.value as Replay).view.state).toEqual(store.stateAt(store.first - 200));
    expect(replayAt(run, position(200), null).next().done).toBe(false);
  });
});

describe('fitting', () => {
  it('keeps the record, and takes the decision that fits it best', () => {
    const run = known();
    const seq = run.timeline.seqAfter(30);
    const low = run.timeline.stepOf(seq);
    const high = run.timeline.stepOf(seq + 1) - 1;
    expect(fitting(run, { seq, step: 0 })).toEqual({ seq, step: low });
    expect(fitting(run, { seq, step: 30 })).toEqual({ seq, step: 30 });
    expect(fitting(run, { seq, step: 59 })).toEqual({ seq, step: high });
    expect(fitting(run, { seq: run.last, step: 99 })).toEqual({ seq: run.last, step: 60 });
  });
});
