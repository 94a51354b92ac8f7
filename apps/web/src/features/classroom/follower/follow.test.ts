import type { ClassView, ToFollower } from '@syncloop/core/classroom';
import { describe, expect, it } from 'vitest';
import { canAnswer, FOLLOWING_BEFORE, type Following, followerStatus, received, shown } from './follow.js';

const view: ClassView = { n: 1, run: 1, step: 5, seq: 9, time: 0, running: false, speed: { mode: 'max' }, sight: {} };
const run = { n: 1, moment: 'v1.jabc' };
const poll = { id: 1, phase: 'open', question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] } as const;
const joined: ToFollower = {
  type: 'joined',
  protocol: 1,
  id: 'x',
  number: 1,
  here: true,
  run,
  view,
  poll: null,
  pointer: null,
  lesson: null,
  stage: null,
  answer: null,
};
const after = (...messages: ToFollower[]) => messages.reduce(received, FOLLOWING_BEFORE);

describe('what a follower knows', () => {
  it('is the newest of each thing, from the first message on', () => {
    const f = after(joined, { type: 'state', view: { ...view, n: 2, step: 6 } }, { type: 'state', here: false });
    expect(f).toMatchObject({ link: 'on', here: false, run, view: { n: 2, step: 6 } });
    expect(shown(f)).toMatchObject({ run, view: { n: 2 } });
  });
  it('does not hold the pointer, which moves without changing anything else', () => {
    const f = after(joined);
    const moved = received(f, { type: 'state', pointer: { box: 'pleg', x: 0, y: 0 } });
    expect(moved).toEqual(f);
  });
  it('shows a view only with the run that it is of', () => {
    expect(shown(after(joined, { type: 'state', view: { ...view, run: 2 } }))).toBeNull();
    expect(shown(after(joined, { type: 'state', run: { n: 2, moment: 'v1.jx' } }))).toBeNull();
    expect(shown(after(joined, { type: 'state', view: { ...view, run: 0 } }))).toBeNull();
  });
  it('keeps its answer with the question that it is to', () => {
    const answered = after(joined, { type: 'state', poll }, { type: 'answered', poll: 1, option: 1 });
    expect(answered.answer).toBe(1);
    expect(canAnswer(answered)).toBe(true);
    const closed = received(answered, { type: 'state', poll: { ...poll, phase: 'closed' } });
    expect(closed.answer).toBe(1);
    expect(canAnswer(closed)).toBe(false);
    expect(received(closed, { type: 'state', poll: { ...poll, id: 2 } }).answer).toBeNull();
    expect(received(closed, { type: 'state', poll: null }).answer).toBeNull();
    expect(received(answered, { type: 'answered', poll: 7, option: 0 })).toBe(answered);
    expect(received(answered, { type: 'state', view }).answer).toBe(1);
  });
  it('has the stage that is open, also of an agent that knows none', () => {
    expect(after({ ...joined, stage: 'pleg' }).stage).toBe('pleg');
    expect(after(joined, { type: 'state', stage: 'pleg' }, { type: 'state', view }).stage).toBe('pleg');
    const { stage: _, ...before } = joined;
    expect(after(before as ToFollower).stage).toBeNull();
  });
  it('is told anew when it connects again, with what it answered', () => {
    const lost: Following = { ...after(joined), link: 'lost', reason: 'x', away: true };
    expect(received(lost, { ...joined, poll, answer: 0 })).toMatchObject({
      link: 'on',
      reason: '',
      away: true,
      answer: 0,
    });
  });
});

describe('where a follower stands', () => {
  it('is said by what counts most', () => {
    const live = after(joined);
    const cases: [Partial<Following>, ReturnType<typeof followerStatus>][] = [
      [{}, 'live'],
      [{ away: true }, 'away'],
      [{ view: null }, 'waiting'],
      [{ view: { ...view, run: 0 } }, 'unshown'],
      [{ problem: 'no' }, 'stuck'],
      [{ here: false }, 'gone'],
      [{ here: false, view: null }, 'waiting'],
      [{ here: false, away: true }, 'gone'],
      [{ link: 'lost' }, 'lost'],
      [{ link: 'refused', away: true }, 'refused'],
      [{ link: 'connecting' }, 'connecting'],
    ];
    for (const [change, want] of cases)
      expect(followerStatus({ ...live, ...change }), JSON.stringify(change)).toBe(want);
  });
});
