/** A presenter's session and a follower's, both real simulations: the other gets only what the one publishes. */
import { type ClassRun, type ClassView, type PresenterMessage, parsePresenterMessage } from '@syncloop/core/classroom';
import {
  type Command,
  hashState,
  type Position,
  type ResultOf,
  type RunSpec,
  SimulationSession,
  simulationSource,
} from '@syncloop/core/debug';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeMoment, encodeMoment, loadOf } from '../../share/share.js';
import { Publisher, type RunVisibility } from '../presenter/publisher.js';
import { DIFFERS, RunSync } from './run-sync.js';

const ask = <const C extends Command>(session: SimulationSession, command: C) =>
  new Promise<ResultOf<C>>((resolve, reject) => {
    session.execute(command, (r) => (r.ok ? resolve(r.value as never) : reject(new Error(r.error))));
    // A worker's session is pumped by its host.
    while (session.pump(0, () => false) === 0);
  });
const newSession = (scenario = 'hello') => new SimulationSession(simulationSource(), { scenario, id: 'test' });

// Packing has threads of its own, which a test's clock does not know.
beforeAll(() => void vi.stubGlobal('CompressionStream', undefined));
afterAll(() => void vi.unstubAllGlobals());

class Clock {
  time = 0;
  timers: { at: number; then: () => void }[] = [];
  after = (millis: number, then: () => void) => {
    const timer = { at: this.time + millis, then };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  };
  /** Lets time pass; asynchronous work has its turn in between. */
  async pass(millis: number) {
    const until = this.time + millis;
    for (;;) {
      for (let i = 0; i < 60; i++) await new Promise(setImmediate);
      this.timers.sort((a, b) => a.at - b.at);
      const next = this.timers[0];
      if (!next || next.at > until) break;
      this.timers.shift();
      this.time = next.at;
      next.then();
    }
    this.time = until;
  }
}

function classroom() {
  const clock = new Clock();
  const presenter = newSession();
  const follower = newSession();
  const sent: PresenterMessage[] = [];
  const shown: RunVisibility[] = [];
  const problems: string[] = [];
  const done: Command[] = [];
  let run: ClassRun | null = null;
  let view: ClassView | null = null;
  const sync = new RunSync({
    command: (c) => {
      if (c.do !== 'spec') done.push(c);
      return ask(follower, c);
    },
    time: () => follower.runState().time,
    decode: async (moment) => {
      const { do: _, to: __, ...spec } = (await decodeMoment(moment)).load;
      return spec as RunSpec;
    },
    now: () => clock.time,
    after: clock.after,
    onProblem: (why) => void problems.push(why),
  });
  const publisher = new Publisher(
    {
      spec: () => ask(presenter, { do: 'spec' }),
      state: () => presenter.runState(),
      sight: () => ({}),
      encode: (spec) => encodeMoment({ load: loadOf(spec) }),
      send: (message) => {
        // The message goes over the wire as JSON.
        const m = parsePresenterMessage(JSON.parse(JSON.stringify(message)));
        sent.push(m);
        if (m.type === 'run') run = m.run;
        if (m.type === 'view') view = m.view;
        if (run && view && run.n === view.run) void sync.aim(run, view);
      },
      after: clock.after,
      onVisibility: (s) => void shown.push(s),
    },
    1000,
  );
  sync.start();
  return {
    clock,
    presenter,
    follower,
    sync,
    publisher,
    sent,
    shown,
    problems,
    done,
    /** The presenter does something, and all have time to follow. */
    async present(command: Command) {
      await ask(presenter, command);
      publisher.changed();
      await clock.pass(400);
    },
    same() {
      const { steps, seq } = presenter.runState();
      expect(follower.runState()).toMatchObject({ steps, seq });
      expect(hashState(follower.store.state)).toBe(hashState(presenter.store.state));
    },
    runs: () => sent.filter((m) => m.type === 'run').length,
  };
}

const uidOf = (session: SimulationSession) => Object.keys(session.store.state.pods)[0] as string;

describe('a follower of a simulation', () => {
  it('stands where the presenter stands, step by step, forward and back', async () => {
    const c = classroom();
    for (const command of [
      { do: 'step', unit: 'decision' },
      { do: 'step', unit: 'iteration' },
      { do: 'step', unit: 'iteration', count: 20 },
      { do: 'step', unit: 'record' },
      { do: 'step', unit: 'decision', back: true },
      { do: 'step', unit: 'record', back: true, count: 3 },
      { do: 'go', to: { time: 6_000_000 } },
      { do: 'go', to: { iteration: 3 } },
      { do: 'go', to: { seq: 0 } },
      { do: 'go', to: { seq: 333 } },
    ] satisfies Command[]) {
      await c.present(command);
      c.same();
    }
    expect(c.runs()).toBe(1);
    expect(c.done.filter((d) => d.do === 'load').length).toBeLessThanOrEqual(1);
  });

  it('does what the presenter does from outside, without beginning anew where it can', async () => {
    const c = classroom();
    await c.present({ do: 'go', to: { time: 4_000_000 } });
    await c.present({ do: 'kill', uid: uidOf(c.presenter) });
    c.same();
    await c.present({ do: 'step', unit: 'iteration', count: 5 });
    c.same();
    expect(c.done).toContainEqual({ do: 'kill', uid: uidOf(c.follower) });
    expect(c.done.some((d) => d.do === 'load')).toBe(false);
    // Back before it: the same run. Something else there: another one.
    await c.present({ do: 'go', to: { step: 80 } });
    c.same();
    expect(c.runs()).toBe(2);
    await c.present({
      do: 'apply',
      file: 'b.yaml',
      manifest:
        'apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: [{name: c, image: "localhost/busybox:dev"}]}',
    });
    await c.present({ do: 'step', unit: 'iteration', count: 5 });
    c.same();
    expect(c.runs()).toBe(3);
    await c.present({ do: 'switch', branch: 1 });
    c.same();
  });

  it('comes late, and is where the presenter is at once', async () => {
    const c = classroom();
    c.sync.stop();
    await c.present({ do: 'load', scenario: 'crash-loop', seed: 7 });
    await c.present({ do: 'go', to: { time: 30_000_000 } });
    expect(c.follower.runState().steps).toBe(0);
    c.sync.start();
    await c.clock.pass(100);
    c.same();
  });

  it('looks around on its own, and comes back from wherever that was', async () => {
    const c = classroom();
    await c.present({ do: 'go', to: { time: 4_000_000 } });
    c.sync.stop();
    await ask(c.follower, { do: 'kill', uid: uidOf(c.follower) });
    await ask(c.follower, { do: 'go', to: { time: 20_000_000 } });
    const alone = c.follower.runState().steps;
    await c.present({ do: 'step', unit: 'iteration' });
    expect(c.follower.runState().steps).toBe(alone);
    c.sync.start();
    await c.clock.pass(100);
    c.same();
    c.sync.stop();
    await ask(c.follower, { do: 'load', scenario: 'crash-loop' });
    c.sync.start();
    await c.clock.pass(100);
    c.same();
  });

  it('glides while the presenter runs, and stands exactly once it pauses', async () => {
    const c = classroom();
    await c.present({ do: 'speed', speed: { mode: 'steps', perSecond: 200 } });
    c.done.length = 0;
    await ask(c.presenter, { do: 'resume' });
    for (let i = 0; i < 20; i++) {
      c.presenter.pump(200, () => false);
      c.publisher.changed();
      await c.clock.pass(200);
    }
    const goes = c.done.filter((d) => d.do === 'go').length;
    const { steps } = c.follower.runState();
    expect(goes).toBeGreaterThan(40);
    expect(c.presenter.runState().steps - steps).toBeLessThanOrEqual(80);
    await c.present({ do: 'pause' });
    c.same();
  });

  it('says so when the presenter’s run is not the one that it computes, and does not go on trying', async () => {
    const c = classroom();
    await c.present({ do: 'step', unit: 'iteration' });
    const run = c.sent.find((m) => m.type === 'run') as { run: ClassRun };
    const view = c.sent.find((m) => m.type === 'view') as { view: ClassView };
    // Another version: more records in as many decisions.
    const other = { ...view.view, seq: view.view.seq + 500 };
    c.done.length = 0;
    await c.sync.aim(run.run, other);
    await c.clock.pass(2000);
    expect(c.problems.at(-1)).toBe(DIFFERS);
    expect(c.done.length).toBeLessThan(12);
    expect(c.done.filter((d) => d.do === 'load')).toHaveLength(1);
    await c.present({ do: 'step', unit: 'iteration' });
    expect(c.problems.at(-1)).toBe('');
    c.same();
  });

  it('says why it cannot go where the presenter is, and goes on with the next moment', async () => {
    const c = classroom();
    await c.present({ do: 'step', unit: 'iteration' });
    const view = c.sent.filter((m) => m.type === 'view').at(-1) as { view: ClassView };
    await c.sync.aim({ n: 7, moment: 'v1.jbad' }, view.view);
    expect(c.problems.at(-1)).toMatch(/JSON|cut off/);
    const moment = await encodeMoment({ load: loadOf({ scenario: 'nowhere' }) });
    await c.sync.aim({ n: 8, moment }, view.view);
    await c.clock.pass(100);
    expect(c.problems.at(-1)).toMatch(/nowhere/);
    await c.present({ do: 'step', unit: 'iteration' });
    expect(c.problems.at(-1)).toBe('');
    c.same();
  });
});

describe('a presenter', () => {
  it('tells a few times a second, the newest last, and nothing when nothing has changed', async () => {
    const c = classroom();
    for (let i = 0; i < 100; i++) {
      await ask(c.presenter, { do: 'step', unit: 'decision' });
      c.publisher.changed();
      await c.clock.pass(20);
    }
    await c.clock.pass(1000);
    const views = c.sent.filter((m) => m.type === 'view');
    expect(views.length).toBeLessThanOrEqual(12);
    expect(views.at(-1)?.view.step).toBe(100);
    expect(views.map((v) => v.view.n)).toEqual([...views.map((v) => v.view.n)].sort((a, b) => a - b));
    c.publisher.changed();
    await c.clock.pass(1000);
    expect(c.sent.filter((m) => m.type === 'view')).toHaveLength(views.length);
    c.publisher.anew();
    await c.clock.pass(1000);
    expect(c.sent.slice(-2).map((m) => m.type)).toEqual(['run', 'view']);
    c.publisher.stop();
    await ask(c.presenter, { do: 'step', unit: 'decision' });
    c.publisher.changed();
    await c.clock.pass(1000);
    expect(c.sent.filter((m) => m.type === 'view')).toHaveLength(views.length + 1);
  });

  it('says so when there is nothing to follow: a node, or more than a message holds', async () => {
    const clock = new Clock();
    const sent: PresenterMessage[] = [];
    const shown: RunVisibility[] = [];
    let spec: () => Promise<RunSpec & { to: Position }> = () => Promise.reject(new Error('a node'));
    const publisher = new Publisher(
      {
        spec: () => spec(),
        state: () => ({ running: true, speed: { mode: 'max' }, time: 5 }),
        sight: () => ({ left: 'pods' }),
        encode: async () => 'v1.z'.padEnd(60_000, 'x'),
        send: (m) => void sent.push(parsePresenterMessage(m)),
        after: clock.after,
        onVisibility: (s) => void shown.push(s),
      },
      1,
    );
    publisher.changed();
    await clock.pass(300);
    expect(shown.at(-1)).toBe('nothing');
    expect(sent).toMatchObject([{ type: 'view', view: { run: 0, running: false, sight: { left: 'pods' } } }]);
    spec = async () => ({ scenario: 'x', to: { step: 1, seq: 2 } });
    publisher.changed();
    await clock.pass(300);
    expect(shown.at(-1)).toBe('long');
    expect(sent.at(-1)).toMatchObject({ type: 'view', view: { run: 0 } });
  });
});

it('goes to the newest view of a run, though the run came with an older one and was still being unpacked', async () => {
  const follower = newSession();
  const unpacked: ((spec: RunSpec) => void)[] = [];
  const sync = new RunSync({
    command: (c) => ask(follower, c),
    time: () => follower.runState().time,
    decode: () => new Promise((resolve) => void unpacked.push(resolve)),
    now: () => 0,
    after: () => () => {},
    onProblem: () => {},
  });
  sync.start();
  const at = (n: number, run: number, step: number, seq: number): ClassView => ({
    ...{ n, run, step, seq, time: 0, running: false, speed: { mode: 'max' }, sight: {} },
  });
  const settle = async () => {
    for (let i = 0; i < 60; i++) await new Promise(setImmediate);
  };
  const seqAt = async (scenario: string, step: number) => {
    const presenter = newSession(scenario);
    await ask(presenter, { do: 'go', to: { step } });
    return presenter.runState().seq;
  };
  void sync.aim({ n: 1, moment: 'v1.jA' }, at(1, 1, 5, await seqAt('hello', 5)));
  unpacked[0]?.({ scenario: 'hello' });
  await settle();
  expect(follower.runState().steps).toBe(5);
  void sync.aim({ n: 2, moment: 'v1.jB' }, at(2, 2, 8, await seqAt('crash-loop', 8)));
  void sync.aim({ n: 2, moment: 'v1.jB' }, at(3, 2, 12, await seqAt('crash-loop', 12)));
  await settle();
  // Of the new run nothing is known yet: it must not be looked for in the old one.
  expect(follower.runState().steps).toBe(5);
  for (const resolve of unpacked.slice(1)) resolve({ scenario: 'crash-loop' });
  await settle();
  expect(follower.info.scenario).toBe('crash-loop');
  expect(follower.runState().steps).toBe(12);
});
