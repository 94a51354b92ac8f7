import { beforeAll, describe, expect, it } from 'vitest';
import { loadEras } from '../../kubelet/era/index.js';
import { library } from '../../scenario/index.js';
import type { Json } from '../../trace/index.js';
import type { BranchInfo } from '../protocol/branches.js';
import type { Command } from '../protocol/commands.js';
import type { RunUpTo } from '../protocol/run-spec.js';
import { scenarioOfRun } from '../run/run-as-scenario.js';
import { simulationSource } from '../run/scenario-source.js';
import { SimulationSession } from './simulation-session.js';

beforeAll(() => loadEras());

const open = (scenario = 'graceful-delete') =>
  new SimulationSession(simulationSource(), { scenario, open: true, id: 'eras' });

/** Sends a command and lets it come to its end. Throws if it is refused. */
function send(session: SimulationSession, command: Command): Json | undefined {
  let result: { ok: boolean; value?: Json; error?: string } | null = null;
  session.execute(command, (r) => {
    result = r;
  });
  for (let n = 0; !result && n < 1_000_000; n++) session.pump(0, () => false);
  const { ok, value, error } = result as unknown as { ok: boolean; value?: Json; error?: string };
  if (!ok) throw new Error(error);
  return value;
}
const go = (session: SimulationSession, seconds: number) =>
  send(session, { do: 'go', to: { time: seconds * 1_000_000 } });
const spec = (session: SimulationSession) => send(session, { do: 'spec' }) as unknown as RunUpTo;
const branches = (session: SimulationSession) => send(session, { do: 'branches' }) as unknown as BranchInfo[];
const enters = (session: SimulationSession) =>
  new Set(session.store.slice(1, 100_000).flatMap((r) => (r.kind === 'enter' ? [r.fn] : [])));

describe('another version of the kubelet', () => {
  it('runs the same scenario with the same seed, and stands at the same time', () => {
    const session = open();
    go(session, 4);
    const { time } = session.runState();
    expect(send(session, { do: 'era', version: 'v1.21' })).toEqual({ choices: 0 });
    expect(session.info).toMatchObject({ scenario: 'graceful-delete', seed: 1, era: 'v1.21', writtenFor: 'v1.36' });
    expect(session.runState()).toMatchObject({ time, running: false, outcome: { state: 'resting' } });
    expect(enters(session)).toContain('dispatchWork');
    expect(spec(session)).toMatchObject({ scenario: 'graceful-delete', era: 'v1.21' });
  });

  it('opens where the scenario opens, where it stood there', () => {
    const session = open();
    const record = (seq = 0) => session.store.get(seq)?.kind;
    const here = record(session.info.opened?.record);
    expect(here).toBeDefined();
    send(session, { do: 'era', version: 'v1.12' });
    const there = session.info.opened;
    expect(there).toBeDefined();
    expect(session.runState()).toMatchObject({ seq: there?.seq, steps: there?.step });
    expect(record(there?.record)).toBe(here);
  });

  it('does what was done by hand at the same times', () => {
    const session = open('hello');
    go(session, 5);
    const [pod] = Object.values(session.store.state.pods);
    const times = [session.runState().time];
    send(session, { do: 'kill', uid: pod?.uid ?? '', container: 'app' });
    go(session, 8);
    times.push(session.runState().time);
    send(session, { do: 'act', action: { network: 'notReady' } });
    send(session, { do: 'era', version: 'v1.21' });
    const [kill, network] = spec(session).interventions ?? [];
    expect(kill).toMatchObject({ time: times[0], command: { do: 'kill', uid: pod?.pod, container: 'app' } });
    expect(network).toMatchObject({ time: times[1], command: { do: 'act', action: { network: 'notReady' } } });
    // It has its own place in the run: a link to it needs no other.
    expect(kill?.byTime).toBeUndefined();
    expect(kill?.after).toBeGreaterThan(0);
    const exits = session.store.slice(1, 100_000).filter((r) => r.kind === 'input' && r.verb === 'kill');
    expect(exits.map((r) => r.time)).toEqual([times[0]]);
  });

  it('leads back to the very run that was left', () => {
    const session = open('hello');
    go(session, 5);
    send(session, { do: 'act', action: { network: 'notReady' } });
    go(session, 6);
    const before = { run: session.runState(), records: session.store.slice(1, 100_000), info: session.info };
    send(session, { do: 'era', version: 'v1.25' });
    send(session, { do: 'era', version: 'v1.12' });
    send(session, { do: 'era', version: 'v1.36' });
    expect(session.runState()).toMatchObject({ branch: 1, time: before.run.time });
    expect(session.store.slice(1, 100_000)).toEqual(before.records);
    expect(session.info).toEqual(before.info);
    expect(branches(session).map(({ name, era }) => [name, era])).toEqual([
      ['main', undefined],
      ['v1.25', 'v1.25'],
      ['v1.12', 'v1.12'],
    ]);
  });

  it('takes what was done since into a run of its own', () => {
    const session = open('hello');
    go(session, 4);
    send(session, { do: 'era', version: 'v1.21' });
    go(session, 5);
    const { time } = session.runState();
    send(session, { do: 'act', action: { network: 'notReady' } });
    send(session, { do: 'era', version: 'v1.36' });
    expect(session.runState().branch).toBe(3);
    expect(spec(session)).toMatchObject({ interventions: [{ time }] });
    expect(spec(session).era).toBeUndefined();
    expect(session.info.writtenFor).toBeUndefined();
  });

  it('says how many choices of the schedule stay behind', () => {
    const session = open('hello');
    let could: readonly { readonly id: number }[] = [];
    for (let n = session.runState().steps; could.length < 2 && n > 0; n--) {
      send(session, { do: 'rewind', unit: 'decision', to: n });
      could = send(session, { do: 'runnable' }) as unknown as typeof could;
    }
    send(session, { do: 'pick', goroutine: could.at(-1)?.id ?? 0 });
    expect(send(session, { do: 'era', version: 'v1.21' })).toEqual({ choices: 1 });
    expect(spec(session).deviations).toBeUndefined();
    send(session, { do: 'era', version: 'v1.36' });
    expect(spec(session).deviations).toHaveLength(1);
  });

  it('is kept by a restart and by a link', () => {
    const session = open();
    go(session, 4);
    send(session, { do: 'era', version: 'v1.32' });
    const link = spec(session);
    const records = session.store.slice(1, 100_000);
    send(session, { do: 'restart' });
    expect(session.info.era).toBe('v1.32');
    const other = open('hello');
    send(other, { ...link, do: 'load' });
    expect(other.info).toMatchObject({ scenario: 'graceful-delete', era: 'v1.32' });
    expect(other.store.slice(1, 100_000)).toEqual(records);
  });

  it('is kept by a scenario that is made of the run', () => {
    const session = open('hello');
    go(session, 5);
    send(session, { do: 'era', version: 'v1.21' });
    send(session, { do: 'act', action: { network: 'notReady' } });
    const { to: _, clock: __, ...run } = spec(session);
    const text = scenarioOfRun(run, { name: 'mine', title: { en: 'Mine', zh: 'Mine' } }, library);
    expect(text).toContain('\n  era: "v1.21"\n');
    const other = open('hello');
    send(other, { do: 'load', scenario: 'mine', text });
    expect(other.info).toMatchObject({ era: 'v1.21', writtenFor: 'v1.36' });
    expect(spec(other)).toMatchObject({ era: 'v1.21' });
  });

  it('leaves the run alone where there is no such version, or it is stopped on the way', () => {
    const session = open();
    go(session, 60);
    const before = { run: session.runState(), info: session.info };
    let result: { ok: boolean; error?: string } | null = null;
    session.beginSlice = () => () => true;
    session.execute({ do: 'era', version: 'v1.21' }, (r) => {
      result = r;
    });
    session.execute({ do: 'pause' }, () => {});
    expect(result).toMatchObject({ ok: false });
    expect(session.runState()).toMatchObject({ seq: before.run.seq, branch: 1 });
    expect(session.info).toEqual(before.info);
    expect(branches(session)).toHaveLength(1);
  });
});
