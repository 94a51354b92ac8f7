import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../api/types.js';
import { Second } from '../../kernel/index.js';
import type { ContainerID } from '../container/types.js';
import { defaultGates } from '../features.js';
import { newBasicPodManager } from '../podmanager/pod-manager.js';
import { isPodStatusByKubeletEqual, normalizeStatus } from './normalize.js';
import { newStatusManager } from './status-manager.js';
import { checkContainerStateTransition, hasPodInitialized, initializedContainers } from './terminate.js';
import { apiStatus, makePod, running, terminated, testKernel, waiting } from './testing/fixtures.js';

function setup(pod: Pod = makePod()) {
  const t = testKernel();
  const podManager = newBasicPodManager();
  podManager.addPod(pod);
  const manager = newStatusManager({
    config: defaultGates,
    kernel: t.kernel,
    podManager,
    podDeletionSafety: { podCouldHaveRunningContainers: () => false },
  });
  const versions = (): number[] => t.of('status').map((r) => r.version as number);
  const get = (uid = pod.metadata.uid): PodStatus => manager.getPodStatus(uid) as PodStatus;
  return { ...t, pod, podManager, manager, versions, get };
}

const id = (name: string): ContainerID => ({ type: 'containerd', id: name });
const runningStatus = (ready = false): PodStatus => ({
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: ready ? 'True' : 'False' },
    { type: 'ContainersReady', status: ready ? 'True' : 'False' },
  ],
  containerStatuses: [apiStatus('app', running(), { ready, started: true, containerID: 'containerd://c1' })],
});

describe('status manager', () => {
  it('[1:S01] without a client it is not started, and the cache works', () => {
    const { manager, logs, pod, get, kernel } = setup();
    manager.start();
    expect(logs()).toEqual(['Kubernetes client is nil, not starting status manager']);
    expect(kernel.goroutines.size).toBe(0);
    manager.setPodStatus(pod, { phase: 'Pending' });
    expect(get()).toMatchObject({ phase: 'Pending' });
    expect(manager.getPodStatus('other')).toBeUndefined();
  });

  it('[1:S03] versions start at 1 and grow with each accepted change', () => {
    const { manager, pod, versions } = setup();
    manager.setPodStatus(pod, { phase: 'Pending' });
    manager.setPodStatus(pod, { phase: 'Running' });
    manager.setPodStatus(pod, { phase: 'Pending' });
    expect(versions()).toEqual([1, 2, 3]);
  });

  it('[1:S05] the same status is ignored, times and conditions of others aside', () => {
    const { manager, pod, versions, logs } = setup();
    manager.setPodStatus(pod, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    manager.setPodStatus(pod, {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'example.com/x', status: 'True' },
      ],
    });
    expect(versions()).toEqual([1]);
    expect(logs()).toContain('Ignoring same status for pod');
    manager.setPodStatus(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', message: 'm' }] });
    manager.setPodStatus(pod, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', message: 'm', reason: 'r' }],
    });
    expect(versions()).toEqual([1, 2, 3]);
  });

  it('[1:S05] forced when the pod is being deleted, and by terminatePod', () => {
    const { manager, pod, versions } = setup(makePod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    manager.setPodStatus(pod, { phase: 'Failed' });
    manager.setPodStatus(pod, { phase: 'Failed' });
    expect(versions()).toEqual([1, 2]);
    const other = setup();
    other.manager.setPodStatus(other.pod, { phase: 'Failed' });
    other.manager.terminatePod(other.pod);
    other.manager.terminatePod(other.pod);
    expect(other.versions()).toEqual([1, 2, 3]);
  });

  it('[1:S05] equality takes a missing list for an empty one', () => {
    expect(
      isPodStatusByKubeletEqual(
        defaultGates,
        { phase: 'Running' },
        { phase: 'Running', conditions: [], podIPs: [], reason: '' },
      ),
    ).toBe(true);
    expect(isPodStatusByKubeletEqual(defaultGates, { phase: 'Running' }, { phase: 'Running', podIP: '10.0.0.1' })).toBe(
      false,
    );
  });

  it('[1:S09] terminatePod: what did not end has failed with 137', () => {
    const { manager, pod, get } = setup();
    manager.setPodStatus(pod, {
      phase: 'Running',
      containerStatuses: [apiStatus('app', running()), apiStatus('b', terminated(0))],
    });
    manager.terminatePod(pod);
    const [app, b] = get().containerStatuses ?? [];
    expect(app?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
    });
    expect(b?.state.terminated?.exitCode).toBe(0);
  });

  it('[1:S09] initialisation is judged on the pod that is passed, not on the cache', () => {
    const { manager, pod, get } = setup(makePod({ initContainers: [{ name: 'init' }] }));
    manager.setPodStatus(pod, {
      phase: 'Pending',
      initContainerStatuses: [apiStatus('init', terminated(0))],
      containerStatuses: [apiStatus('app', waiting('PodInitializing'))],
    });
    manager.terminatePod(pod);
    expect(get().containerStatuses?.[0]?.state).toEqual(waiting('PodInitializing'));
    manager.terminatePod({ ...pod, status: get() });
    expect(get().containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
  });

  it('[1:S09] has the pod initialised', () => {
    const pod = makePod({ initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }] });
    const of = (init: ReturnType<typeof apiStatus>[], app = apiStatus('app', waiting())) =>
      hasPodInitialized({ ...pod, status: { initContainerStatuses: init, containerStatuses: [app] } });
    const setup = apiStatus('setup', terminated(0));
    expect(hasPodInitialized(makePod())).toBe(true);
    expect(of([setup, apiStatus('proxy', running(), { started: true })])).toBe(true);
    expect(of([setup, apiStatus('proxy', running(), { started: false })])).toBe(false);
    expect(of([setup])).toBe(true);
    expect(of([apiStatus('setup', terminated(1))])).toBe(false);
    expect(of([], apiStatus('app', running()))).toBe(true);
    expect(of([], apiStatus('app', waiting(), { lastState: terminated(1) }))).toBe(true);
  });

  it('[1:S09] init containers up to the last that shows a start, at least the first', () => {
    const [a, b, c] = [
      apiStatus('a', waiting()),
      apiStatus('b', waiting(), { lastState: terminated(1) }),
      apiStatus('c', waiting()),
    ] as const;
    expect(initializedContainers([a, b, c]).map((s) => s.name)).toEqual(['a', 'b']);
    expect(initializedContainers([a, c]).map((s) => s.name)).toEqual(['a']);
    expect(initializedContainers([])).toEqual([]);
  });

  it('[1:S10] terminatePod forces Failed unless terminal; static pods keep their phase', () => {
    for (const [source, phase, want] of [
      ['api', 'Running', 'Failed'],
      ['api', 'Pending', 'Failed'],
      ['api', 'Succeeded', 'Succeeded'],
      ['file', 'Running', 'Running'],
    ] as const) {
      const { manager, pod, get } = setup(makePod({}, { source }));
      manager.setPodStatus(pod, { phase });
      manager.terminatePod(pod);
      expect(get().phase, `${source} ${phase}`).toBe(want);
    }
  });

  it('[1:S11] a terminated container may not come back unless something lets it', () => {
    const from: PodStatus = { containerStatuses: [apiStatus('app', terminated(1))] };
    const to: PodStatus = { containerStatuses: [apiStatus('app', running())] };
    const check = (spec: Partial<Pod['spec']>, code = 1) =>
      checkContainerStateTransition(
        defaultGates,
        { containerStatuses: [apiStatus('app', terminated(code))] },
        to,
        makePod(spec).spec,
      )?.message;
    expect(check({ restartPolicy: 'Never' })).toBe(
      'terminated container app attempted illegal transition to non-terminated state',
    );
    expect(check({ restartPolicy: 'Always' })).toBeUndefined();
    expect(check({ restartPolicy: 'OnFailure' })).toBeUndefined();
    expect(check({ restartPolicy: 'OnFailure' }, 0)).toMatch(/illegal transition/);
    const exitCodes = { operator: 'In' as const, values: [1] };
    const rule = (action: 'Restart' | 'RestartAllContainers') => ({
      restartPolicy: 'Never' as const,
      containers: [{ name: 'app', restartPolicy: 'Never' as const, restartPolicyRules: [{ action, exitCodes }] }],
    });
    expect(check(rule('Restart'))).toBeUndefined();
    expect(check(rule('Restart'), 2)).toMatch(/illegal/);
    expect(check(rule('RestartAllContainers'), 2)).toBeUndefined();
    const init = makePod({
      restartPolicy: 'Never',
      initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }],
    }).spec;
    const was = { initContainerStatuses: [apiStatus('i', terminated(0)), apiStatus('s', terminated(1))] };
    expect(
      checkContainerStateTransition(
        defaultGates,
        was,
        { initContainerStatuses: [apiStatus('i', terminated(0)), apiStatus('s', running())] },
        init,
      ),
    ).toBeNull();
    expect(
      checkContainerStateTransition(defaultGates, was, { initContainerStatuses: [apiStatus('i', waiting())] }, init)
        ?.message,
    ).toBe('terminated init container i attempted illegal transition to non-terminated state');
    const { manager, pod, get, logs, versions } = setup(makePod({ restartPolicy: 'Never' }));
    manager.setPodStatus(pod, from);
    manager.setPodStatus(pod, to);
    expect(logs()).toContain('Status update on pod aborted');
    expect(versions()).toEqual([1]);
    expect(get().containerStatuses?.[0]?.state.terminated).toBeDefined();
  });

  it('[1:S12] startTime never changes, lastTransitionTime only with the status', () => {
    const { kernel, manager, pod, get } = setup();
    kernel.run({ until: 5 * Second });
    manager.setPodStatus(pod, {
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Initialized', status: 'True' },
      ],
    });
    expect(get().startTime).toBe('2026-01-01T00:00:05Z');
    kernel.run({ until: 9 * Second });
    manager.setPodStatus(pod, {
      startTime: '2027-01-01T00:00:00Z',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Initialized', status: 'True', reason: 'x' },
      ],
    });
    expect(get().startTime).toBe('2026-01-01T00:00:05Z');
    expect(get().conditions?.map((c) => c.lastTransitionTime)).toEqual([
      '2026-01-01T00:00:09Z',
      '2026-01-01T00:00:05Z',
    ]);
  });

  it("[1:S12] the first status goes on from the pod's own, or its mirror's", () => {
    const pod = makePod(
      {},
      { source: 'file', annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'h' } },
    );
    const { manager, get, podManager } = setup(pod);
    const mirror = makePod(
      {},
      { uid: 'mirror', annotations: { 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.mirror': 'h' } },
    );
    mirror.status = { startTime: '2025-01-01T00:00:00Z' };
    podManager.addPod(mirror);
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(get().startTime).toBe('2025-01-01T00:00:00Z');
    expect(manager.getPodStatus('mirror')).toEqual(get());
  });

  it("[1:S12] observedGeneration is the pod's and never decreases", () => {
    const { manager, pod, get } = setup(makePod({}, { generation: 4 }));
    manager.setPodStatus(pod, { phase: 'Pending' });
    expect(get().observedGeneration).toBe(4);
    manager.setPodStatus({ ...pod, metadata: { ...pod.metadata, generation: 3 } }, { phase: 'Running' });
    expect(get().observedGeneration).toBe(4);
    const other = setup(makePod());
    other.manager.setPodStatus(other.pod, { phase: 'Running' });
    expect(other.get()).not.toHaveProperty('observedGeneration');
  });

  it('[1:S13] cuts times and messages, sorts statuses', () => {
    const pod = makePod({ containers: [{ name: 'b' }, { name: 'a' }], initContainers: [{ name: 'z' }, { name: 'y' }] });
    const long = 'x'.repeat(20_000);
    const status: PodStatus = {
      startTime: '2026-01-01T00:00:01.25Z',
      containerStatuses: [
        apiStatus('b', {
          terminated: {
            exitCode: 1,
            message: long,
            startedAt: '2026-01-01T00:00:01.5Z',
            finishedAt: '2026-01-01T00:00:02.5Z',
          },
        }),
        apiStatus('a', running('2026-01-01T00:00:01.999Z')),
      ],
      initContainerStatuses: [apiStatus('y', waiting()), apiStatus('z', waiting())],
    };
    normalizeStatus(pod, status);
    expect(status.startTime).toBe('2026-01-01T00:00:01Z');
    expect(status.containerStatuses?.map((c) => c.name)).toEqual(['a', 'b']);
    expect(status.initContainerStatuses?.map((c) => c.name)).toEqual(['z', 'y']);
    expect(status.containerStatuses?.[0]?.state).toEqual(running('2026-01-01T00:00:01Z'));
    const t = status.containerStatuses?.[1]?.state.terminated;
    expect(t?.message?.length).toBe(12288 / 4);
    expect(t?.finishedAt).toBe('2026-01-01T00:00:02Z');
  });

  it('[1:S14] readiness recomputes Ready and ContainersReady', () => {
    const { manager, pod, get, versions, logs } = setup();
    manager.setContainerReadiness('unknown', id('c1'), true);
    manager.setContainerReadiness(pod.metadata.uid, id('c1'), true);
    expect(logs()).toEqual([
      'Pod has been deleted, no need to update readiness',
      'Container readiness changed before pod has synced',
    ]);
    manager.setPodStatus(pod, runningStatus());
    manager.setContainerReadiness(pod.metadata.uid, id('c2'), true);
    expect(logs()).toContain('Container readiness changed for unknown container');
    manager.setContainerReadiness(pod.metadata.uid, id('c1'), false);
    expect(logs()).toContain('Container readiness unchanged');
    expect(versions()).toEqual([1]);
    manager.setContainerReadiness(pod.metadata.uid, id('c1'), true);
    expect(versions()).toEqual([1, 2]);
    expect(get().conditions?.map((c) => `${c.type} ${c.status}`)).toEqual(['Ready True', 'ContainersReady True']);
    expect(get().containerStatuses?.[0]?.ready).toBe(true);
    manager.setContainerReadiness(pod.metadata.uid, id('c1'), false);
    expect(get().conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [app]',
    });
  });

  it('[1:S14] startup only sets started', () => {
    const { manager, pod, get, versions } = setup();
    const status = runningStatus();
    (status.containerStatuses?.[0] as { started?: boolean }).started = false;
    manager.setPodStatus(pod, status);
    const before = get().conditions;
    manager.setContainerStartup(pod.metadata.uid, id('c1'), false);
    expect(versions()).toEqual([1]);
    manager.setContainerStartup(pod.metadata.uid, id('c1'), true);
    expect(versions()).toEqual([1, 2]);
    expect(get().containerStatuses?.[0]?.started).toBe(true);
    expect(get().conditions).toEqual(before);
  });

  it('[1:S15] forgets orphans only', () => {
    const { manager, pod, of } = setup();
    manager.setPodStatus(pod, { phase: 'Running' });
    manager.removeOrphanedStatuses(new Set([pod.metadata.uid]));
    expect(manager.getPodStatus(pod.metadata.uid)).toBeDefined();
    manager.removeOrphanedStatuses(new Set());
    expect(manager.getPodStatus(pod.metadata.uid)).toBeUndefined();
    expect(of('status-removed')).toMatchObject([{ pod: 'default/web', uid: 'uid-web' }]);
  });

  it('[1:C13] the early condition changes nothing else', () => {
    const { manager, pod, get } = setup();
    manager.setPodStatus(pod, {
      phase: 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False' },
        { type: 'Ready', status: 'False' },
      ],
    });
    manager.setPodReadyToStartContainers(pod);
    expect(get().conditions?.map((c) => `${c.type} ${c.status}`)).toEqual([
      'PodReadyToStartContainers True',
      'Ready False',
    ]);
    expect(get().phase).toBe('Pending');
  });

  it('gives out copies, and records each accepted status whole', () => {
    const { manager, pod, get, of } = setup();
    manager.setPodStatus(pod, runningStatus());
    get().phase = 'Failed';
    expect(get().phase).toBe('Running');
    expect(of('status')[0]).toMatchObject({ version: 1, pod: 'default/web', status: get() });
  });
});
