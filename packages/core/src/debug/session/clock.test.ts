/** The clock between two records: it is a part of the moment, and comes back with it. */
import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { type Command, type CommandResult, type RunUpTo, SimulationSession, simulationSource } from '../index.js';

function open(scenario = 'hello') {
  const session = new SimulationSession(simulationSource(), {
    scenario,
    open: true,
    speed: { mode: 'time', factor: 1 },
  });
  const run = <T = unknown>(command: Command): T => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    for (let n = 0; result === null && n < 100_000; n++) session.pump(16, () => false);
    const answer = result as CommandResult | null;
    if (!answer?.ok) throw new Error(answer?.error ?? 'not answered');
    return answer.value as T;
  };
  /** Runs in real time, this many frames. */
  const frames = (n: number) => {
    run({ do: 'resume' });
    for (let i = 0; i < n; i++) session.pump(16, () => false);
    run({ do: 'pause' });
  };
  const spec = () => run<RunUpTo>({ do: 'spec' });
  const loaded = (from: RunUpTo) => {
    const other = open('crash-loop');
    other.run({ do: 'load', ...(JSON.parse(JSON.stringify(from)) as RunUpTo) });
    return other;
  };
  const here = () => {
    const { seq, steps, time, running } = session.runState();
    return { seq, steps, time, running };
  };
  return { session, run, frames, spec, loaded, here };
}

describe('a moment after the last record', () => {
  it('is loaded with its clock, and goes on as the run that it was taken of', () => {
    const one = open();
    one.run({ do: 'go', to: { time: 4.2 * Second } });
    // Until it stands between two records.
    for (let n = 0; one.session.runState().time === one.session.store.state.time && n < 50; n++) one.frames(1);
    const spec = one.spec();
    expect(spec.clock).toBe(one.session.runState().time);
    expect(spec.clock).toBeGreaterThan(one.session.store.state.time);
    const other = one.loaded(spec);
    expect(other.here()).toEqual(one.here());
    for (const each of [one, other]) {
      each.run({ do: 'act', action: { fault: { relist: '2s' } } });
      each.run({ do: 'go', to: { time: 9 * Second } });
    }
    expect(JSON.stringify([...other.session.store.from(1)])).toBe(JSON.stringify([...one.session.store.from(1)]));
    expect(one.session.store.state.time).toBeGreaterThan(8 * Second);
  });

  it('of the past, too', () => {
    const one = open();
    one.run({ do: 'go', to: { time: 9 * Second } });
    one.run({ do: 'go', to: { time: 4.25 * Second } });
    expect(one.session.runState().time).toBe(4.25 * Second);
    const spec = one.spec();
    expect(spec.clock).toBe(4.25 * Second);
    expect(one.loaded(spec).here()).toEqual(one.here());
  });

  it('has no clock of its own where it stands at its last record', () => {
    const one = open();
    one.run({ do: 'until', where: "kind == 'cri-call'", pace: 'fast' });
    expect(one.spec()).not.toHaveProperty('clock');
  });

  it('is no way to make more happen than happened: the clock ends where something is due', () => {
    const one = open();
    one.run({ do: 'go', to: { time: 4.2 * Second } });
    const spec = one.spec();
    const other = one.loaded({ ...spec, clock: 4_000 * Second });
    const { seq, steps, time, end } = other.session.runState();
    expect({ seq, step: steps }).toEqual(spec.to);
    expect(time).toBeLessThan(6 * Second);
    expect(end?.time).toBeLessThan(6 * Second);
    // Nor does it go back.
    expect(one.loaded({ ...spec, clock: 1 }).here()).toMatchObject({ seq, steps });
  });
});

describe('a run that is on its way to a goal', () => {
  it('says so until it is there', () => {
    const { session } = open();
    const answers: CommandResult[] = [];
    const always = () => true;
    session.execute({ do: 'step', unit: 'decision' }, (r) => answers.push(r));
    expect(answers).toHaveLength(1);
    expect(session.runState()).not.toHaveProperty('going');
    session.execute({ do: 'go', to: { time: 600 * Second } }, (r) => answers.push(r));
    expect(answers).toHaveLength(1);
    expect(session.runState()).toMatchObject({ going: true, running: false });
    session.pump(1, always);
    expect(session.runState().going).toBe(true);
    session.execute({ do: 'pause' }, () => {});
    expect(answers).toHaveLength(2);
    expect(session.runState()).not.toHaveProperty('going');
  });
});
