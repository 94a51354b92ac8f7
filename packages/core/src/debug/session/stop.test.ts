import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { ByteChunks, bytesSource, openRecording, RecordingWriter } from '../../trace/index.js';
import {
  answering,
  type BranchInfo,
  type Command,
  type CommandResult,
  hashState,
  LeanSimulationSession,
  type LoadStopped,
  RecordingSession,
  type RunSpec,
  SimulationSession,
  type SimulationSource,
  Stopped,
} from '../index.js';
import { toySource } from '../testing/toy.js';

/** Kernel steps that a command may take before it is back, and between two looks at the clock. */
const AT_ONCE = 1024 + 4;
const SLICE = 4;

/** The toy, which counts the steps that all its kernels take. */
function counted(): SimulationSource & { steps: number } {
  const toy = toySource();
  const source = {
    steps: 0,
    list: toy.list,
    start(request: Parameters<SimulationSource['start']>[0]) {
      const simulation = toy.start(request);
      return {
        ...simulation,
        step: () => {
          source.steps++;
          return simulation.kernel.step();
        },
      };
    },
  };
  return source;
}

/** A session that has run for long, with a store that holds little of it: what is before has to be executed again. */
function longRun() {
  const source = counted();
  const session = new SimulationSession(source, {
    scenario: 'toy',
    capacity: 2048,
    // Records that are no longer in memory have to be executed again.
    past: 0,
    chunk: 256,
    speed: { mode: 'max' },
  });
  const ask = (command: Command): CommandResult[] => {
    const results: CommandResult[] = [];
    session.execute(command, (r) => results.push(r));
    return results;
  };
  /** To the end, however long that takes. */
  const done = (command: Command): CommandResult => {
    const results = ask(command);
    while (results.length === 0) session.pump(1, () => false);
    return results[0] as CommandResult;
  };
  const shown = () => {
    const { seq, steps, time, branch } = session.runState();
    return { seq, steps, time, branch, hash: hashState(session.store.state) };
  };
  return { source, session, ask, done, shown };
}
const STEPS = 6_000;

/**
 * Commands that execute a run again from its beginning when the records are no longer in memory, after what makes that
 * so.
 */
const REPEATING: readonly { readonly command: Command; readonly first?: readonly Command[] }[] = [
  { command: { do: 'step', unit: 'decision', count: STEPS / 2, back: true } },
  { command: { do: 'step', unit: 'iteration', count: 800, back: true } },
  { command: { do: 'step', unit: 'record', count: STEPS, back: true } },
  { command: { do: 'rewind', unit: 'decision', to: STEPS / 2 } },
  { command: { do: 'rewind', unit: 'iteration', to: 800 } },
  { command: { do: 'go', to: { step: STEPS / 2 } } },
  { command: { do: 'go', to: { seq: STEPS } } },
  { command: { do: 'go', to: { iteration: 800 } } },
  { command: { do: 'go', to: { time: 800 * Second } } },
  ...[
    { do: 'branch' } as const,
    { do: 'runnable' } as const,
    { do: 'manifests' } as const,
    { do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' } as const,
    { do: 'kill', uid: 'u1' } as const,
  ].map((command) => ({ command, first: [{ do: 'step', unit: 'record', count: 100, back: true }] as const })),
  // This command fails, and must leave nothing behind.
  { command: { do: 'delete', file: 'none.yaml' }, first: [{ do: 'step', unit: 'record', count: 100, back: true }] },
];

describe('a run that goes on', () => {
  const fresh = () => {
    const source = counted();
    return { source, session: new SimulationSession(source, { scenario: 'toy', speed: { mode: 'max' } }) };
  };
  const AWAY: readonly Command[] = [
    { do: 'resume' },
    { do: 'go', to: { step: STEPS } },
    { do: 'step', unit: 'decision', count: STEPS },
    { do: 'until', where: 'false', pace: 'fast' },
  ];

  for (const command of AWAY)
    it(`lets its host look at the time every few steps: ${JSON.stringify(command)}`, () => {
      const { source, session } = fresh();
      session.execute(command, () => {});
      for (let n = 0; n < 5; n++) {
        source.steps = 0;
        session.pump(1000, () => true);
        expect(source.steps).toBeGreaterThan(0);
        // Some steps only move the clock.
        expect(source.steps).toBeLessThanOrEqual(2 * SLICE);
      }
    });

  for (const command of AWAY.slice(1))
    it(`does at once no more than the host's slice allows: ${JSON.stringify(command)}`, () => {
      const { source, session } = fresh();
      let looks = 0;
      session.beginSlice = () => {
        looks = 0;
        return () => ++looks > 10;
      };
      session.execute(command, () => {});
      expect(source.steps).toBeGreaterThan(0);
      expect(source.steps).toBeLessThanOrEqual(11 * SLICE);
    });
});

describe('a command that takes long', () => {
  for (const { command, first = [] } of REPEATING)
    it(`is stopped within a slice, and changes nothing then: ${JSON.stringify(command)}`, () => {
      const { source, session, ask, done, shown } = longRun();
      done({ do: 'go', to: { step: STEPS } });
      for (const c of first) expect(done(c)).toEqual({ ok: true });
      const before = shown();

      source.steps = 0;
      const results = ask(command);
      expect(source.steps).toBeGreaterThan(0);
      expect(source.steps).toBeLessThanOrEqual(AT_ONCE);
      for (let n = 1; n <= 5; n++) {
        source.steps = 0;
        expect(session.pump(1, () => true)).toBe(0);
        expect(source.steps).toBeLessThanOrEqual(SLICE);
        // Until it is done the session shows what it showed, and how far the command has come.
        expect(shown()).toEqual(before);
        expect(session.runState().busy).toMatchObject({ do: command.do, steps: expect.any(Number) });
      }
      expect(results).toEqual([]);
      source.steps = 0;
      expect(ask({ do: 'pause' })).toEqual([{ ok: true }]);
      expect(source.steps).toBe(0);
      expect(results).toEqual([{ ok: false, error: 'it was stopped before it was done' }]);
      expect(session.runState().busy).toBeUndefined();
      expect(shown()).toEqual(before);

      // It is as usable as one in which nothing was ever stopped.
      const other = longRun();
      other.done({ do: 'go', to: { step: STEPS } });
      for (const c of first) other.done(c);
      expect(done(command)).toEqual(other.done(command));
      expect(shown()).toEqual(other.shown());
      for (const one of [session, other.session]) one.execute({ do: 'step', unit: 'iteration', count: 3 }, () => {});
      expect(shown()).toEqual(other.shown());
      expect(done({ do: 'spec' })).toEqual(other.done({ do: 'spec' }));
    });

  it('and that failed, yet left a record, keeps that record where taking it back is stopped', () => {
    const { source, session, ask, done, shown } = longRun();
    done({ do: 'go', to: { step: STEPS } });
    const { seq } = shown();
    source.steps = 0;
    const results = ask({ do: 'kill', uid: 'nobody' });
    expect(source.steps).toBeLessThanOrEqual(AT_ONCE);
    session.pump(1, () => true);
    expect(results).toEqual([]);
    ask({ do: 'pause' });
    expect(results).toEqual([{ ok: false, error: 'there is no pod nobody; there is: u1' }]);
    expect(shown()).toMatchObject({ seq: seq + 1, steps: STEPS });
    // A run that is loaded by its spec is the same.
    done({ do: 'step', unit: 'iteration', count: 3 });
    const { value } = done({ do: 'spec' }) as { readonly value?: unknown };
    const other = longRun();
    expect(other.done({ do: 'load', ...(value as RunSpec) })).toEqual({ ok: true });
    expect(other.shown()).toEqual(shown());
    // Left alone it is as if nobody had tried.
    const third = longRun();
    third.done({ do: 'go', to: { step: STEPS } });
    const before = third.shown();
    expect(third.done({ do: 'kill', uid: 'nobody' })).toMatchObject({ ok: false });
    expect(third.shown()).toEqual(before);
  });

  it('may be a switch to, or a comparison with, a branch whose run is no longer at hand', () => {
    const { source, session, ask, done, shown } = longRun();
    done({ do: 'go', to: { step: STEPS } });
    for (let n = 0; n < 5; n++) {
      done({ do: 'step', unit: 'record', count: 10, back: true });
      done({ do: 'apply', manifest: `v${n}`, file: 'a.yaml' });
    }
    const before = shown();
    for (const command of [{ do: 'switch', branch: 1 } as const, { do: 'compare', branch: 1 } as const]) {
      source.steps = 0;
      const results = ask(command);
      session.pump(1, () => true);
      expect(source.steps).toBeLessThanOrEqual(AT_ONCE + SLICE);
      expect(results).toEqual([]);
      ask({ do: 'pause' });
      expect(results).toMatchObject([{ ok: false }]);
      expect(shown()).toEqual(before);
    }
    expect(done({ do: 'compare', branch: 1 })).toMatchObject({ ok: true, value: { same: expect.any(Number) } });
    expect(done({ do: 'switch', branch: 1 })).toEqual({ ok: true });
    const branches = done({ do: 'branches' }) as { readonly value?: unknown };
    expect((branches.value as BranchInfo[]).find((b) => b.current)?.id).toBe(1);
    expect(session.runState().steps).toBe(STEPS);
  });

  it('stands, where it is a load, at the place to which it got; and goes on from there as the run that was asked for', () => {
    const { source, session, ask, done, shown } = longRun();
    const changes: string[] = [];
    session.listen((change) => changes.push(change));
    const { id } = session.info;
    const apply = { do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' } as const;
    const interventions = [10, 8_000].map((step) => ({ step, after: 0, time: 0, command: apply }));
    const absurd = { step: 1e15, seq: 1e15 };
    const results = ask({ do: 'load', scenario: 'toy', seed: 3, interventions, to: absurd });
    for (let n = 0; n < 10; n++) session.pump(1, () => true);
    expect(source.steps).toBeLessThanOrEqual(AT_ONCE + 10 * SLICE);
    expect([results, session.info.id, session.runState().steps]).toEqual([[], id, 0]);
    expect(session.runState().busy).toMatchObject({ do: 'load', of: 1e15 });
    ask({ do: 'pause' });
    const { steps, seq } = session.runState();
    const stopped: LoadStopped = { stopped: { step: steps, seq } };
    expect(results).toEqual([{ ok: true, value: stopped }]);
    expect(steps).toBeGreaterThan(300);
    expect(session.info.seed).toBe(3);
    expect(changes).toContain('reset');

    // Interventions that were still to come happen at their places.
    done({ do: 'go', to: { step: 10_000 } });
    const other = longRun();
    other.done({
      do: 'load',
      scenario: 'toy',
      seed: 3,
      interventions,
      to: { step: 10_000, seq: session.runState().seq },
    });
    expect(shown()).toEqual(other.shown());
    expect(session.interventions).toHaveLength(2);
  });

  it('gives way to a load and to a restart', () => {
    for (const command of [{ do: 'load', scenario: 'toy', seed: 9 } as const, { do: 'restart' } as const]) {
      const { session, ask, done } = longRun();
      done({ do: 'go', to: { step: STEPS } });
      const back = ask({ do: 'step', unit: 'decision', count: 4_000, back: true });
      session.pump(1, () => true);
      expect(back).toEqual([]);
      expect(ask(command)).toEqual([{ ok: true }]);
      expect(back).toMatchObject([{ ok: false }]);
      expect(session.runState()).toMatchObject({ steps: 0, seq: 2 });
    }
  });

  it('has others wait for their turn; when it is stopped, those that would move anything are not done', () => {
    const { session, ask, done } = longRun();
    done({ do: 'go', to: { step: STEPS } });
    const back = { do: 'step', unit: 'decision', count: 4_000, back: true } as const;
    const first = ask(back);
    const branches = ask({ do: 'branches' });
    const step = ask({ do: 'step', unit: 'decision' });
    expect([first, branches, step]).toEqual([[], [], []]);
    while (step.length === 0) session.pump(1, () => false);
    expect([first, branches, step]).toMatchObject([[{ ok: true }], [{ ok: true }], [{ ok: true }]]);
    expect(session.runState().steps).toBe(STEPS - 4_000 + 1);

    done({ do: 'go', to: { step: STEPS } });
    const again = [back, { do: 'branches' } as const, { do: 'step', unit: 'decision' } as const].map(ask);
    ask({ do: 'pause' });
    expect(again).toMatchObject([[{ ok: false }], [{ ok: true }], [{ ok: false }]]);
    expect(again[2]).toEqual([
      { ok: false, error: 'step was waiting for the work that was stopped, so it was not done' },
    ]);
    expect(session.runState().steps).toBe(STEPS);

    // However many come, no more than this many wait.
    const many = Array.from({ length: 300 }, (_, n) => ask(n === 0 ? back : { do: 'branches' }));
    expect(many.filter(([r]) => r && !r.ok && /256 commands already wait/.test(r.error))).toHaveLength(300 - 257);
    ask({ do: 'pause' });
    expect(many.every((r) => r.length === 1)).toBe(true);
  });

  it('towards what is still to come is cut short where it stands', () => {
    for (const command of [
      { do: 'step', unit: 'decision', count: 1_000_000 } as const,
      { do: 'step', unit: 'iteration', count: 1_000_000 } as const,
      { do: 'go', to: { step: 1e15 } } as const,
      { do: 'go', to: { iteration: 1e15 } } as const,
      { do: 'go', to: { time: 1e15 } } as const,
      { do: 'go', to: { seq: 1e15 } } as const,
      { do: 'until', where: 'false', pace: 'fast' } as const,
    ]) {
      const { source, session, ask } = longRun();
      const results = ask(command);
      expect(source.steps, command.do).toBeLessThanOrEqual(AT_ONCE);
      source.steps = 0;
      session.pump(1, () => true);
      expect(source.steps, command.do).toBeLessThanOrEqual(SLICE);
      expect(results).toEqual([]);
      ask({ do: 'pause' });
      expect(results).toHaveLength(1);
      const at = session.runState().steps;
      expect(at).toBeGreaterThan(300);
      ask({ do: 'step', unit: 'decision' });
      expect(session.runState().steps).toBe(at + 1);
    }
  });
});

describe('a question about many records', () => {
  const questions: readonly Command[] = [
    { do: 'search', breakpoint: { on: 'record', condition: 'false' } },
    { do: 'search', breakpoint: { on: 'record', condition: 'state.time < 0' }, backwards: true },
    { do: 'history', path: 'counts.iterations', limit: 1_000_000 },
    { do: 'lastWriter', path: 'pods.none.phase' },
    { do: 'why', question: { about: 'record', seq: 70_000 } },
  ];
  for (const command of questions)
    it(`is looked into in slices, and can be stopped: ${JSON.stringify(command)}`, () => {
      const session = new SimulationSession(toySource(), { scenario: 'toy', chunk: 256 });
      const ask = (c: Command) => {
        const results: CommandResult[] = [];
        session.execute(c, (r) => results.push(r));
        return results;
      };
      const [gone] = [ask({ do: 'go', to: { seq: 80_000 } })];
      while (gone.length === 0) session.pump(1, () => false);
      const before = session.runState();
      const first = ask(command);
      expect(first).toEqual([]);
      session.pump(1, () => true);
      expect(first).toEqual([]);
      expect(session.runState().busy?.do).toBe(command.do);
      ask({ do: 'pause' });
      expect(first).toMatchObject([{ ok: false }]);
      expect(session.runState()).toEqual(before);
      const second = ask(command);
      let slices = 0;
      for (; second.length === 0; slices++) session.pump(1, () => true);
      expect(second).toMatchObject([{ ok: true }]);
      // The index of an answer to why is kept as far as it was made.
      expect(slices).toBeGreaterThan(20);
    });
});

describe('an exploration', () => {
  it('that is paused is over at once; making branches of what it found goes on in slices, and can be stopped, too', () => {
    let made = 0;
    const session = new LeanSimulationSession(
      toySource(),
      { scenario: 'toy' },
      {
        answer: answering,
        explore: (_source, _travel, _seed, _command, reply) => ({
          progress: { schedules: 1, of: 2, findings: 1 },
          step: () => true,
          *finish() {
            try {
              for (; made < 1e9; made++) yield;
            } catch (error) {
              if (!(error instanceof Stopped)) throw error;
            }
            reply({ ok: true, value: made });
          },
        }),
      },
    );
    const answers: CommandResult[][] = [];
    const ask = (command: Command) => {
      const results: CommandResult[] = [];
      answers.push(results);
      session.execute(command, (r) => results.push(r));
    };
    ask({ do: 'explore' });
    for (let n = 0; n < 3; n++) expect(session.pump(1, () => true)).toBe(0);
    ask({ do: 'pause' });
    expect(answers).toEqual([[], [{ ok: true }]]);
    for (let n = 0; n < 10; n++) session.pump(1, () => true);
    expect(made).toBeLessThan(300);
    ask({ do: 'pause' });
    expect(answers).toEqual([[{ ok: true, value: made }], [{ ok: true }], [{ ok: true }]]);
    ask({ do: 'step', unit: 'decision' });
    expect(session.runState().steps).toBe(1);
  });
});

describe('steps that come faster than they are made', () => {
  const started = () => {
    const session = new SimulationSession(toySource(), { scenario: 'toy' });
    // The host needs its thread back at once.
    session.beginSlice = () => () => true;
    const ask = (command: Command) => {
      const results: CommandResult[] = [];
      session.execute(command, (r) => results.push(r));
      return results;
    };
    return { session, ask };
  };
  it('are all made, one after the other', () => {
    const { session, ask } = started();
    const steps = Array.from({ length: 6 }, () => ask({ do: 'step', unit: 'decision', count: 50 }));
    const back = ask({ do: 'step', unit: 'decision', count: 20, back: true });
    expect([...steps, back]).toEqual(Array.from({ length: 7 }, () => []));
    for (let n = 0; n < 1000 && back.length === 0; n++) {
      const again = session.pump(1, () => true);
      // Its host comes again for as long as something is to be done.
      if (back.length === 0) expect(again).toBe(0);
    }
    expect([...steps, back]).toEqual(Array.from({ length: 7 }, () => [{ ok: true }]));
    expect(session.runState()).toMatchObject({ steps: 280, running: false });
  });
  it('are not made when the one before them is stopped', () => {
    const { session, ask } = started();
    const first = ask({ do: 'step', unit: 'decision', count: 1_000_000 });
    const second = ask({ do: 'step', unit: 'decision' });
    session.pump(1, () => true);
    expect(ask({ do: 'pause' })).toEqual([{ ok: true }]);
    expect([first, second]).toEqual([
      [{ ok: true }],
      [{ ok: false, error: 'step was waiting for the work that was stopped, so it was not done' }],
    ]);
    const { steps } = session.runState();
    session.pump(1, () => false);
    expect(session.runState()).toMatchObject({ steps, running: false });
  });
  it('do not keep others from acting, but those that come behind a step that waits', () => {
    const { session, ask } = started();
    ask({ do: 'step', unit: 'decision', count: 1_000_000 });
    expect(ask({ do: 'speed', speed: { mode: 'max' } })).toEqual([{ ok: true }]);
    const step = ask({ do: 'step', unit: 'decision' });
    const resume = ask({ do: 'resume' });
    expect([step, resume]).toEqual([[], []]);
    ask({ do: 'pause' });
    expect(session.runState().running).toBe(false);
  });
});

describe('a long recording', () => {
  const LENGTH = 20_000;
  function recorded(): RecordingSession {
    const run = new SimulationSession(toySource(), { scenario: 'toy', speed: { mode: 'max' } });
    run.execute({ do: 'go', to: { seq: LENGTH } }, () => {});
    while (run.store.last < LENGTH) run.pump(1, () => false);
    const out = new ByteChunks();
    const { title, scenario, seed, runtime, node, epochMillis, virtual } = run.info;
    const about = { title, scenario, seed, runtime, node, epochMillis, virtual };
    const writer = new RecordingWriter(out.push, { core: '0', createdBy: 'test', ...about });
    for (const r of run.store.from(1)) writer.push(r);
    writer.close();
    return new RecordingSession(openRecording(bytesSource(out.join())), { chunk: 256, capacity: 1024 });
  }
  it('is stepped back in and asked in slices, too', () => {
    const session = recorded();
    const ask = (command: Command) => {
      const results: CommandResult[] = [];
      session.execute(command, (r) => results.push(r));
      return results;
    };
    ask({ do: 'go', to: { seq: LENGTH } });
    const { seq } = session.runState();
    for (const command of [
      { do: 'step', unit: 'channel', count: 1_000_000, back: true } as const,
      { do: 'rewind', unit: 'iteration', to: 1 } as const,
      { do: 'search', breakpoint: { on: 'record', condition: 'false' } } as const,
    ]) {
      const results = ask(command);
      expect(results).toEqual([]);
      session.pump(1, () => true);
      expect(session.runState()).toMatchObject({ seq, busy: { do: command.do } });
      ask({ do: 'pause' });
      expect(results).toEqual([{ ok: false, error: 'it was stopped before it was done' }]);
      expect(session.runState().seq).toBe(seq);
    }
    const back = ask({ do: 'rewind', unit: 'iteration', to: 1 });
    while (back.length === 0) session.pump(1, () => false);
    expect([back, session.runState().iterations]).toEqual([[{ ok: true }], 1]);
  });
});
