import { describe, expect, it } from 'vitest';
import type { RecordOf } from '../../trace/index.js';
import {
  type Command,
  type CommandResult,
  type SimulationOptions,
  SimulationSession,
  simulationSource,
} from '../index.js';

const never = () => false;
const containers = '[{name: app, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sleep, "600"]}]';
const text = (spec: string, expected = '') =>
  `apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: mine}\nspec:\n  node: {fileCheckFrequency: 1s}\n${spec}${expected}`;
const steps = `  steps:\n  - apply: {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: ${containers}}}\n  - waitFor: {pod: web, phase: Running, timeout: 20s}\n  - wait: 3s\n`;

function open(options: Partial<SimulationOptions> = {}) {
  const session = new SimulationSession(simulationSource(), { scenario: 'hello', open: true, ...options });
  const run = (command: Command): CommandResult => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    for (let n = 0; result === null && n < 10_000; n++) session.pump(16, never);
    return result ?? { ok: false, error: 'not answered' };
  };
  /** The record that it opened with. */
  const here = () => session.store.get(session.info.opened?.record ?? 0);
  return { session, run, here };
}
const pause = { do: 'until', where: "kind == 'status' && pod.phase == 'Running'", pace: 'fast' } as const;
const outcome = (session: SimulationSession) => session.runState().outcome?.state;

describe('a scenario opens', () => {
  it('where its manifest lies in the folder, at the head of its run', () => {
    const { session, here } = open();
    expect(here()).toMatchObject({ kind: 'input', verb: 'apply', args: ['hello.yaml'] });
    const { running, steps: step, seq, branch } = session.runState();
    expect({ running, branch }).toEqual({ running: false, branch: 1 });
    expect(session.info.opened).toEqual({ step, seq, record: expect.any(Number) });
    expect(session.interventions).toEqual([]);
  });

  it('with its start-up before it, a step back away, and the same run as one that is begun at its start', () => {
    const opened = open();
    const { opened: place } = opened.session.info;
    const begun = open({ open: false });
    expect(begun.session.runState().steps).toBe(0);
    expect(begun.session.info.opened).toBeUndefined();
    begun.run(pause);
    opened.run({ do: 'step', unit: 'decision', back: true });
    expect(opened.session.runState().steps).toBe((place?.step ?? 0) - 1);
    opened.run({ do: 'step', unit: 'decision' });
    expect(opened.session.store.last).toBe(place?.seq);
    opened.run({ do: 'go', to: { step: 0 } });
    expect(opened.session.runState().steps).toBe(0);
    opened.run(pause);
    expect(opened.session.store.last).toBe(begun.session.store.last);
    expect(JSON.stringify([...opened.session.store.from(1)])).toBe(JSON.stringify([...begun.session.store.from(1)]));
  });

  it('when it is loaded and restarted, but not where somebody asks for another place', () => {
    const { session, run, here } = open();
    run({ do: 'load', scenario: 'start-up' });
    expect(here()).toMatchObject({ kind: 'enter', fn: 'RunKubelet' });
    run({ do: 'load', scenario: 'hello', to: { step: 0, seq: 0 } });
    expect(session.runState().steps).toBe(0);
    expect(session.info.opened).toBeUndefined();
    run(pause);
    run({ do: 'restart' });
    expect(here()).toMatchObject({ kind: 'input', verb: 'apply' });
    expect(session.info.opened?.seq).toBe(session.store.last);
  });

  it('at its start where it says nothing, or where what it names does not come', () => {
    const { session, run } = open();
    for (const openAt of ['', '  openAt: { kind: deadlock }\n']) {
      expect(run({ do: 'load', scenario: 'mine', text: text(openAt + steps) })).toEqual({ ok: true });
      const { steps: step, end } = session.runState();
      expect({ step, end: end?.step }).toEqual({ step: 0, end: 0 });
      expect(session.info.opened).toBeUndefined();
    }
  });

  it('and an openAt that is none is refused with its place', () => {
    const { run } = open();
    expect(run({ do: 'load', scenario: 'mine', text: text(`  openAt: later\n${steps}`) })).toEqual({
      ok: false,
      error: 'mine.yaml:6:11: spec.openAt: it is "later"; write firstStep, or a record as { kind: input }',
    });
  });
});

describe('the speed to follow', () => {
  /** Runs in real time, in frames; what was seen at each. */
  function follow(session: SimulationSession, until: () => boolean): number {
    session.execute({ do: 'speed', speed: { mode: 'follow' } }, () => {});
    session.execute({ do: 'resume' }, () => {});
    let millis = 0;
    for (; !until() && millis < 120_000; millis += 16) session.pump(16, never);
    return millis;
  }
  const runs = (session: SimulationSession) => () =>
    Object.values(session.store.state.pods).some((p) => p.phase === 'Running');

  it('takes its time until the first pod runs, and real time while nothing happens', () => {
    const { session } = open();
    const start = session.runState().time;
    const millis = follow(session, runs(session));
    // At real time it would be 170 ms.
    expect(millis).toBeGreaterThan(20_000);
    expect(millis).toBeLessThan(30_000);
    expect(session.runState().time - start).toBeLessThan(200_000);
    const { time } = session.runState();
    for (let n = 0; n < 500; n++) session.pump(16, never);
    const passed = (session.runState().time - time) / 1000;
    expect(passed).toBeGreaterThan(3_000);
    expect(passed).toBeLessThanOrEqual(8_016);
  });

  it('never shows two telling decisions at once, and never runs ahead of real time', () => {
    const { session } = open();
    let told = session.store.last;
    let before = session.runState().time;
    follow(session, () => {
      const { time } = session.runState();
      expect(time - before).toBeLessThanOrEqual(1_300_000);
      before = time;
      const fresh = [...session.store.from(told + 1)];
      told = session.store.last;
      expect(fresh.filter((r) => r.kind === 'worker' || r.kind === 'pod-actions').length).toBeLessThan(2);
      return runs(session)();
    });
    expect(runs(session)()).toBe(true);
  });
});

describe('what a scenario expects', () => {
  const kill = (session: SimulationSession): Command => {
    const [pod] = Object.values(session.store.state.pods);
    return { do: 'kill', uid: pod?.uid ?? '', container: 'app' };
  };
  const told = (session: SimulationSession) =>
    [...session.store.from(1)].filter((r): r is RecordOf<'input'> => r.kind === 'input' && r.verb === 'failed');

  it('holds for the run that nobody changes', () => {
    const { session, run } = open();
    run({ do: 'go', to: { time: 12_000_000 } });
    expect(outcome(session)).toBe('passed');
  });

  it('rests once a container is killed: neither failed nor told of', () => {
    const { session, run } = open();
    run(pause);
    expect(run(kill(session))).toEqual({ ok: true });
    run({ do: 'go', to: { time: 30_000_000 } });
    expect(session.runState().outcome).toEqual({ state: 'resting', failures: [] });
    expect(told(session)).toEqual([]);
  });

  it('rests after a fault and a manifest of one’s own, and not after what could not be done', () => {
    for (const command of [
      { do: 'act', action: { fault: { method: 'StartContainer', error: { code: 'Unknown', message: 'no' } } } },
      { do: 'delete', file: 'hello.yaml' },
    ] as const) {
      const { session, run } = open();
      expect(run({ do: 'kill', uid: 'nobody' }).ok).toBe(false);
      expect(outcome(session)).toBe('running');
      expect(run(command).ok).toBe(true);
      run({ do: 'go', to: { time: 30_000_000 } });
      expect(session.runState().outcome).toEqual({ state: 'resting', failures: [] });
      expect(told(session)).toEqual([]);
    }
  });

  it('rests after another choice of the schedule, and in a repetition of that from there on', () => {
    const { session, run } = open({ scenario: 'slow-runtime' });
    run({ do: 'until', where: "kind == 'select' && len(cases) == 8 && len(ready) > 1", pace: 'fast' });
    const select = session.store.get(session.store.last) as RecordOf<'select'>;
    const other = (select.ready ?? []).find((i) => i !== select.chosen) ?? 0;
    expect(run({ do: 'take', seq: select.seq, case: other }).ok).toBe(true);
    expect(outcome(session)).toBe('resting');
    run({ do: 'switch', branch: 1 });
    expect(outcome(session)).toBe('running');
  });

  it('still fails, and says so, in a run that nobody changes', () => {
    const { session, run } = open();
    const expected = 'expect:\n  - {pod: web, phase: Failed}\n';
    expect(run({ do: 'load', scenario: 'mine', text: text(steps, expected) }).ok).toBe(true);
    run({ do: 'go', to: { time: 12_000_000 } });
    expect(outcome(session)).toBe('failed');
    expect(told(session)).toHaveLength(1);
  });
});
