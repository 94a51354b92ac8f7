import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { type Command, type CommandResult, type SimulationOptions, SimulationSession } from '../index.js';
import { toySource } from '../testing/toy.js';

const never = () => false;
/** A budget of `n` looks, so that a test that waits for what never comes fails instead of hanging. */
const limit = (n: number) => () => --n <= 0;

function open(options: Partial<SimulationOptions> = {}) {
  const source = toySource();
  const session = new SimulationSession(source, { scenario: 'toy', ...options });
  const run = (command: Command): CommandResult => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      expect(result).toBeNull();
      result = r;
    });
    return result ?? { ok: false, error: 'not answered yet' };
  };
  /** Real time goes by in frames, as a host gives it. */
  const frames = (n: number, millis = 16) => {
    for (let i = 0; i < n; i++) session.pump(millis, never);
  };
  return { source, session, run, frames };
}
const recordsOf = (s: SimulationSession): TraceRecord[] => [...s.store.from(1)];

describe('SimulationSession', () => {
  it('stands before its first step until told otherwise', () => {
    const { session } = open();
    expect(session.pump(1000, never)).toBeNull();
    expect(session.runState()).toMatchObject({
      running: false,
      time: 0,
      steps: 0,
      next: 'syncLoop',
      stopped: '',
      choice: null,
    });
    expect(session.info).toMatchObject({
      id: 'simulation-1',
      title: 'Toy: toy',
      scenario: 'toy',
      seed: 1,
      virtual: true,
    });
  });

  it('runs at the speed asked for', () => {
    const { session, run, frames } = open();
    run({ do: 'resume' });
    frames(100, 20);
    expect(session.runState().time).toBe(2 * Second);
    run({ do: 'speed', speed: { mode: 'time', factor: 10 } });
    frames(50, 20);
    expect(session.runState().time).toBeCloseTo(12 * Second, -2);
    run({ do: 'speed', speed: { mode: 'time', factor: 0.1 } });
    frames(50, 20);
    expect(session.runState().time).toBeCloseTo(12.1 * Second, -2);
  });

  it('does not jump after its host slept, nor owe what it could not do in time', () => {
    const { session, run } = open();
    run({ do: 'resume' });
    session.pump(3_600_000, never);
    expect(session.runState().time).toBe(0.25 * Second);
    run({ do: 'speed', speed: { mode: 'time', factor: 1e6 } });
    expect(session.pump(250, () => true)).toBe(0);
    run({ do: 'speed', speed: { mode: 'time', factor: 1 } });
    const { time } = session.runState();
    session.pump(100, never);
    expect(session.runState().time - time).toBe(0.1 * Second);
  });

  it('counts decisions in steps mode', () => {
    const { session, run, frames } = open();
    run({ do: 'speed', speed: { mode: 'steps', perSecond: 10 } });
    run({ do: 'resume' });
    expect(session.pump(50, never)).toBe(50);
    frames(99, 50);
    expect(session.runState().steps).toBe(50);
  });

  it('goes as fast as it may in max mode, and lets its host breathe', () => {
    const { session, run } = open();
    run({ do: 'speed', speed: { mode: 'max' } });
    run({ do: 'resume' });
    let looks = 0;
    expect(session.pump(16, () => ++looks >= 10)).toBe(0);
    expect(session.runState().steps).toBe(40);
    run({ do: 'pause' });
    expect(session.pump(16, never)).toBeNull();
  });

  it('steps by decision, record and iteration', () => {
    const { session, run } = open();
    expect(run({ do: 'step', unit: 'decision' })).toEqual({ ok: true });
    expect(session.runState()).toMatchObject({ steps: 1, running: false });
    run({ do: 'step', unit: 'decision', count: 4 });
    expect(session.runState().steps).toBe(5);
    const { seq } = session.runState();
    run({ do: 'step', unit: 'record' });
    expect(session.runState().seq).toBeGreaterThan(seq);
    const { iterations } = session.runState();
    run({ do: 'step', unit: 'iteration', count: 7 });
    expect(session.runState().iterations).toBe(iterations + 7);
    run({ do: 'step', unit: 'iteration' });
    expect(session.runState().iterations).toBe(iterations + 8);
  });

  it('finishes a long step while its host pumps; a pause cuts it short', () => {
    const { session } = open();
    const answers: CommandResult[] = [];
    session.execute({ do: 'step', unit: 'decision', count: 50_000 }, (r) => answers.push(r));
    expect(answers).toEqual([]);
    expect(session.runState().steps).toBeGreaterThan(300);
    expect(session.runState().steps).toBeLessThan(50_000);
    expect(session.pump(16, () => true)).toBe(0);
    while (session.pump(16, () => true) === 0);
    expect([answers, session.runState().steps]).toEqual([[{ ok: true }], 50_000]);
    session.execute({ do: 'step', unit: 'decision', count: 50_000 }, (r) => answers.push(r));
    session.execute({ do: 'pause' }, () => {});
    expect(answers).toHaveLength(2);
    const { steps } = session.runState();
    // It stands. Runs that trail behind come nearer, until nothing is left to do.
    while (session.pump(16, never) === 0);
    expect([session.pump(16, never), session.runState().steps]).toEqual([null, steps]);
  });

  it('asks which way to go, and goes it', () => {
    const { session, run } = open();
    run({ do: 'ask', select: true });
    run({ do: 'resume' });
    run({ do: 'speed', speed: { mode: 'max' } });
    expect(session.pump(16, limit(10_000))).toBeNull();
    const { choice } = session.runState();
    expect(choice).toEqual({ kind: 'select', options: ['plegCh', 'syncCh'] });
    expect(run({ do: 'step', unit: 'decision' })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/choose one/),
    });
    expect(run({ do: 'choose', index: 7 })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/out of range, there are 2/),
    });
    run({ do: 'pause' });
    expect(run({ do: 'choose', index: 1 })).toEqual({ ok: true });
    expect(session.runState().choice).toBeNull();
    const select = recordsOf(session).findLast((r) => r.kind === 'select');
    expect(select).toMatchObject({ ready: [1, 2], chosen: 2 });
    // Back to drawing: what is asked just now is drawn.
    run({ do: 'resume' });
    session.pump(16, limit(10_000));
    expect(session.runState().choice).not.toBeNull();
    run({ do: 'ask', select: false });
    expect(session.runState().choice).toBeNull();
    expect(session.pump(16, () => true)).toBe(0);
  });

  it('writes manifests, refuses broken ones unless forced, deletes them', () => {
    const { session, run } = open();
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n';
    expect(run({ do: 'apply', manifest: pod })).toEqual({ ok: true, value: { file: 'web.yaml' } });
    expect(run({ do: 'apply', manifest: 'bad', file: 'b.yaml' })).toEqual({
      ok: false,
      error: 'line 1: bad is not a field; leave it out',
    });
    expect(run({ do: 'apply', manifest: 'bad', file: 'b.yaml', force: true })).toEqual({
      ok: true,
      value: { file: 'b.yaml' },
    });
    expect(run({ do: 'manifests' })).toEqual({
      ok: true,
      value: [
        { file: 'web.yaml', text: pod },
        { file: 'b.yaml', text: 'bad' },
      ],
    });
    expect(run({ do: 'delete', file: 'c.yaml' })).toEqual({
      ok: false,
      error: 'there is no manifest c.yaml; there are: web.yaml, b.yaml',
    });
    expect(run({ do: 'delete', file: 'b.yaml' })).toEqual({ ok: true });
    expect(session.interventions.map((i) => i.command.do)).toEqual(['apply', 'apply', 'delete']);
  });

  it('what comes from outside is a record, and the cause of what follows', () => {
    const { session, run } = open();
    run({ do: 'step', unit: 'iteration' });
    expect(run({ do: 'kill', uid: 'u1', container: 'app' })).toEqual({ ok: true });
    expect(run({ do: 'kill', uid: 'u2' })).toEqual({ ok: false, error: 'there is no pod u2; there is: u1' });
    const records = recordsOf(session);
    const input = records.find((r) => r.kind === 'input');
    expect(input).toMatchObject({ verb: 'kill', args: ['u1', 'app'] });
    expect(records.find((r) => r.kind === 'goroutine-start' && r.name === 'source')?.cause).toBe(input?.seq);
  });

  it('loads another scenario, or the same again, and leaves things alone when it cannot', () => {
    const { session, run, source } = open({ seed: 9 });
    const changes: string[] = [];
    session.listen((c) => changes.push(c));
    run({ do: 'step', unit: 'iteration', count: 3 });
    const before = recordsOf(session);
    expect(run({ do: 'load', scenario: 'nope' })).toEqual({
      ok: false,
      error: 'there is no scenario nope; there are: toy, panics, ends',
    });
    expect([session.runState().iterations, changes.includes('reset')]).toEqual([3, false]);
    expect(run({ do: 'restart' })).toEqual({ ok: true });
    expect(changes).toContain('reset');
    expect(session.runState()).toMatchObject({ iterations: 0, steps: 0 });
    expect(session.info).toMatchObject({ id: 'simulation-2', seed: 9 });
    run({ do: 'step', unit: 'iteration', count: 3 });
    expect(JSON.stringify(recordsOf(session))).toBe(JSON.stringify(before));
    run({ do: 'load', scenario: 'toy', text: 'kind: Pod', seed: 4 });
    expect(session.info).toMatchObject({ id: 'simulation-3', seed: 4 });
    expect(run({ do: 'manifests' })).toMatchObject({ value: [{ file: 'given.yaml' }] });
    expect(run({ do: 'scenarios' })).toMatchObject({ value: [{ name: 'toy' }] });
    expect(source.started).toBe(3);
  });

  it('stands still when a goroutine panics, and says why', () => {
    const { session, run } = open({ scenario: 'panics' });
    run({ do: 'speed', speed: { mode: 'max' } });
    run({ do: 'resume' });
    expect(session.pump(16, limit(10_000))).toBeNull();
    expect(session.runState()).toMatchObject({
      running: false,
      stopped: expect.stringMatching(/panic in goroutine 1 \[syncLoop\]: boom\n {2}in syncLoop/),
    });
    expect(run({ do: 'resume' })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/the run cannot go on: panic/),
    });
    expect(run({ do: 'step', unit: 'record' })).toMatchObject({ ok: false });
    expect(run({ do: 'restart' })).toEqual({ ok: true });
    expect(session.runState().stopped).toBe('');
  });

  it('answers a step that ends the run', () => {
    const { session, run } = open({ scenario: 'ends' });
    expect(run({ do: 'step', unit: 'iteration' })).toEqual({ ok: true });
    expect(session.runState().stopped).toBe('the run is over: nothing is left to do');
  });

  it('goes back by running again, to the very state that was, with what was done from outside', () => {
    const { session, run, frames } = open({ seed: 5 });
    const seen: { steps: number; seq: number; iterations: number; state: string; records: string }[] = [];
    const note = () => {
      const { steps, seq, iterations } = session.runState();
      seen.push({
        steps,
        seq,
        iterations,
        state: JSON.stringify(session.store.state),
        records: JSON.stringify(recordsOf(session)),
      });
    };
    const changes: string[] = [];
    session.listen((c) => changes.push(c));
    run({ do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' });
    note();
    run({ do: 'resume' });
    // The clock stands between two timers when this comes.
    frames(13, 20);
    run({ do: 'kill', uid: 'u1' });
    run({ do: 'kill', uid: 'nobody' });
    frames(30, 20);
    run({ do: 'pause' });
    note();
    run({ do: 'ask', select: true });
    run({ do: 'resume' });
    run({ do: 'speed', speed: { mode: 'max' } });
    session.pump(16, limit(1000));
    expect(session.runState().choice).not.toBeNull();
    run({ do: 'choose', index: 1 });
    session.pump(16, limit(1000));
    run({ do: 'choose', index: 0 });
    run({ do: 'pause' });
    run({ do: 'step', unit: 'decision' });
    note();
    run({ do: 'ask', select: false });
    run({ do: 'step', unit: 'iteration', count: 5 });
    const { id } = session.info;
    for (const at of [...seen].reverse()) {
      expect(run({ do: 'rewind', unit: 'record', to: at.seq })).toEqual({ ok: true });
      expect(session.runState()).toMatchObject({ running: false, steps: at.steps, seq: at.seq, choice: null });
      expect(JSON.stringify(recordsOf(session))).toBe(at.records);
      expect(JSON.stringify(session.store.state)).toBe(at.state);
    }
    expect([session.info.id, changes.filter((c) => c === 'rewound').length]).toEqual([id, 3]);
    expect(session.interventions.map((i) => i.command.do)).toEqual(['apply']);
    // From there it goes another way.
    run({ do: 'delete', file: 'a.yaml' });
    run({ do: 'step', unit: 'iteration' });
    expect(recordsOf(session).filter((r) => r.kind === 'input')).toHaveLength(2);
  });

  it('goes back by decisions and iterations, not forward', () => {
    const { session, run } = open();
    run({ do: 'step', unit: 'iteration', count: 6 });
    const { steps } = session.runState();
    run({ do: 'rewind', unit: 'iteration', to: 4 });
    expect(session.runState().iterations).toBe(4);
    run({ do: 'step', unit: 'iteration', count: 2 });
    expect(session.runState().steps).toBe(steps);
    run({ do: 'rewind', unit: 'decision', to: steps - 1 });
    expect(session.runState().steps).toBe(steps - 1);
    run({ do: 'rewind', unit: 'decision', to: 0 });
    expect(session.runState()).toMatchObject({ steps: 0, iterations: 0, time: 0 });
    expect(run({ do: 'rewind', unit: 'iteration', to: 9 })).toEqual({
      ok: false,
      error: 'the session cannot go back to iteration 9: it is at 0',
    });
  });

  it('after a panic, goes back to before it', () => {
    const { session, run } = open({ scenario: 'panics' });
    run({ do: 'speed', speed: { mode: 'max' } });
    run({ do: 'resume' });
    session.pump(16, limit(10_000));
    const { steps } = session.runState();
    expect(session.runState().stopped).not.toBe('');
    expect(run({ do: 'rewind', unit: 'decision', to: steps - 1 })).toEqual({ ok: true });
    expect(session.runState()).toMatchObject({ stopped: '', steps: steps - 1 });
    run({ do: 'step', unit: 'decision' });
    expect(session.runState().stopped).toMatch(/boom/);
  });

  it('notices when a run cannot be repeated', () => {
    const { session, run, source } = open();
    run({ do: 'step', unit: 'iteration', count: 3 });
    const { start } = source;
    source.start = (request) => start({ ...request, sink: (r) => request.sink({ ...r, time: r.time + 1 }) });
    expect(run({ do: 'rewind', unit: 'iteration', to: 2 })).toEqual({ ok: true });
    expect(run({ do: 'kill', uid: 'u1' })).toEqual({
      ok: false,
      error: expect.stringMatching(/^the run could not be repeated exactly: record \d+ differs$/),
    });
    expect(session.runState()).toMatchObject({ iterations: 2, branch: 1 });
  });

  it('is the same run at any speed and however it is pumped', () => {
    const one = open();
    one.run({ do: 'speed', speed: { mode: 'max' } });
    one.run({ do: 'resume' });
    while (one.session.runState().time < 20 * Second) one.session.pump(1, () => true);
    const other = open();
    other.run({ do: 'speed', speed: { mode: 'time', factor: 7 } });
    other.run({ do: 'resume' });
    while (other.session.runState().time < 20 * Second) other.session.pump(13, never);
    const a = recordsOf(one.session).filter((r) => r.time < 20 * Second);
    const b = recordsOf(other.session).filter((r) => r.time < 20 * Second);
    expect(a.length).toBeGreaterThan(200);
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
  });
});
