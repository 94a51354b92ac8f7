import { beforeAll, expect, it } from 'vitest';
import { availableEras, loadEras } from '../era/index.js';
import { type EraRun, pod, runInEra } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const killed = {
  node: { apiServer: true },
  steps: [
    { apply: { to: 'api', manifest: pod('web') } },
    { wait: '6s' },
    { kill: { pod: 'web', container: 'app' } },
    { wait: '4s' },
    { delete: { pod: 'web', to: 'api', gracePeriodSeconds: 2 } },
    { wait: '12s' },
  ],
};

/** Results of the calls of a function, without those that have none. */
const results = (r: EraRun, fn: string) => {
  const calls = new Set(r.entered(fn).map(({ seq }) => seq));
  return r.of('exit').flatMap((e) => (calls.has(e.of) && e.result !== undefined ? [e.result] : []));
};

it('the call that cleans up says whether all dead containers go', () => {
  for (const era of availableEras) {
    const key = era === 'v1.12' || era === 'v1.21' ? 'removeAll' : 'ShouldPodContentBeRemoved';
    const [first, ...later] = results(runInEra(era, killed), 'cleanUpContainersInPod');
    expect([era, first, later.at(-1)]).toEqual([era, { [key]: false }, { [key]: true }]);
  }
});

it('v1.21 and v1.25 note when a container started, and no other version does', () => {
  for (const era of availableEras) {
    const r = runInEra(era, killed);
    const noted = r.decisions('isSyncPodWorthy').filter(({ values }) => 'lastContainerStartedTime' in values);
    expect([era, noted.length > 0]).toEqual([era, era === 'v1.21' || era === 'v1.25']);
    for (const { values, time } of noted)
      expect(values).toMatchObject({ type: 'ContainerStarted', lastContainerStartedTime: time });
  }
});

it('fastStatusUpdateOnce says its grace period since v1.26', () => {
  for (const era of availableEras) {
    const args = runInEra(era, killed)
      .entered('fastStatusUpdateOnce')
      .map((enter) => enter.args);
    const since = era === 'v1.32' || era === 'v1.36';
    expect([era, args[0] ?? null]).toEqual([era, since ? { nodeReadyGracePeriod: '2m0s' } : null]);
  }
});

it('updateRuntimeUp says what it keeps of a runtime that is ready', () => {
  for (const era of availableEras) {
    const [kept] = results(runInEra(era, killed), 'updateRuntimeUp');
    const since = era === 'v1.32' || era === 'v1.36';
    expect([era, Object.keys(kept as object)]).toEqual([
      era,
      since ? ['setRuntimeHandlers', 'setRuntimeFeatures', 'setRuntimeSync'] : ['setRuntimeSync'],
    ]);
  }
});

it('init containers of before are removed within calls of their own, which a pod without any does not have', () => {
  const calls = ['pruneInitContainersBeforeStart', 'purgeInitContainers'] as const;
  const init = { name: 'prepare', image: 'localhost/busybox:dev', imagePullPolicy: 'Never', command: ['true'] };
  for (const era of availableEras) {
    const made = runInEra(era, { steps: [{ apply: pod('web', { initContainers: [init] }) }, { wait: '6s' }] });
    expect([era, ...calls.map((fn) => made.entered(fn).length > 0)]).toEqual([era, true, true]);
    expect([era, ...calls.map((fn) => runInEra(era, killed).entered(fn).length)]).toEqual([era, 0, 0]);
  }
});
