import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { isMilestone, type TraceRecord } from '../../trace/index.js';
import {
  type BranchInfo,
  type Command,
  type CommandResult,
  type RunSpec,
  SimulationSession,
  type StepUnit,
  simulationSource,
} from '../index.js';
import type { Comparison } from '../protocol/branches.js';

function open(scenario: string) {
  const session = new SimulationSession(simulationSource(), { scenario, speed: { mode: 'max' } });
  const ask = (command: Command): CommandResult => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    for (let i = 0; !result && i < 1_000_000; i++) session.pump(1, () => false);
    return result ?? { ok: false, error: 'no answer' };
  };
  const run = <T = unknown>(command: Command): T => {
    const result = ask(command);
    if (!result.ok) throw new Error(result.error);
    return result.value as T;
  };
  const at = () => session.store.get(session.store.last) as TraceRecord;
  return { session, ask, run, at };
}

describe('stepping in a simulation', () => {
  it('every unit that steps forward steps back, over the very same stops', () => {
    const { session, run, at } = open('crash-loop');
    const units: StepUnit[] = ['decision', 'record', 'iteration', 'milestone', 'into', 'channel', 'dispatch', 'cri'];
    units.push('status');
    for (const unit of units) {
      run({ do: 'go', to: { time: unit === 'status' || unit === 'dispatch' ? 0 : 6 * Second } });
      // From the loop on, which is never done.
      if (unit === 'into') run({ do: 'step', unit: 'iteration' });
      run({ do: 'step', unit });
      const stops = [session.runState().seq];
      for (let i = 0; i < 4; i++) {
        run({ do: 'step', unit });
        stops.push(session.runState().seq);
      }
      expect(new Set(stops).size, unit).toBe(5);
      for (const stop of stops.slice(0, -1).reverse()) {
        run({ do: 'step', unit, back: true });
        expect(session.runState().seq, unit).toBe(stop);
      }
      run({ do: 'step', unit, count: 4 });
      expect(session.runState().seq, unit).toBe(stops[4]);
    }
    run({ do: 'step', unit: 'cri', pod: 'crash-node1' });
    expect(at().kind).toBe('cri-call');
  });

  it('stops at each thing that can be seen while a pod starts, and goes back to the beginning before the first', () => {
    const { session, run, at } = open('hello');
    const phase = () => Object.values(session.store.state.pods)[0]?.phase;
    const start = session.runState().seq;
    const seen: TraceRecord[] = [];
    while (phase() !== 'Running') {
      run({ do: 'step', unit: 'milestone' });
      expect(isMilestone(at())).toBe(true);
      expect(session.runState().time).toBe(at().time);
      seen.push(at());
    }
    const steps = (fn: string) => new Set(seen.flatMap((r) => (r.kind === 'step' && r.fn === fn ? [r.n] : [])));
    expect(steps('SyncPod')).toEqual(new Set(Array.from({ length: 15 }, (_, i) => i + 1)));
    expect(steps('startContainer')).toEqual(new Set([1, 2, 3]));
    expect(seen.filter((r) => r.kind === 'pod-actions')).toHaveLength(1);
    expect(seen.some((r) => r.kind === 'chan-make' || r.kind === 'wait')).toBe(false);
    run({ do: 'step', unit: 'milestone', back: true, count: seen.length - 1 });
    expect(at()).toBe(seen[0]);
    run({ do: 'step', unit: 'milestone', back: true });
    expect(session.runState().seq).toBe(start);
  });

  it('goes into, over and out of the calls of one goroutine', () => {
    const { session, run, at } = open('hello');
    run({ do: 'breakpoints', set: [{ on: 'function', name: 'SyncPod', when: 'enter' }] });
    run({ do: 'resume' });
    while (session.runState().running) session.pump(1, () => false);
    const enter = at();
    expect(enter).toMatchObject({ kind: 'enter', fn: 'SyncPod' });
    expect(session.runState().hits).toMatchObject([{ seq: enter.seq }]);
    run({ do: 'breakpoints', set: [] });
    const { g } = enter;
    const depth = () => session.store.state.goroutines[g]?.stack.length as number;
    const inside = depth();
    run({ do: 'step', unit: 'into' });
    expect([at().g, at().kind, depth()]).toEqual([g, 'enter', inside + 1]);
    run({ do: 'step', unit: 'out' });
    expect([at().g, depth()]).toEqual([g, inside]);
    for (let i = 0; i < 10 && depth() === inside; i++) {
      run({ do: 'step', unit: 'over' });
      expect(at().g).toBe(g);
      expect(depth()).toBeLessThanOrEqual(inside);
    }
    run({ do: 'go', to: { seq: enter.seq } });
    run({ do: 'step', unit: 'out' });
    expect(at()).toMatchObject({ kind: 'exit', of: enter.seq });
    run({ do: 'step', unit: 'over', back: true });
    expect([at().g, depth()]).toEqual([g, inside - 1]);
  });

  it('goes to a record, a decision, an iteration and a time, in the past and in the future', () => {
    const { session, run, ask } = open('hello');
    run({ do: 'go', to: { time: 3 * Second } });
    expect(session.runState().time).toBeGreaterThanOrEqual(3 * Second);
    run({ do: 'go', to: { seq: 100 } });
    expect(session.runState()).toMatchObject({ seq: 100, running: false });
    run({ do: 'go', to: { seq: 3000 } });
    expect(session.runState().seq).toBe(3000);
    run({ do: 'go', to: { iteration: 4 } });
    expect(session.runState().iterations).toBe(4);
    run({ do: 'go', to: { step: 500 } });
    expect(session.runState().steps).toBe(500);
    run({ do: 'go', to: { step: 0 } });
    expect(ask({ do: 'step', unit: 'decision', back: true })).toMatchObject({
      error: expect.stringMatching(/at its start/),
    });
    expect(ask({ do: 'step', unit: 'cri', back: true })).toMatchObject({
      error: expect.stringMatching(/nothing of this kind comes before/),
    });
  });

  it('plays what is known at its speed, and goes on into what is not', () => {
    const { session, run } = open('hello');
    run({ do: 'go', to: { time: 4 * Second } });
    const end = session.runState().seq;
    run({ do: 'go', to: { time: Second } });
    run({ do: 'speed', speed: { mode: 'time', factor: 1 } });
    run({ do: 'resume' });
    for (let i = 0; i < 10; i++) session.pump(100, () => false);
    expect(session.runState().time / Second).toBeCloseTo(2, 0);
    expect(session.runState().seq).toBeLessThan(end);
    for (let i = 0; i < 30; i++) session.pump(100, () => false);
    expect(session.runState().time / Second).toBeCloseTo(5, 0);
    expect(session.runState().seq).toBeGreaterThan(end);
  });
});

describe('branches of a simulation', () => {
  it('takes the other ready case of a select', () => {
    const { session, run, ask } = open('slow-runtime');
    run({ do: 'go', to: { time: 40 * Second } });
    const several = [...session.store.from(1)].filter((r) => r.kind === 'select' && (r.ready ?? []).length > 1);
    const select = several.at(-1);
    if (select?.kind !== 'select') throw new Error('the scenario has no such select');
    const other = (select.ready ?? []).find((i) => i !== select.chosen) as number;
    run({ do: 'take', seq: select.seq, case: other });
    expect(session.store.get(select.seq)).toMatchObject({ kind: 'select', ready: select.ready ?? [], chosen: other });
    run({ do: 'go', to: { time: 41 * Second } });
    const c = run<Comparison>({ do: 'compare', branch: 1 });
    expect(c.same).toBe(select.seq - 1);
    expect(c.first).toMatchObject([{ chosen: select.chosen }, { chosen: other }]);
    // Both at the latest time that is known of both, or each where it ends.
    expect(c.times[0]).toBe(c.times[1]);
    expect(c.times[0]).toBeLessThan(40.5 * Second);
    const ends = run<Comparison>({ do: 'compare', branch: 1, ends: true });
    expect(ends.times[0]).toBe(c.times[0]);
    expect(ends.times[1]).toBeGreaterThan(40.5 * Second);
    expect(ends.times[1]).toBe(session.store.state.time);
    expect(ends.changes).not.toEqual(c.changes);
    expect(run<BranchInfo[]>({ do: 'branches' })).toMatchObject([{ name: 'main' }, { parent: 1, current: true }]);
    expect(ask({ do: 'take', seq: select.seq, case: 77 })).toMatchObject({
      error: expect.stringMatching(/case 77 was not ready; these were: /),
    });
    expect(ask({ do: 'take', seq: select.seq, case: other })).toMatchObject({
      error: expect.stringMatching(/is the one that was taken/),
    });
  });

  it('lets another goroutine go first', () => {
    const { session, run, ask } = open('hello');
    let options: { id: number; name: string }[] = [];
    while (options.length < 2) {
      run({ do: 'step', unit: 'decision' });
      options = run({ do: 'runnable' });
    }
    const { step } = { step: session.runState().steps };
    const second = options[1] as { id: number };
    run({ do: 'pick', goroutine: second.id });
    expect(session.runState().steps).toBe(step + 1);
    expect(run<RunSpec>({ do: 'spec' }).deviations).toEqual([{ decision: step + 1, goroutine: second.id }]);
    expect(ask({ do: 'pick', goroutine: 99_999 })).toMatchObject({
      error: expect.stringMatching(/cannot go next; these can: /),
    });
  });

  it('is small enough for a link, and comes back from there to the very moment', () => {
    const { session, run } = open('hello');
    run({ do: 'go', to: { time: 5 * Second } });
    const uid = Object.keys(session.store.state.pods)[0] as string;
    run({ do: 'go', to: { time: 4 * Second } });
    run({ do: 'kill', uid });
    run({ do: 'go', to: { time: 9 * Second } });
    run({ do: 'step', unit: 'cri', back: true });
    const spec = run<RunSpec & { to: { step: number; seq: number } }>({ do: 'spec' });
    expect(JSON.stringify(spec).length).toBeLessThan(400);
    const other = open('crash-loop');
    other.run({ do: 'load', ...JSON.parse(JSON.stringify(spec)) });
    expect(JSON.stringify(other.session.store.state)).toBe(JSON.stringify(session.store.state));
    expect(other.session.runState()).toMatchObject({ running: false, seq: spec.to.seq });
  });

  it('what cannot be done in the past begins no branch, and stays where it was', () => {
    const { session, run, ask } = open('hello');
    run({ do: 'go', to: { time: 5 * Second } });
    run({ do: 'step', unit: 'cri', back: true });
    const { seq, steps, end } = session.runState();
    for (const action of [{ fault: { pull: 'gone' } }, { kill: { pod: 'nobody', container: 'app' } }, 'fault:\n  x: y'])
      expect(ask({ do: 'act', action })).toMatchObject({ ok: false });
    expect(session.runState()).toMatchObject({ seq, steps, end, branch: 1 });
    expect(run<BranchInfo[]>({ do: 'branches' })).toHaveLength(1);
    run({ do: 'go', to: { seq: end?.seq ?? 0 } });
    expect(session.runState()).toMatchObject({ seq: end?.seq, branch: 1 });
  });

  it('before a failing probe: without the fault the container stays, and the comparison names where they part', () => {
    const { session, run } = open('flapping-probe');
    run({ do: 'go', to: { time: 120 * Second } });
    const all = [...session.store.from(1)];
    const failure = all.findIndex((r) => r.kind === 'probe-result' && r.result === 'Failure');
    const second = all.slice(0, failure).findLast((r) => r.kind === 'probe' && r.run === 2) as TraceRecord;
    const restarts = (c: Comparison, i: 0 | 1) => c.outcomes[i].flatMap((p) => p.containers.map((x) => x.restarts));
    // Two of three have failed.
    run({ do: 'go', to: { seq: second.seq } });
    run({ do: 'act', action: 'clearFaults' });
    const there = (session.store.get(session.store.last)?.seq ?? 0) - 1;
    run({ do: 'go', to: { time: 120 * Second } });
    expect(run<BranchInfo[]>({ do: 'branches' })).toMatchObject([
      { name: 'main' },
      { name: 'all faults are removed', did: { verb: 'clearFaults' }, current: true },
    ]);
    const c = run<Comparison>({ do: 'compare', branch: 1 });
    expect(c.same).toBe(there);
    expect(c.first[1]).toMatchObject({ kind: 'input', verb: 'clearFaults' });
    expect(Math.max(...restarts(c, 0))).toBeGreaterThan(0);
    expect(restarts(c, 1)).toEqual(restarts(c, 1).map(() => 0));
    expect(c.changes.some((change) => JSON.stringify(change).includes('restartCount'))).toBe(true);
    expect([...session.store.from(1)].some((r) => r.kind === 'probe-result' && r.result === 'Failure')).toBe(false);
  });
});
