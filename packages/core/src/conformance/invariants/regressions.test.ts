import { describe, expect, it } from 'vitest';
import { Kernel, Millisecond, Second } from '../../kernel/index.js';
import { SimulatedNode } from '../../scenario/node/node.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import type { ContainerPlan, Plan, PlanAction, PlanStep, PodPlan } from './testing/plan.js';
import { manifest } from './testing/plan.js';
import { runPlan } from './testing/run-plan.js';

// Failures that random runs found, made small. If upstream does the same, the invariants make an exception, and the
// test shows for what.

const at = (wait: number, action: PlanAction): PlanStep => ({ wait, action });
const put = (wait: number, slot: number, pod: Partial<PodPlan>): PlanStep =>
  at(wait, { verb: 'put', slot, pod: { restart: 'Always', grace: 2, init: [], apps: [{ program: 'runs' }], ...pod } });
const sidecar = (program: ContainerPlan['program'] = 'runs'): ContainerPlan => ({ program, sidecar: true });
const crash = (nth: number, when: 'before' | 'during' | 'after', down = 0): PlanAction => ({
  verb: 'crash',
  nth,
  when,
  down,
});

function play(...steps: PlanStep[]) {
  const records: TraceRecord[] = [];
  const plan: Plan = { seed: 1, schedule: 'fifo', steps };
  const { problems } = runPlan(plan, { sink: (r) => records.push(r) });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const phases = (uid: RegExp = /./) =>
    of('status')
      .filter((r) => uid.test(r.pod))
      .map((r) => (r.status as { phase?: string }).phase);
  const containers = (name: string, state: string) =>
    of('actual-container').filter((r) => r.name === name && r.state === state);
  return { problems, records, of, phases, containers };
}

describe('found by random runs, and mended', () => {
  it('mock: a runtime that goes down just after a process began finds it running when it comes back', () => {
    let running = false;
    const kernel = new Kernel({
      sink: (r) => {
        if (r.kind === 'actual-container' && r.state === 'running') running = true;
      },
    });
    const node = new SimulatedNode(kernel, { config: { staticPodPath: '/manifests', fileCheckFrequency: Second } });
    node.putManifest('p0.json', manifest(0, { restart: 'Always', grace: 2, init: [], apps: [{ program: 'runs' }] }));
    node.startKubelet();
    kernel.run({ until: 10 * Second, stop: () => running });
    node.mock.stop();
    kernel.run({ until: kernel.now() + 100 * Millisecond });
    node.mock.start();
    kernel.run({ until: kernel.now() + 30 * Second });
    expect(node.mock.containers()).toHaveLength(1);
    expect(node.podNamed('p0')?.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 0, state: { running: {} } }],
    });
  });
});

describe('found by random runs, and as upstream', () => {
  it('a sidecar waits for the next one only: not for those after it, if the next does not run', () => {
    const pod = { grace: 4, init: [sidecar(), sidecar('ends 5'), { ...sidecar(), preStop: 'slow' } as ContainerPlan] };
    const { problems, of, containers } = play(put(0, 0, pod), at(13_000, { verb: 'delete', slot: 0 }));
    expect(problems).toEqual([]);
    const stops = of('cri-call').filter((r) => r.method === 'StopContainer');
    const stopOf = (name: string) =>
      stops.findLast((s) => containers(name, 'running').some((c) => c.id === s.container))?.time as number;
    expect(stops.some((s) => s.container === containers('i1', 'running').at(-1)?.id)).toBe(false);
    expect(stopOf('i0')).toBeLessThan(containers('i2', 'exited').at(-1)?.time as number);
  });

  it('a container left created in a dead sandbox passes for a sign that the pod is initialized', () => {
    const apps: ContainerPlan[] = [{ program: 'missing' }, { program: 'runs' }];
    const { problems, containers } = play(
      put(0, 0, { init: [{ program: 'ends 1' }], apps }),
      at(3000, { verb: 'killSandbox', slot: 0 }),
      at(0, crash(2, 'before', 300)),
    );
    expect(problems).toEqual([]);
    const second = containers('a1', 'running')[1];
    const init = containers('i0', 'running')[1];
    expect(second?.sandbox).toBe(init?.sandbox);
    expect(second?.time).toBeLessThan(containers('i0', 'exited')[1]?.time as number);
  });

  it('an init container that runs anew for a new sandbox keeps the status of an OnFailure pod from being written', () => {
    const { problems, of, phases } = play(
      put(0, 0, { restart: 'OnFailure', grace: 1, init: [{ program: 'fails once, ends' }] }),
      at(9010, { verb: 'killSandbox', slot: 0 }),
    );
    expect(problems).toEqual([]);
    expect(of('log').some((r) => r.msg === 'Status update on pod aborted')).toBe(true);
    expect(of('worker').some((r) => r.state === 'finished' && r.time < 20 * Second)).toBe(true);
    expect(phases().slice(0, -2)).not.toContain('Succeeded');
  });

  it('a start that nobody waits for any more makes a second process of a container, which stays until its pod ends', () => {
    const { problems, containers } = play(
      at(0, {
        verb: 'fault',
        rule: { method: 'StartContainer', times: 1, effect: { kind: 'delay', duration: 2 * Second } },
      }),
      at(700, crash(3, 'during')),
      put(0, 0, {}),
      at(6000, { verb: 'clearFaults' }),
    );
    expect(problems).toEqual([]);
    const started = containers('a0', 'running').map((c) => c.attempt);
    expect(started).toEqual([1, 0]);
    const ends = containers('a0', 'exited');
    expect(ends.map((c) => c.attempt).sort()).toEqual([0, 1]);
    expect(Math.min(...ends.map((c) => c.time))).toBeGreaterThan(6 * Second);
  });

  it('a pod that comes back under its uid at once may be taken for ended, by a view of the containers it had', () => {
    const pod: Partial<PodPlan> = { restart: 'OnFailure', fixedUID: true };
    const { problems, phases } = play(
      put(0, 0, pod),
      at(6000, { verb: 'delete', slot: 0 }),
      at(3300, { verb: 'clearFaults' }),
      put(0, 0, pod),
    );
    expect(problems).toEqual([]);
    expect(phases()).toContain('Succeeded');
  });

  it('housekeeping forgets the status of a removed pod that still stops, and with it the startTime', () => {
    const { problems, of } = play(
      put(0, 0, { grace: 4, apps: [{ program: 'stubborn' }] }),
      at(5000, { verb: 'delete', slot: 0 }),
    );
    expect(problems).toEqual([]);
    expect(of('status-removed').length).toBeGreaterThan(0);
    expect(new Set(of('status').map((r) => (r.status as { startTime?: string }).startTime)).size).toBeGreaterThan(1);
  });

  it('a container that an edit takes out of a pod of the same uid runs until the pod ends', () => {
    const two: Partial<PodPlan> = { fixedUID: true, apps: [{ program: 'runs' }, { program: 'runs' }] };
    const { problems, containers } = play(
      put(0, 0, two),
      put(3000, 0, { fixedUID: true }),
      at(6000, { verb: 'delete', slot: 0 }),
    );
    expect(problems).toEqual([]);
    expect(containers('a1', 'exited')[0]?.time).toBeGreaterThan(9 * Second);
  });

  it("a container left created keeps its predecessor's end in the phase until that one is removed: Failed, then Pending", () => {
    const { problems, phases } = play(
      put(10, 1, {
        restart: 'Never',
        init: [{ program: 'ends 0' }],
        apps: [
          { program: 'lingers', postStart: 'fails' },
          { program: 'fails 3', image: 'pulled' },
        ],
      }),
      put(160, 0, {
        restart: 'OnFailure',
        grace: 4,
        apps: [
          { program: 'runs', liveness: 'fails' },
          { program: 'runs', postStart: 'fails', preStop: 'fails' },
        ],
      }),
      at(3000, crash(4, 'after', 3000)),
      at(710, crash(5, 'before', 0)),
      at(7500, { verb: 'registry', kind: 'refused' }),
    );
    expect(problems).toEqual([]);
    const of = phases(/p0/);
    expect(of[of.indexOf('Failed') + 1]).toBe('Pending');
  });

  it('a pod that was terminated before it began and comes back under its uid inherits the end made up for it, and never begins', () => {
    const pod: Partial<PodPlan> = {
      restart: 'Never',
      fixedUID: true,
      init: [{ program: 'ends 3' }],
      apps: [{ program: 'lingers' }],
    };
    const { problems, of, phases } = play(
      put(150, 0, pod),
      at(0, {
        verb: 'fault',
        rule: { method: 'ImageStatus', nth: 2, times: 2, effect: { kind: 'delay', duration: 12 * Second } },
      }),
      put(14_910, 0, { apps: [{ program: 'runs' }] }),
      put(700, 0, pod),
    );
    expect(problems).toEqual([]);
    expect(of('actual-container').filter((r) => r.uid === 'uid-of-p0')).toEqual([]);
    const verdicts = of('decision')
      .filter((r) => r.rule === 'getPhase' && r.uid === 'uid-of-p0')
      .map((r) => r.verdict);
    expect(verdicts).toContain('Failed');
    expect(new Set(phases(/p0/).slice(0, -1))).toEqual(new Set(['Pending']));
  });
});
