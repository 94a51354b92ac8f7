import { beforeAll, describe, expect, it } from 'vitest';
import { CRIError } from '../../cri/index.js';
import { callSteps, type RecordOf, type SteppedCall } from '../../trace/index.js';
import { eraVersions, loadEras, minorOfEra } from '../era/index.js';
import { apiPod, manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';

beforeAll(loadEras);

type StepRecord = RecordOf<'call-step'>;
const stepsOf = (t: NodeIn, fn: SteppedCall): StepRecord[] => t.of('call-step').filter((r) => r.fn === fn);
const found = (steps: readonly StepRecord[], name: string) => steps.filter((r) => r.name === name).map((r) => r.found);

describe.each(eraVersions)('the steps of HandlePodCleanups in %s', (era) => {
  const minor = minorOfEra(era);
  const names = callSteps('HandlePodCleanups', minor);
  const has = (name: string) => names.includes(name);

  it('are all taken by the first housekeeping, in their order, and each is caused by the call', () => {
    const t = nodeIn(era, { manifests: { 'web.yaml': manifest('web') } });
    t.run(3);
    const [call] = t.entries('HandlePodCleanups');
    const first = stepsOf(t, 'HandlePodCleanups').filter((r) => r.span === call?.seq);
    expect(first.map((r) => r.name)).toEqual(names);
    expect(first.map((r) => r.n)).toEqual(names.map((_, i) => i + 1));
    expect(first.every((r) => r.cause === call?.seq)).toBe(true);
    expect(found(first, 'GetPodsAndMirrorPods')).toEqual([{ pods: 1, mirrorPods: 0 }]);
    expect(found(first, 'runtimeCache.GetPods')).toEqual([{ running: 1 }]);
  });

  it('are recorded again only if they find something else', () => {
    const t = nodeIn(era, { manifests: { 'web.yaml': manifest('web') } });
    t.run(10);
    const quiet = stepsOf(t, 'HandlePodCleanups').length;
    const rounds = t.entries('HandlePodCleanups').length;
    t.run(60);
    expect(t.entries('HandlePodCleanups').length).toBeGreaterThan(rounds + 25);
    expect(stepsOf(t, 'HandlePodCleanups').length).toBe(quiet);
  });

  it('name a pod that runs and that nobody wants, and what is left of it', () => {
    const t = nodeIn(era, { manifests: { 'gone.yaml': manifest('gone') } });
    t.run(6);
    const uid = t.podOf('gone-node1')?.metadata.uid as string;
    t.k.kill(t.kl.process);
    t.os.files.delete('/m/gone.yaml');
    t.os.put('/m/web.yaml', manifest('web'));
    t.start();
    const before = t.records.length;
    t.run(60);
    const steps = t.records.slice(before).filter((r): r is StepRecord => r.kind === 'call-step');
    const kills = ['podKillingCh', 'podKiller.KillPod', 'UpdatePod(SyncPodKill)'].filter(has);
    expect(kills).toHaveLength(1);
    expect(found(steps, kills[0] as string)).toContainEqual({ killed: ['default/gone-node1'] });
    expect(found(steps, 'cleanupOrphanedPodDirs')).toContainEqual({ orphans: [uid], removed: [uid] });
  });

  it('count the states of pods, and say whose status is removed', () => {
    const t = nodeIn(era, { api: true });
    const web = apiPod('web');
    t.say('api', web);
    t.run(6);
    const counts = has('SyncKnownPods') ? { sync: 1 } : undefined;
    if (counts) expect(found(stepsOf(t, 'HandlePodCleanups'), 'SyncKnownPods')).toContainEqual(counts);
    else
      expect(found(stepsOf(t, 'HandlePodCleanups'), 'filterOutTerminatedPods')).toContainEqual({
        desiredPods: 1,
        terminated: [],
      });
    t.say('api');
    t.run(60);
    expect(found(stepsOf(t, 'HandlePodCleanups'), 'removeOrphanedPodStatuses')).toContainEqual({
      removed: [web.metadata.uid],
    });
    const last = found(stepsOf(t, 'HandlePodCleanups'), 'GetPodsAndMirrorPods').at(-1);
    expect(last).toEqual({ pods: 0, mirrorPods: 0 });
  });

  it('say that the runtime could not be listed, and no later step is taken', () => {
    const t = nodeIn(era, { manifests: { 'web.yaml': manifest('web') } });
    t.run(6);
    t.cri.failing.set('ListPodSandbox', new CRIError(2, 'gone'));
    const before = t.records.length;
    t.run(5);
    const steps = t.records.slice(before).filter((r): r is StepRecord => r.kind === 'call-step');
    const [failed, ...later] = steps;
    expect(failed).toMatchObject({
      name: expect.stringMatching(/GetPods$/),
      found: { error: expect.stringMatching('gone') },
    });
    expect(later).toEqual([]);
    expect(t.lines(/^Error listing containers/).length).toBeGreaterThan(0);
    expect(t.lines(/^Failed cleaning pods/).length).toBeGreaterThan(0);
  });
});

describe.each(eraVersions)('the steps of the handlers in %s', (era) => {
  const minor = minorOfEra(era);
  /** Names of the steps that one pod took in its first call of a handler. */
  const first = (t: NodeIn, fn: SteppedCall, uid: string) => {
    const all = stepsOf(t, fn).filter((r) => r.uid === uid);
    return all.filter((r) => r.span === all[0]?.span).map((r) => r.name);
  };
  const sometimes = ['sort.Sort(PodsByCreationTime)', 'handleMirrorPod', 'GetPodAndMirrorPod', 'GetMirrorPodByPod'];
  const usual = (fn: SteppedCall, ...not: string[]) =>
    callSteps(fn, minor).filter((name) => ![...sometimes, ...not].includes(name));

  it('are all taken of a pod that is added, changed, reconciled and removed', () => {
    const t = nodeIn(era, { api: true });
    const web = apiPod('web');
    const { uid } = web.metadata;
    t.say('api', web);
    t.run(6);
    expect(first(t, 'HandlePodAdditions', uid)).toEqual(usual('HandlePodAdditions'));
    const last = found(stepsOf(t, 'HandlePodAdditions'), minor < 36 ? 'canAdmitPod' : 'allocationManager.AddPod');
    expect(last).toEqual([{ admit: true }]);
    t.say('api', { ...web, metadata: { ...web.metadata, labels: { tier: 'front' } } });
    t.run(2);
    expect(first(t, 'HandlePodUpdates', uid)).toEqual(usual('HandlePodUpdates', 'recordResizeOperations'));
    t.say('api', { ...web, metadata: { ...web.metadata, labels: { tier: 'front' } }, status: { phase: 'Running' } });
    t.run(2);
    expect(first(t, 'HandlePodReconcile', uid).slice(0, 2)).toEqual([
      'podManager.UpdatePod',
      'NeedToReconcilePodReadiness',
    ]);
    t.say('api');
    t.run(2);
    expect(first(t, 'HandlePodRemoves', uid)).toEqual(usual('HandlePodRemoves'));
    for (const fn of ['HandlePodAdditions', 'HandlePodUpdates', 'HandlePodReconcile', 'HandlePodRemoves'] as const)
      for (const r of stepsOf(t, fn)) expect(callSteps(fn, minor)[r.n - 1]).toBe(r.name);
  });

  it('say which pod comes first, who is refused and why', () => {
    const t = nodeIn(era, { api: true });
    const at = (name: string, creationTimestamp: string, cpu: string) =>
      apiPod(name, { creationTimestamp, spec: `  nodeSelector: { size: "${cpu}" }\n` });
    t.say('api', at('young', '2026-01-02T00:00:00Z', 'big'), at('old', '2026-01-01T00:00:00Z', 'big'));
    t.run(6);
    const steps = stepsOf(t, 'HandlePodAdditions');
    expect(found(steps, 'sort.Sort(PodsByCreationTime)')).toEqual([{ order: ['default/old', 'default/young'] }]);
    const admitted = found(steps, minor < 36 ? 'canAdmitPod' : 'allocationManager.AddPod');
    expect(admitted).toEqual([
      { admit: false, reason: 'NodeAffinity' },
      { admit: false, reason: 'NodeAffinity' },
    ]);
    // Nobody hands on what is refused.
    expect(steps.some((r) => r.name === 'dispatchWork' || r.name === 'podWorkers.UpdatePod')).toBe(false);
  });

  it('startContainer says what a container is made with', () => {
    const t = nodeIn(era, { manifests: { 'web.yaml': manifest('web') } });
    t.run(6);
    const steps = stepsOf(t, 'startContainer');
    const names = callSteps('startContainer', minor);
    expect(steps.map((r) => r.name)).toEqual(
      names.filter((name) => name !== 'getPodRuntimeHandler' && name !== 'getTargetID'),
    );
    for (const r of steps) expect(names[r.n - 1]).toBe(r.name);
    expect(steps[0]).toMatchObject({ container: 'app', found: { restartCount: 0 } });
    expect(found(steps, 'legacyLogSymlink')).toHaveLength(1);
    t.cri.exit('app', 1);
    t.run(30);
    expect(found(stepsOf(t, 'startContainer'), 'generateContainerConfig').map((f) => f.restartCount)).toEqual([0, 1]);
  });
});

it('the order of housekeeping is that of each version', () => {
  const order = (minor: number, ...names: string[]) =>
    callSteps('HandlePodCleanups', minor).filter((name) => names.includes(name));
  const kills = ['podKillingCh', 'podKiller.KillPod', 'UpdatePod(SyncPodKill)'];
  expect(order(12, 'probeManager.CleanupPods', ...kills, 'removeOrphanedPodStatuses')).toEqual([
    'probeManager.CleanupPods',
    'podKillingCh',
    'removeOrphanedPodStatuses',
  ]);
  expect(order(25, 'probeManager.CleanupPods', 'runtimeCache.GetPods', ...kills)).toEqual([
    'probeManager.CleanupPods',
    'runtimeCache.GetPods',
    'UpdatePod(SyncPodKill)',
  ]);
  expect(order(32, 'probeManager.CleanupPods', 'runtimeCache.GetPods', ...kills, 'cleanupOrphanedPodDirs')).toEqual([
    'runtimeCache.GetPods',
    'probeManager.CleanupPods',
    'cleanupOrphanedPodDirs',
    'UpdatePod(SyncPodKill)',
  ]);
  expect([32, 36].map((minor) => callSteps('HandlePodCleanups', minor).length)).toEqual([15, 16]);
});
