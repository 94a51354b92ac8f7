import type { ClassState, ToFollower, ToPresenter } from '@syncloop/core/classroom';
import { describe, expect, it } from 'vitest';
import { audienceAllowance } from '../server/limits.js';
import { type Peer, Room } from './room.js';
import { MOST_FIRSTS, stageCounts } from './stage-results.js';

class FakePeer<M> implements Peer<M> {
  readonly got: M[] = [];
  writable = true;
  ended = false;
  send(message: M): void {
    this.got.push(message);
  }
  end(): void {
    this.ended = true;
  }
}

/** A room on a clock that the test moves. */
function setup(most = 10, perAddress = most) {
  let now = 0;
  let timers: { at: number; then: () => void }[] = [];
  const room = new Room({
    allowance: audienceAllowance({ seats: most, seatsPerAddress: perAddress }),
    links: () => ['http://127.0.0.1:7331/#class=x'],
    now: () => now,
    after: (millis, then) => {
      const timer = { at: now + millis, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((t) => t !== timer);
      };
    },
  });
  const join = (id?: string, address?: string) => {
    const peer = new FakePeer<ToFollower>();
    const seat = room.join(peer, id, address);
    const joined = peer.got[0] as Extract<ToFollower, { type: 'joined' }>;
    return { peer, seat, id: joined?.id, joined };
  };
  const attend = (presents = true) => {
    const peer = new FakePeer<ToPresenter>();
    const seat = room.attend(peer);
    if (presents) seat.receive({ type: 'present' });
    return { peer, seat };
  };
  return {
    room,
    join,
    attend,
    /** Lets time pass, and runs what is due. */
    pass(millis: number) {
      const until = now + millis;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        const next = timers[0];
        if (!next || next.at > until) break;
        timers.shift();
        now = next.at;
        next.then();
      }
      now = until;
    },
    get timers() {
      return timers.length;
    },
  };
}

const view = (n: number, step = n) => ({
  type: 'view',
  view: { n, run: 1, step, seq: step, time: 0, running: true, speed: { mode: 'max' }, sight: {} },
});
const run = { type: 'run', run: { n: 1, moment: 'v1.jabc' } };
const poll = {
  type: 'poll',
  poll: { question: { en: 'Next?' }, options: [{ en: 'a' }, { en: 'b' }, { en: 'c' }], right: 2 },
};
const answer = (id: number, option: number) => ({ type: 'answer', poll: id, option });
const last = <M>(peer: FakePeer<M>) => peer.got.at(-1) as M;
const stateOf = (peer: FakePeer<ToFollower>) =>
  Object.assign({}, ...peer.got.filter((m) => m.type === 'joined' || m.type === 'state')) as ClassState;
const countsOf = (peer: FakePeer<ToPresenter>) => {
  const rooms = peer.got.filter((m) => m.type === 'room');
  return rooms.at(-1)?.poll?.counts;
};

describe('views', () => {
  it('reach every follower as they come, and who joins late at once', () => {
    const { join, attend } = setup();
    const early = join();
    expect(early.joined).toMatchObject({ here: false, run: null, view: null, poll: null });
    const { seat } = attend();
    seat.receive(run);
    seat.receive(view(1));
    seat.receive(view(2));
    expect(early.peer.got.slice(1)).toEqual([
      { type: 'state', here: true },
      { type: 'state', run: run.run },
      { type: 'state', view: view(1).view },
      { type: 'state', view: view(2).view },
    ]);
    const late = join();
    expect(late.joined).toMatchObject({ here: true, run: run.run, view: { n: 2 } });
  });

  it('come with the place that the presenter points at, until it is gone', () => {
    const { join, attend } = setup();
    const one = join();
    const { seat } = attend();
    const pointer = { box: 'pleg', x: 0.5, y: 0.25 };
    seat.receive({ type: 'pointer', pointer });
    expect(last(one.peer)).toEqual({ type: 'state', pointer });
    expect(join().joined).toMatchObject({ pointer });
    seat.receive({ type: 'pointer' });
    expect(last(one.peer)).toEqual({ type: 'state', pointer: null });
    seat.receive({ type: 'pointer', pointer });
    seat.close();
    expect(last(one.peer)).toEqual({ type: 'state', here: false, pointer: null });
  });

  it('come with the lesson that is presented, until it ends', () => {
    const { join, attend } = setup();
    const { seat } = attend();
    const lesson = { name: 'pleg', step: 3, values: { time: '1' } };
    seat.receive({ type: 'lesson', lesson });
    const late = join();
    expect(late.joined).toMatchObject({ lesson });
    seat.receive({ type: 'lesson' });
    expect(last(late.peer)).toEqual({ type: 'state', lesson: null });
  });

  it('leave out who is slow until it can take the newest one', () => {
    const { join, attend, pass, timers } = setup();
    const slow = join();
    const quick = join();
    const { seat } = attend();
    const before = slow.peer.got.length;
    slow.peer.writable = false;
    seat.receive(run);
    for (let n = 1; n <= 50; n++) {
      seat.receive(view(n));
      pass(200);
    }
    expect(slow.peer.got).toHaveLength(before);
    expect(stateOf(quick.peer).view).toMatchObject({ n: 50 });
    slow.peer.writable = true;
    pass(100);
    expect(slow.peer.got.slice(before)).toEqual([{ type: 'state', run: run.run, view: view(50).view }]);
    pass(10_000);
    expect(timers).toBe(0);
  });

  it('stay when the presenter is lost, and followers are told', () => {
    const { join, attend } = setup();
    const { peer } = join();
    const { seat } = attend();
    seat.receive(run);
    seat.receive(view(1));
    seat.close();
    expect(last(peer)).toEqual({ type: 'state', here: false });
    expect(join().joined).toMatchObject({ here: false, view: { n: 1 } });
    attend();
    expect(last(peer)).toEqual({ type: 'state', here: true });
  });

  it('are gone when the presenter stops', () => {
    const { join, attend } = setup();
    const { peer } = join();
    const { seat } = attend();
    for (const m of [run, view(1), poll, { type: 'stop' }]) seat.receive(m);
    expect(stateOf(peer)).toMatchObject({ here: false, run: null, view: null, poll: null });
  });

  it('come from one presenter: the one who presented last', () => {
    const { join, attend } = setup();
    const { peer } = join();
    const first = attend();
    const second = attend();
    expect(first.peer.got).toContainEqual({ type: 'replaced' });
    first.seat.receive(view(7));
    expect(last(first.peer)).toMatchObject({ type: 'refused', error: expect.stringContaining('does not present') });
    second.seat.receive(view(8));
    expect(stateOf(peer).view).toMatchObject({ n: 8 });
    first.seat.close();
    expect(stateOf(peer).here).toBe(true);
  });
});

describe('followers', () => {
  it('are as many as there is place for', () => {
    const { room, join } = setup(2);
    const one = join();
    join();
    expect(room.full).toBe(true);
    expect(join().seat).toBeNull();
    one.seat?.close();
    expect(join().seat).not.toBeNull();
  });

  it('come from one address as far as it has seats, with a few pages each, and not as ever new ones', () => {
    const { join, pass } = setup(400, 64);
    const crowd = Array.from({ length: 80 }, () => join(undefined, 'school').seat);
    expect(crowd.filter((seat) => seat === null)).toHaveLength(16);
    expect(join(undefined, 'home').seat).not.toBeNull();
    for (const seat of crowd) seat?.close();
    // As many again may come afterwards, and then no more within the minute; who was here before comes back at any
    // time.
    const second = Array.from({ length: 64 }, () => join(undefined, 'school'));
    for (const { seat } of second) seat?.close();
    expect(join(undefined, 'school').seat).toBeNull();
    const pages = Array.from({ length: 5 }, () => join(second[0]?.id, 'school').seat);
    expect(pages.map((seat) => seat !== null)).toEqual([true, true, true, true, false]);
    pass(60_000);
    expect(join(undefined, 'school').seat).not.toBeNull();
  });

  it('are told to the presenter by number, with where they stand, and with nothing of who they are', () => {
    const { join, attend, pass } = setup();
    const { peer } = attend();
    const one = join(undefined, '10.0.0.1');
    const two = join(undefined, '10.0.0.2');
    expect([one.joined.number, two.joined.number]).toEqual([1, 2]);
    two.seat?.receive({ type: 'place', place: 'with', behind: 12, name: 'Ann' });
    pass(200);
    expect((last(peer) as Extract<ToPresenter, { type: 'room' }>).audience).toEqual([
      { number: 1, place: 'joining', behind: 0 },
      { number: 2, place: 'with', behind: 12 },
    ]);
    expect(JSON.stringify(last(peer))).not.toMatch(/10\.0\.0|Ann/);
    expect(JSON.stringify(last(peer))).not.toContain(one.id);
    one.seat?.receive({ type: 'place', place: 'joining', behind: 0 });
    expect(last(one.peer)).toMatchObject({ type: 'refused', error: expect.stringMatching(/place: it is "joining"/) });
    // It is one of the messages that a page may send, and a number is not given twice.
    for (let i = 0; i < 12; i++) two.seat?.receive({ type: 'place', place: 'own', behind: i });
    expect(last(two.peer)).toMatchObject({ error: 'too many messages: wait ten seconds' });
    one.seat?.close();
    expect(join().joined.number).toBe(3);
    pass(200);
    expect((last(peer) as Extract<ToPresenter, { type: 'room' }>).audience.map((m) => m.number)).toEqual([2, 3]);
  });

  it('are counted once, however many pages they have open, and told to presenters a few times a second', () => {
    const { join, attend, pass } = setup();
    const { peer } = attend(false);
    const one = join();
    const again = join(one.id);
    join();
    expect(again.id).toBe(one.id);
    expect(peer.got).toHaveLength(1);
    pass(200);
    expect(last(peer)).toMatchObject({ type: 'room', followers: 2, most: 10 });
    one.seat?.close();
    one.seat?.close();
    pass(200);
    expect(last(peer)).toMatchObject({ followers: 2 });
    again.seat?.close();
    pass(200);
    expect(last(peer)).toMatchObject({ followers: 1 });
  });

  it('cannot choose who they are', () => {
    const { join } = setup();
    const { id } = join();
    const forged = [`${id}x`, 'abc', 'a.b', '.', '', `${id.split('.')[0]}.${'a'.repeat(43)}`, 'x'.repeat(10_000)];
    for (const other of forged) expect(join(other).id).not.toBe(other);
    expect(join(setup().join().id).id).not.toBe(id);
  });

  it('have nothing to say but answers', () => {
    const { join, attend } = setup();
    const { seat } = attend();
    seat.receive(run);
    const { peer, seat: follower } = join();
    for (const m of [
      { type: 'present' },
      { type: 'stop' },
      view(9),
      poll,
      null,
      7,
      { type: 'command', command: { do: 'kill' } },
    ])
      follower?.receive(m);
    expect(peer.got.slice(1).every((m) => m.type === 'refused')).toBe(true);
    expect(join().joined).toMatchObject({ here: true, view: null, poll: null });
  });

  it('who send too much are told, then shown out', () => {
    const { join, pass } = setup();
    const { peer, seat } = join();
    for (let i = 0; i < 20; i++) seat?.receive(null);
    expect(last(peer)).toEqual({ type: 'refused', error: 'too many messages: wait ten seconds' });
    expect(peer.ended).toBe(false);
    pass(10_000);
    seat?.receive(null);
    expect(last(peer)).not.toMatchObject({ error: expect.stringContaining('wait') });
    for (let i = 0; i < 30; i++) seat?.receive(null);
    expect(peer.ended).toBe(true);
    expect(peer.got.length).toBeLessThan(50);
  });
});

describe('a poll', () => {
  const asked = (most?: number, perAddress?: number) => {
    const all = setup(most, perAddress);
    const presenter = all.attend();
    presenter.seat.receive(poll);
    return { ...all, presenter };
  };

  it('counts each follower once, by its last answer', () => {
    const { join, presenter, pass } = asked();
    const [one, two, three] = [join(), join(), join()];
    one.seat?.receive(answer(1, 0));
    two.seat?.receive(answer(1, 0));
    three.seat?.receive(answer(1, 1));
    one.seat?.receive(answer(1, 2));
    one.seat?.receive(answer(1, 2));
    pass(200);
    expect(countsOf(presenter.peer)).toEqual([1, 1, 1]);
    expect(last(one.peer)).toEqual({ type: 'answered', poll: 1, option: 2 });
    // Another page of the same follower, and the same follower after it was away.
    const again = join(two.id);
    expect(again.joined.answer).toBe(0);
    again.seat?.receive(answer(1, 1));
    two.seat?.close();
    again.seat?.close();
    join(two.id).seat?.receive(answer(1, 1));
    pass(200);
    expect(countsOf(presenter.peer)).toEqual([0, 2, 1]);
  });

  it('tells followers the counts when it is closed, and the right answer when it is revealed, not before', () => {
    const { join, presenter } = asked();
    const { peer, seat, joined } = join();
    seat?.receive(answer(1, 2));
    for (const shown of [joined.poll, stateOf(peer).poll, join().joined.poll]) {
      expect(shown).not.toHaveProperty('right');
      expect(shown).not.toHaveProperty('counts');
    }
    presenter.seat.receive({ type: 'phase', phase: 'closed' });
    for (const shown of [stateOf(peer).poll, join().joined.poll]) {
      expect(shown).toMatchObject({ phase: 'closed', counts: [0, 0, 1] });
      expect(shown).not.toHaveProperty('right');
    }
    // When the poll is open again, nobody sees what others chose.
    presenter.seat.receive({ type: 'phase', phase: 'open' });
    expect(stateOf(peer).poll).not.toHaveProperty('counts');
    presenter.seat.receive({ type: 'phase', phase: 'revealed' });
    expect(stateOf(peer).poll).toMatchObject({ phase: 'revealed', counts: [0, 0, 1], right: 2 });
  });

  it('stays with its result until it is put away, for those who come late too', () => {
    const { join, presenter } = asked();
    join().seat?.receive(answer(1, 1));
    presenter.seat.receive({ type: 'phase', phase: 'closed' });
    presenter.seat.receive(view(7));
    const late = join();
    expect(late.joined.poll).toMatchObject({ phase: 'closed', counts: [0, 1, 0] });
    presenter.seat.receive({ type: 'endPoll' });
    expect(stateOf(late.peer).poll).toBeNull();
  });

  it('takes no answers when it is closed or over, and none that it has not', () => {
    const { join, presenter, pass } = asked();
    const { peer, seat } = join();
    seat?.receive(answer(1, 5));
    expect(last(peer)).toMatchObject({ error: 'this question has 3 answers' });
    seat?.receive(answer(1, 1));
    presenter.seat.receive({ type: 'phase', phase: 'closed' });
    seat?.receive(answer(1, 0));
    expect(last(peer)).toMatchObject({ error: 'this question accepts no more answers' });
    presenter.seat.receive({ type: 'phase', phase: 'open' });
    seat?.receive(answer(1, 0));
    pass(200);
    expect(countsOf(presenter.peer)).toEqual([1, 0, 0]);
    presenter.seat.receive(poll);
    seat?.receive(answer(1, 0));
    expect(last(peer)).toMatchObject({ error: 'that question is over' });
    expect(countsOf(presenter.peer)).toEqual([0, 0, 0]);
    presenter.seat.receive({ type: 'endPoll' });
    expect(stateOf(peer).poll).toBeNull();
    presenter.seat.receive({ type: 'phase', phase: 'open' });
    expect(last(presenter.peer)).toMatchObject({ type: 'refused', error: 'there is no question' });
  });

  it('counts one answer for each seat, whoever keeps coming as somebody else', () => {
    const { join, presenter, pass } = asked(400, 64);
    const votes = (address: string, option: number) => {
      for (let i = 0; i < 300; i++) {
        pass(1_000);
        const { seat } = join(undefined, address);
        seat?.receive(answer(1, option));
        seat?.close();
      }
    };
    votes('10.0.0.1', 0);
    expect(countsOf(presenter.peer)).toEqual([64, 0, 0]);
    // Another address has answers of its own.
    votes('10.0.0.2', 1);
    expect(countsOf(presenter.peer)).toEqual([64, 64, 0]);
  });

  it('keeps the answer of who has gone until an answer of somebody else needs its place', () => {
    const { join, presenter, pass } = asked(400, 2);
    const gone = join(undefined, 'a');
    gone.seat?.receive(answer(1, 0));
    gone.seat?.close();
    const here = join(undefined, 'a');
    here.seat?.receive(answer(1, 1));
    pass(60_000);
    expect(countsOf(presenter.peer)).toEqual([1, 1, 0]);
    const third = join(undefined, 'a');
    third.seat?.receive(answer(1, 2));
    pass(200);
    expect(countsOf(presenter.peer)).toEqual([0, 1, 1]);
    // Both are here: he who has gone finds his answer forgotten, and no place for another.
    third.seat?.close();
    const back = join(gone.id, 'a');
    expect(back.joined).toMatchObject({ answer: null });
    const fourth = join(undefined, 'a');
    expect(fourth.seat).toBeNull();
    back.seat?.receive(answer(1, 0));
    pass(200);
    expect(countsOf(presenter.peer)).toEqual([1, 1, 0]);
  });

  it('is still there for a presenter who comes back', () => {
    const { join, attend, presenter } = asked();
    join().seat?.receive(answer(1, 1));
    presenter.seat.close();
    expect(countsOf(attend().peer)).toEqual([0, 1, 0]);
  });
});

describe('a question for a number', () => {
  const wanted = { question: { en: 'How long?' }, options: [], number: { unit: 's', tolerance: 2 } };
  const give = (number: number) => ({ type: 'answer', poll: 1, number });

  it('counts each follower once by number, and shows them when it is closed, not before', () => {
    const { join, attend, pass } = setup();
    const { peer, seat } = attend();
    seat.receive({ type: 'poll', poll: wanted });
    const [one, two, three] = [join(), join(), join()];
    one.seat?.receive(give(7));
    one.seat?.receive(give(10));
    two.seat?.receive(give(10.00004));
    three.seat?.receive(give(9));
    expect(last(two.peer)).toEqual({ type: 'answered', poll: 1, number: 10 });
    pass(200);
    expect(last(peer)).toMatchObject({ poll: { counts: [1, 2], values: [9, 10], number: wanted.number } });
    expect(join(one.id).joined.answer).toBe(10);
    for (const hidden of ['counts', 'values', 'right']) expect(stateOf(one.peer).poll).not.toHaveProperty(hidden);
    seat.receive({ type: 'phase', phase: 'revealed', right: 9.5 });
    expect(stateOf(one.peer).poll).toMatchObject({ counts: [1, 2], values: [9, 10], right: 9.5 });
  });

  it('takes numbers alone, and only such as a class can have', () => {
    const { join, attend } = setup();
    const { seat } = attend();
    seat.receive({ type: 'poll', poll: wanted });
    const { peer, seat: own } = join();
    const refused = (message: object, error: RegExp) => {
      own?.receive(message);
      expect(last(peer)).toMatchObject({ type: 'refused', error: expect.stringMatching(error) });
    };
    refused(answer(1, 0), /wants a number/);
    refused(give(1e13), /number/);
    refused(give(Number.NaN), /number/);
    refused({ ...give(1), option: 1 }, /exactly one of option and number/);
    refused({ type: 'answer', poll: 1 }, /exactly one of option and number/);
    seat.receive(poll);
    refused({ type: 'answer', poll: 2, number: 1 }, /has 3 answers/);
  });

  it('keeps the answer of an address within its seats', () => {
    const { join, attend, pass } = setup(400, 2);
    const { peer, seat } = attend();
    seat.receive({ type: 'poll', poll: wanted });
    for (let i = 0; i < 50; i++) {
      pass(60_000);
      const { seat: own } = join(undefined, 'a');
      own?.receive(give(i));
      own?.close();
    }
    pass(200);
    expect(last(peer)).toMatchObject({ poll: { counts: [1, 1], values: [48, 49] } });
  });
});

describe('hands', () => {
  const hand = (name?: string) => ({ type: 'hand', hand: { moment: 'v4.jabc', time: 7, ...(name && { name }) } });
  const raisedIn = (peer: FakePeer<ToPresenter>) => peer.got.filter((m) => m.type === 'room').at(-1)?.hands;

  it('are raised with a moment, listed without it, opened by the presenter alone, and lowered by both', () => {
    const { join, attend, pass } = setup();
    const [one, two] = [join(), join()];
    one.seat?.receive(hand());
    expect(last(one.peer)).toMatchObject({ type: 'refused', error: 'nobody presents now' });
    const { peer, seat } = attend();
    one.seat?.receive(hand('Ada'));
    two.seat?.receive(hand());
    expect(last(one.peer)).toEqual({ type: 'hand', up: true });
    pass(1_000);
    expect(raisedIn(peer)).toEqual([
      { number: 1, time: 7, name: 'Ada' },
      { number: 2, time: 7 },
    ]);
    seat.receive({ type: 'openHand', number: 2 });
    expect(last(peer)).toEqual({ type: 'moment', number: 2, moment: 'v4.jabc' });
    one.seat?.receive({ type: 'hand' });
    expect(last(one.peer)).toEqual({ type: 'hand', up: false });
    seat.receive({ type: 'lower' });
    expect(last(two.peer)).toEqual({ type: 'hand', up: false });
    expect(raisedIn(peer)).toEqual([]);
    seat.receive({ type: 'openHand', number: 2 });
    expect(last(peer)).toMatchObject({ type: 'refused', error: 'that hand is no longer up' });
  });

  it('go down with the page that raised them', () => {
    const { join, attend, pass } = setup();
    const { peer } = attend();
    const one = join();
    one.seat?.receive(hand());
    one.seat?.close();
    pass(1_000);
    expect(raisedIn(peer)).toEqual([]);
  });
});

describe('a question of a lesson', () => {
  it('gets its right answer when the run has shown it', () => {
    const { join, attend } = setup();
    const follower = join();
    const { seat } = attend();
    const lesson = { name: 'pleg', step: 3 };
    seat.receive({ type: 'poll', poll: { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }], lesson } });
    expect(stateOf(follower.peer).poll).toMatchObject({ lesson });
    seat.receive({ type: 'phase', phase: 'revealed', right: 1 });
    expect(stateOf(follower.peer).poll).toMatchObject({ phase: 'revealed', right: 1 });
    // There is no such answer.
    seat.receive({ type: 'phase', phase: 'revealed', right: 5 });
    expect(stateOf(follower.peer).poll).toMatchObject({ right: 1 });
  });
});

describe('a stage of the workshop', () => {
  const stage = { type: 'stage', stage: 'pleg' };
  const report = (passed: readonly string[], first?: object) => ({
    type: 'stage',
    stage: 'pleg',
    report: { passed, ...(first && { first }) },
  });
  const first = { level: 'examples', case: 'new-pod' };
  const stageOf = (peer: FakePeer<ToPresenter>) => peer.got.filter((m) => m.type === 'room').at(-1)?.stage;

  it('is opened for all by its name, also for who comes late, until the presenter ends it', () => {
    const { join, attend } = setup();
    const one = join();
    const { seat } = attend();
    seat.receive(stage);
    expect(last(one.peer)).toEqual({ type: 'state', stage: 'pleg' });
    expect(join().joined).toMatchObject({ stage: 'pleg' });
    seat.receive({ type: 'stage' });
    expect(last(one.peer)).toEqual({ type: 'state', stage: null });
    seat.receive(stage);
    seat.receive({ type: 'stop' });
    expect(stateOf(one.peer).stage).toBeNull();
  });

  it('is counted by level and first difference, each follower once, without numbers or names', () => {
    const { join, attend, pass } = setup();
    const { peer, seat } = attend();
    const [one, two, three] = [join(), join(), join()];
    seat.receive(stage);
    one.seat?.receive(report([], first));
    two.seat?.receive(report([], first));
    three.seat?.receive(report(['examples'], { ...first, level: 'recordings', case: 'crash-loop', problem: 'steps' }));
    pass(1_000);
    expect(stageOf(peer)).toEqual({
      stage: 'pleg',
      judged: 3,
      passed: [1, 0, 0],
      firsts: [
        { ...first, n: 2 },
        { level: 'recordings', case: 'crash-loop', problem: 'steps', n: 1 },
      ],
      others: 0,
    });
    // The newest of a follower counts, and it outlasts its connection.
    two.seat?.receive(report(['examples', 'recordings', 'explorer']));
    two.seat?.close();
    pass(1_000);
    expect(stageOf(peer)).toMatchObject({ judged: 3, passed: [2, 1, 1], firsts: [{ n: 1 }, { n: 1 }] });
    // Another stage starts over; a result of the one before is of no use.
    seat.receive({ type: 'stage', stage: 'back-off' });
    one.seat?.receive(report(['examples']));
    pass(1_000);
    expect(stageOf(peer)).toEqual({ stage: 'back-off', judged: 0, passed: [0, 0, 0], firsts: [], others: 0 });
    expect(one.peer.got.some((m) => m.type === 'refused')).toBe(false);
  });

  it('has no more results from an address than it has seats, and no code in any', () => {
    const { join, attend, pass } = setup(10, 2);
    const { peer, seat } = attend();
    seat.receive(stage);
    const a = join(undefined, '10.0.0.1');
    const b = join(undefined, '10.0.0.1');
    for (const { seat: own } of [a, b]) own?.receive(report(['examples']));
    b.seat?.close();
    const c = join(undefined, '10.0.0.1');
    c.seat?.receive({ ...report([], { ...first, got: 'secret' }), code: 'secret' });
    pass(1_000);
    expect(stageOf(peer)).toMatchObject({ judged: 2, passed: [1, 0, 0] });
    expect(JSON.stringify(peer.got)).not.toContain('secret');
    c.seat?.receive({ type: 'stage', stage: 'pleg', report: { passed: ['x'] } });
    expect(last(c.peer)).toMatchObject({ type: 'refused', error: expect.stringContaining('report.passed') });
  });

  it('has so many first differences apart, the most frequent ones', () => {
    const reports = Array.from({ length: MOST_FIRSTS + 3 }, (_, i) => ({
      passed: [],
      first: { level: 'examples' as const, case: `case-${i}` },
    }));
    const counts = stageCounts('pleg', [...reports, ...reports.slice(-1)]);
    expect(counts.firsts).toHaveLength(MOST_FIRSTS);
    expect(counts.firsts[0]).toEqual({ level: 'examples', case: `case-${MOST_FIRSTS + 2}`, n: 2 });
    expect(counts.others).toBe(3);
  });
});
