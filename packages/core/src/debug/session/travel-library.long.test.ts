import { beforeAll, describe, expect, it } from 'vitest';
import { manyRuns, sampled } from '../../conformance/invariants/testing/runs.js';
import { loadEras } from '../../kubelet/era/index.js';
import { library } from '../../scenario/index.js';
import { type Command, hashState, SimulationSession, simulationSource } from '../index.js';

/** A run that does not end by then has no end. */
const MOST_ITERATIONS = 100_000;
/**
 * SYNCLOOP_RUNS: any number takes every scenario and stops at every iteration; else it is every sixth, and long runs
 * are gone through in longer steps after the first few.
 */
/** A node with very many pods has very many iterations: it is gone through with SYNCLOOP_RUNS. */
const STRIDE: Readonly<Record<string, number>> = { 'full-node': 25 };
const SINGLE = 12;
const LONGER = manyRuns ? 1 : 4;

beforeAll(() => loadEras());

// The loop of config-operations ends before its scenario does: there is no iteration at its end.
const others = library
  .map(({ name }) => name)
  .filter((name) => name !== 'config-operations' && (manyRuns || !Object.hasOwn(STRIDE, name)));

describe.each(sampled(others, 6))('the scenario %s', (scenario) => {
  it('goes back to its start by iterations, and is executed again to its end, through the same states', () => {
    const session = new SimulationSession(simulationSource(), { scenario, capacity: 1_000_000 });
    const run = (command: Command): unknown => {
      let value: unknown;
      let error = 'no answer';
      session.execute(command, (r) => {
        error = r.ok ? '' : r.error;
        value = r.ok ? r.value : undefined;
      });
      // Long work goes on when its host gives it time.
      while (error === 'no answer') session.pump(0, () => false);
      expect(error).toBe('');
      return value;
    };
    const here = () => {
      const { seq, steps, iterations } = session.runState();
      return { seq, steps, iterations, hash: hashState(session.store.state) };
    };
    const stops = [here()];
    const stride = STRIDE[scenario] ?? 1;
    /** Iterations between a stop and the next. */
    const countAt = (stop: number) => stride * (stop < SINGLE ? 1 : LONGER);
    while (session.runState().outcome?.state === 'running' && stops.length < MOST_ITERATIONS) {
      run({ do: 'step', unit: 'iteration', count: countAt(stops.length - 1) });
      stops.push(here());
    }
    expect(session.runState().outcome).toEqual({ state: 'passed', failures: [] });
    expect(stops.length).toBeGreaterThan(5);
    for (const [i, stop] of [...stops.slice(0, -1).entries()].reverse()) {
      run({ do: 'step', unit: 'iteration', count: countAt(i), back: true });
      expect(here()).toEqual(stop);
    }
    // A branch is executed again, and gives the same as long as nobody does anything else in it.
    run({ do: 'branch', name: 'again' });
    for (const [i, stop] of stops.slice(1).entries()) {
      run({ do: 'step', unit: 'iteration', count: countAt(i) });
      expect(here()).toEqual(stop);
    }
    expect(session.runState().branch).toBe(2);
  });
});

it('a step by iteration ends where the loop ends, and after that at the next record', () => {
  const session = new SimulationSession(simulationSource(), { scenario: 'config-operations', capacity: 1_000_000 });
  const step = () => session.execute({ do: 'step', unit: 'iteration', count: 1 }, (r) => expect(r.ok).toBe(true));
  const { loop } = session.store.state;
  expect(loop.g).toBe(0);
  for (let i = 0; i < 100 && (i === 0 || session.store.state.loop.g !== 0); i++) step();
  expect(session.store.state.loop.g).toBe(0);
  const { seq, iterations } = session.runState();
  expect(iterations).toBeGreaterThan(5);
  step();
  expect(session.runState().seq).toBeGreaterThan(seq);
  expect(session.runState().seq).toBeLessThan(seq + 200);
  expect(session.runState().iterations).toBe(iterations);
});
