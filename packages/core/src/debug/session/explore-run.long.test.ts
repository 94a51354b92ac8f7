import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { startScenario } from '../../scenario/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { breakWorker, editedAndRemoved } from '../explore/testing/broken-worker.js';
import {
  type BranchInfo,
  type Command,
  type CommandResult,
  hashState,
  parseCommand,
  type RunSpec,
  type SessionReport,
  SimulationSession,
  type SimulationSource,
  simulationSource,
  startOf,
} from '../index.js';
import type { Comparison } from '../protocol/branches.js';
import { simulationOf } from '../run/scenario-simulation.js';
import { toySource } from '../testing/toy.js';

/** A kubelet whose workers have a race. */
const brokenSource: SimulationSource = {
  list: () => [],
  subject: ({ interventions = [] }) => startOf(editedAndRemoved, { interventions, prepare: breakWorker }),
  start({ seed, sink }) {
    const run = startScenario(editedAndRemoved, { sink, ...(seed !== undefined && { seed }) });
    breakWorker(run);
    return simulationOf(run);
  },
};

function open(source: SimulationSource, scenario: string, options = {}) {
  const session = new SimulationSession(source, { scenario, speed: { mode: 'max' }, ...options });
  /** Sends a command without pumping: the result is null if it is not answered at once. */
  const ask = (command: Command): { result: CommandResult | null; answers: number } => {
    const given = { result: null as CommandResult | null, answers: 0 };
    session.execute(command, (r) => {
      given.result = r;
      given.answers++;
    });
    return given;
  };
  const run = <T = unknown>(command: Command): T => {
    const given = ask(command);
    for (let n = 0; !given.result && n < 1_000_000; n++) session.pump(1, () => true);
    const { result } = given;
    if (!result?.ok) throw new Error(result?.error ?? 'no answer');
    return result.value as T;
  };
  const place = () => {
    const { exploring: _, ...state } = session.runState();
    return { ...state, hash: hashState(session.store.state) };
  };
  return { session, ask, run, place };
}

describe('exploring in a session', () => {
  it('finds what breaks under some schedules only, and makes a branch of it, without moving', () => {
    const { session, run, place } = open(brokenSource, 'edited-and-removed');
    run({ do: 'go', to: { time: 2 * Second } });
    const before = place();
    const report = run<SessionReport>({ do: 'explore', schedules: 60 });
    expect(place()).toEqual(before);
    expect(report).toMatchObject({ over: true, schedules: 60 });
    const [finding] = report.findings;
    expect(finding).toMatchObject({ inBase: false, problem: { kind: 'invariant', name: 'workersGoForward' } });
    const branch = finding?.branch as number;
    expect(run<BranchInfo[]>({ do: 'branches' })).toMatchObject([
      { name: 'main', current: true },
      { id: branch, name: 'the kubelet’s rule workersGoForward is broken', parent: 1, current: false },
    ]);
    // The run before is the same; its end is the decision in which the problem shows.
    const shrunk = finding?.shrunk;
    const { decision: step = 0, seq = 0 } = shrunk?.problem ?? {};
    run({ do: 'switch', branch, to: { step, seq } });
    expect(session.runState()).toMatchObject({ seq, steps: step, end: { step } });
    const spec = run<RunSpec>({ do: 'spec' });
    expect(spec.deviations).toEqual(shrunk?.deviations);
    run({ do: 'switch', branch: 1 });
    run({ do: 'go', to: { time: 10 * Second } });
    // The same schedule by its deviations, as a table of endings leads to it.
    const here = place();
    const same = run<number>({
      do: 'branchTo',
      name: 'the same',
      deviations: shrunk?.deviations ?? [],
      to: { step, seq },
    });
    expect(place()).toEqual(here);
    expect(run<Comparison>({ do: 'compare', branch: same, with: branch }).first).toEqual([null, null]);
    run({ do: 'drop', branch: same });
    const c = run<Comparison>({ do: 'compare', branch, with: 1 });
    expect(c.same).toBeGreaterThanOrEqual(before.seq);
    expect(c.first[0]).not.toEqual(c.first[1]);
  });

  it('explores from the branch where it stands: what was done in it is done in each run', () => {
    const { session, run } = open(simulationSource(), 'hello');
    run({ do: 'go', to: { time: 4 * Second } });
    run({ do: 'kill', uid: Object.keys(session.store.state.pods)[0] as string, container: 'app' });
    run({ do: 'go', to: { time: 4.1 * Second } });
    const { seq, branch } = session.runState();
    const before = [...session.store.from(1)];
    const report = run<SessionReport>({
      do: 'explore',
      schedules: 3,
      strategy: 'pct',
      until: 9 * Second,
      never: [`kind == 'cri-call' && method == 'StartContainer' && seq > ${seq}`],
      finally: ['len(state.pods) == 1'],
    });
    expect(report.outcomes.map((o) => o.outcome.pods[0]?.containers[0]?.restarts)).toEqual(
      report.outcomes.map(() => 1),
    );
    const found = report.findings.find((f) => f.problem.kind === 'never');
    expect(found).toMatchObject({ inBase: true, times: 3 });
    // The scenario itself expects otherwise, but of a run that nobody has changed.
    expect(new Set(report.findings.map((f) => f.problem.kind))).toEqual(new Set(['never']));
    run({ do: 'switch', branch: found?.branch as number });
    expect(session.runState().branch).not.toBe(branch);
    expect(session.store.get(session.store.last)).toMatchObject({ kind: 'cri-call', method: 'StartContainer' });
    expect(session.store.last).toBeGreaterThan(seq);
    expect(session.store.slice(1, before.length) as TraceRecord[]).toEqual(before);
  });

  it('ends with the first problem, and holds runs to the invariants that it is told to', () => {
    const { run, ask } = open(brokenSource, 'edited-and-removed');
    run({ do: 'go', to: { time: 2 * Second } });
    const first = run<SessionReport>({ do: 'explore', schedules: 60, stopAtFirst: true });
    expect(first.findings).toHaveLength(1);
    expect(first.schedules).toBeLessThan(60);
    const selects = run<SessionReport>({ do: 'explore', schedules: 20, vary: ['select'] });
    for (const schedule of [...selects.outcomes.map((o) => o.first), ...selects.findings.map((f) => f.schedule)])
      for (const deviation of schedule.deviations) expect(Object.keys(deviation)).toEqual(['decision', 'case']);
    const other = run<SessionReport>({ do: 'explore', schedules: 60, invariants: ['startTimeStays'] });
    expect(other).toMatchObject({ schedules: 60, findings: [] });
    expect(ask({ do: 'explore', invariants: ['startTimeStay'] }).result).toMatchObject({
      error: expect.stringMatching(
        /there is no invariant "startTimeStay"; there are: oneReadySandbox, .*startTimeStays/,
      ),
    });
    expect(ask({ do: 'explore', vary: [] }).result).toMatchObject({ error: expect.stringMatching(/vary is empty/) });
  });

  it('answers when it is paused with what it knows, and lets nothing move meanwhile', () => {
    const { session, ask, run, place } = open(simulationSource(), 'hello');
    run({ do: 'go', to: { time: Second } });
    const before = place();
    const told: unknown[] = [];
    session.listen((change) => {
      if (change === 'run') told.push(session.runState().exploring);
    });
    const exploring = ask({ do: 'explore', schedules: 1000 });
    while ((session.runState().exploring?.schedules ?? 0) < 3) expect(session.pump(1, () => true)).toBe(0);
    expect(exploring.answers).toBe(0);
    expect(told).toContainEqual({ schedules: 2, of: 1000, findings: 0 });
    for (const command of [
      { do: 'step', unit: 'decision' },
      { do: 'resume' },
      { do: 'restart' },
      { do: 'branch' },
      { do: 'ask', select: true },
      { do: 'explore' },
    ] satisfies Command[])
      expect(ask(command).result).toEqual({
        ok: false,
        error: `${command.do} must wait: the session is exploring; pause that first`,
      });
    expect(ask({ do: 'branches' }).result).toMatchObject({ ok: true });
    expect(ask({ do: 'why', question: { about: 'record', seq: 5 } }).result).toMatchObject({ ok: true });
    expect(place()).toEqual(before);
    expect(ask({ do: 'pause' }).result).toEqual({ ok: true });
    expect(exploring).toMatchObject({ answers: 1, result: { ok: true, value: { over: false, findings: [] } } });
    expect(session.runState().exploring).toBeUndefined();
    expect(session.pump(1, () => true)).toBeNull();
    run({ do: 'step', unit: 'decision' });
  });

  it('refuses what cannot be explored, and says why', () => {
    const { ask, place } = open(simulationSource(), 'hello');
    const before = place();
    expect(ask({ do: 'explore', never: ['1 == 1', 'kind = 3'] }).result).toMatchObject({
      error: expect.stringMatching(/^never\[1\]: expected an operator, not "="/),
    });
    expect(place()).toEqual(before);
    const toy = open(toySource(), 'toy');
    expect(toy.ask({ do: 'explore' }).result).toMatchObject({ error: expect.stringMatching(/cannot be explored/) });
    const panicked = open(toySource(), 'panics');
    panicked.run({ do: 'go', to: { time: 60 * Second } });
    expect(panicked.ask({ do: 'explore' }).result).toMatchObject({
      error: expect.stringMatching(/the run cannot go on: panic/),
    });
  });

  it('takes a command from a wire only as far as it makes sense', () => {
    const full = {
      do: 'explore',
      schedules: 10,
      strategy: 'pct',
      never: ['true'],
      finally: [],
      invariants: ['oneReadySandbox'],
      vary: ['select'],
      stopAtFirst: true,
      until: 5_000_000,
    } as const;
    expect(parseCommand({ ...full, start: 'x' })).toEqual(full);
    for (const [wrong, error] of [
      [{ schedules: 0 }, 'command.schedules: it is 0; it must be a whole number from 1 to 100000'],
      [{ schedules: 1e9 }, 'command.schedules: it is 1000000000; it must be a whole number from 1 to 100000'],
      [{ strategy: 'all' }, 'command.strategy: it is "all"; it must be one of random, pct, exhaustive'],
      [{ never: 'x' }, 'command.never: it is "x"; it must be a list'],
      [{ never: Array(21).fill('true') }, 'command.never: it has 21 entries; it may have 20'],
      [{ finally: ['true', 3] }, 'command.finally[1]: it is 3; it must be a text'],
      [{ never: ['x'.repeat(2001)] }, 'command.never[0]: it has 2001 characters; it may have 2000'],
      [{ vary: ['delay'] }, 'command.vary[0]: it is "delay"; it must be one of select, goroutine'],
      [{ until: 0 }, 'command.until: it is 0; it must be a whole number from 1 to'],
    ] as const)
      expect(() => parseCommand({ do: 'explore', ...wrong })).toThrow(error);
  });
});
