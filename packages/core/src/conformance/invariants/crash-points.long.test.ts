import { describe, expect, it } from 'vitest';
import type { ContainerPlan, CrashPoint, PlanStep, PodPlan } from './testing/plan.js';
import { runPlan } from './testing/run-plan.js';
import { manyRuns } from './testing/runs.js';

const app = (more: Partial<ContainerPlan> = {}): ContainerPlan => ({ program: 'runs', ...more });
const sidecar: ContainerPlan = { program: 'runs', sidecar: true };
const put = (wait: number, pod: Partial<PodPlan>): PlanStep => ({
  wait,
  action: { verb: 'put', slot: 0, pod: { restart: 'Always', grace: 2, init: [], apps: [app()], ...pod } },
});
const remove = (wait: number): PlanStep => ({ wait, action: { verb: 'delete', slot: 0 } });

const scenarios: Record<string, readonly PlanStep[]> = {
  'a whole life': [
    put(0, { init: [{ program: 'ends 0' }, sidecar], apps: [app({ postStart: 'quick', preStop: 'quick' })] }),
    remove(6000),
  ],
  'replaced by another of its name': [
    put(0, { apps: [app(), { program: 'lingers' }] }),
    put(3000, { apps: [app({ readiness: 'passes' })] }),
  ],
  'never restarted': [
    put(0, { restart: 'Never', init: [{ program: 'ends 0' }], apps: [{ program: 'ends 1' }, { program: 'ends 0' }] }),
  ],
  'restarted on failure': [
    put(0, { restart: 'OnFailure', init: [{ program: 'fails once, ends' }], apps: [{ program: 'fails once, ends' }] }),
  ],
  'its sandbox dies': [put(0, { init: [sidecar] }), { wait: 3000, action: { verb: 'killSandbox', slot: 0 } }],
  'another image': [
    put(0, { fixedUID: true, apps: [app(), app()] }),
    put(3000, { fixedUID: true, apps: [app({ image: 'other' }), app()] }),
  ],
  'away and back under its uid': [put(0, { fixedUID: true }), remove(3000), put(100, { fixedUID: true })],
};

/** Without SYNCLOOP_RUNS every other call is tried, with one of the points and one of these, which take turns. */
const downtimes = [0, 1500];
const points: readonly CrashPoint[] = ['before', 'during', 'after'];

/** The kubelet is killed at its mutating calls in turn. */
describe('killed at any CRI call and started again', () => {
  it.each(Object.keys(scenarios))('a pod gets where it should: %s', (name) => {
    const steps = scenarios[name] as readonly PlanStep[];
    const plan = { seed: 1, schedule: 'goroutines', steps } as const;
    const calm = runPlan(plan);
    expect(calm.problems).toEqual([]);
    expect(calm.calls.length).toBeGreaterThan(5);
    const first = Object.keys(scenarios).indexOf(name) % 2;
    for (const [i, call] of calm.calls.entries()) {
      if (!manyRuns && i % 2 !== first) continue;
      for (const when of manyRuns ? points : [points[(i >> 1) % 3] as CrashPoint])
        for (const down of manyRuns ? downtimes : [downtimes[(i >> 1) % 2] as number]) {
          const crash: PlanStep = { wait: 0, action: { verb: 'crash', nth: i + 1, when, down } };
          const { problems } = runPlan({ ...plan, steps: [crash, ...steps] });
          expect({ crash: `${when} call ${i + 1}, ${call}; down ${down} ms`, problems }).toEqual({
            crash: expect.anything(),
            problems: [],
          });
        }
    }
  });
});
