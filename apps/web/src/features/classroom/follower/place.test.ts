import { parseFollowerMessage } from '@syncloop/core/classroom';
import { describe, expect, it } from 'vitest';
import { FOLLOWING_BEFORE, type Following } from './follow.js';
import { type PlaceMessage, placeOf, REPORT_MILLIS, Reporter } from './place.js';

const view = {
  n: 1,
  run: 1,
  step: 100,
  seq: 9,
  time: 0,
  running: false,
  speed: { mode: 'max' },
  sight: {},
} as const;
const live: Following = { ...FOLLOWING_BEFORE, link: 'on', here: true, run: { n: 1, moment: 'v1.j' }, view };

describe('where a follower stands', () => {
  it('is in step, behind, on its own way, away, or stuck', () => {
    const of = (f: Following, steps: number, hidden = false) => {
      const message = placeOf(f, steps, hidden);
      expect(parseFollowerMessage(message)).toEqual(message);
      return [message.place, message.behind];
    };
    expect(of(live, 100)).toEqual(['with', 0]);
    expect(of(live, 88)).toEqual(['with', 12]);
    // The presenter went back, and this page has not yet.
    expect(of(live, 103)).toEqual(['with', 3]);
    expect(of({ ...live, away: true }, 5)).toEqual(['own', 0]);
    expect(of(live, 90, true)).toEqual(['away', 10]);
    expect(of({ ...live, problem: 'x' }, 90)).toEqual(['stuck', 10]);
    // A run that goes on is always a little ahead.
    const running = { ...live, view: { ...view, step: 9_000, running: true } };
    expect(of(running, 8_700)).toEqual(['with', 0]);
    expect(of(running, 700)).toEqual(['with', 8_300]);
    // Nothing that could be followed is shown.
    expect(of({ ...live, view: { ...view, run: 0 } }, 0)).toEqual(['with', 0]);
    expect(of(FOLLOWING_BEFORE, 7)).toEqual(['with', 0]);
  });

  it('is told when it has changed, and seldom', () => {
    const sent: PlaceMessage[] = [];
    const timers: { millis: number; then: () => void }[] = [];
    let steps = 100;
    const reporter = new Reporter({
      now: () => placeOf(live, steps, false),
      send: (message) => sent.push(message),
      after: (millis, then) => timers.push({ millis, then }),
    });
    const pass = () => timers.shift()?.then();
    reporter.changed();
    for (steps = 90; steps < 95; steps++) reporter.changed();
    expect(sent.map((m) => m.behind)).toEqual([0]);
    expect(timers.map((t) => t.millis)).toEqual([REPORT_MILLIS]);
    pass();
    expect(sent.map((m) => m.behind)).toEqual([0, 5]);
    pass();
    reporter.changed();
    expect(sent).toHaveLength(2);
    reporter.anew();
    expect(sent).toHaveLength(3);
  });
});
