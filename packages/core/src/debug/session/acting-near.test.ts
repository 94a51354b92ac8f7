/** Runs trail behind a session, so that acting in the near past executes little; what is made is the same. */
import { describe, expect, it } from 'vitest';
import { type Command, type CommandResult, SimulationSession, simulationSource } from '../index.js';
import { hashState } from '../inspect/index.js';
import type { SimulationSource } from '../run/simulation.js';

/** The product's scenarios. `steps`: of all runs so far; from run `odd` on its runs are others. */
function counted(): SimulationSource & { steps: number; runs: number; odd: number } {
  const scenarios = simulationSource();
  const source = {
    ...scenarios,
    steps: 0,
    runs: 0,
    odd: Number.POSITIVE_INFINITY,
    start(request: Parameters<SimulationSource['start']>[0]) {
      const simulation = scenarios.start(++source.runs < source.odd ? request : { ...request, seed: 77 });
      return {
        ...simulation,
        step: () => {
          source.steps++;
          return simulation.step?.() ?? simulation.kernel.step();
        },
      };
    },
  };
  return source;
}
const STEPS = 1500;
const BEHIND = [64, 256];

function open(behind: readonly number[] = BEHIND) {
  const source = counted();
  const session = new SimulationSession(source, { scenario: 'crash-loop', behind });
  const ask = (command: Command): CommandResult => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    while (!result) session.pump(1, () => true);
    return result;
  };
  /** Until nothing is left to do. */
  const idle = () => {
    while (session.pump(1, () => false) === 0);
  };
  /** Returns the number of decisions that a command executes. */
  const cost = (command: Command): number => {
    const before = source.steps;
    expect(ask(command)).toEqual({ ok: true });
    return source.steps - before;
  };
  const shown = () => {
    const { seq, steps, branch } = session.runState();
    return { seq, steps, branch, hash: hashState(session.store.state) };
  };
  return { source, session, ask, idle, cost, shown };
}
/** None trails behind: what is done in the past executes all of the run up to there. */
const FAR = [1_000_000];

describe('acting in the near past', () => {
  const back = (step: number): Command => ({ do: 'go', to: { step } });
  const act: Command = { do: 'act', action: 'restartKubelet' };

  it('executes no more than how far the nearest run is behind, time and again', () => {
    const { cost, idle, ask } = open();
    ask(back(STEPS));
    idle();
    ask(back(STEPS - 30));
    expect(cost(act)).toBeLessThan(2 * 64);
    // The run further behind has moved up, also for the branch; and another one follows it.
    idle();
    ask({ do: 'switch', branch: 1 });
    ask(back(STEPS - 60));
    idle();
    expect(cost({ do: 'branch' })).toBeLessThan(2 * 64);
    ask(back(STEPS - 200));
    expect(cost(act)).toBeLessThan(2 * 256);
    expect(open(FAR).cost(back(STEPS))).toBeGreaterThan(STEPS - 100);
  });

  it('makes what it makes where the run is executed from its beginning', () => {
    const results = [BEHIND, FAR].map((behind) => {
      const { ask, idle, shown } = open(behind);
      const seen: unknown[] = [];
      const note = (...commands: Command[]) => {
        for (const command of commands) ask(command);
        idle();
        seen.push(shown());
      };
      note(back(STEPS));
      note(back(STEPS - 40), act, { do: 'step', unit: 'decision', count: 500 });
      note(back(STEPS + 100), { do: 'kill', uid: 'nobody' }, act, { do: 'step', unit: 'decision', count: 300 });
      note({ do: 'switch', branch: 1, to: { step: STEPS - 70, seq: 1 } });
      note({ do: 'switch', branch: 1 }, back(STEPS - 70), act, { do: 'step', unit: 'decision', count: 200 });
      note({ do: 'switch', branch: 2 }, { do: 'step', unit: 'decision', count: 100 });
      seen.push(ask({ do: 'spec' }), ask({ do: 'branches' }), ask({ do: 'runnable' }));
      return seen;
    });
    expect(results[0]).toEqual(results[1]);
  });

  it('serves looks as well, and what was looked at trails from then on', () => {
    const { source, ask, idle } = open();
    ask(back(STEPS));
    idle();
    ask(back(STEPS - 20));
    const before = source.steps;
    const answer = ask({ do: 'runnable' });
    expect(source.steps - before).toBeLessThan(2 * 64);
    ask(back(STEPS - 10));
    const then = source.steps;
    ask({ do: 'runnable' });
    expect(source.steps - then).toBe(10);
    const fresh = open(FAR);
    fresh.ask(back(STEPS - 20));
    expect(fresh.ask({ do: 'runnable' })).toEqual(answer);
  });

  it('costs nothing while the run goes on as fast as it can, nor in a short one', () => {
    const { source, session, ask, idle } = open();
    ask({ do: 'speed', speed: { mode: 'max' } });
    ask({ do: 'resume' });
    while (session.runState().steps < STEPS) session.pump(16, () => true);
    expect(source.runs).toBe(1);
    ask({ do: 'pause' });
    idle();
    expect(source.runs).toBe(1 + BEHIND.length);
    const short = open();
    short.ask(back(2 * 256 - 1));
    short.idle();
    expect(short.source.runs).toBe(1);
  });

  it('gives up where a run cannot be repeated, and says so only to whoever acts', () => {
    const { source, session, ask, idle, shown } = open();
    ask(back(STEPS));
    source.odd = 0;
    const before = shown();
    idle();
    expect(shown()).toEqual(before);
    expect(session.runState()).not.toHaveProperty('busy');
    const { runs } = source;
    idle();
    expect(source.runs).toBe(runs);
    ask(back(STEPS - 20));
    expect(ask(act)).toMatchObject({ ok: false, error: expect.stringContaining('could not be repeated exactly') });
  });
});
