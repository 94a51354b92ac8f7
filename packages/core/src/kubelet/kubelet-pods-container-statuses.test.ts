import { describe, expect, it } from 'vitest';
import type { Container, ContainerStatus, Pod } from '../api/types.js';
import type { Status } from './container/types.js';
import { defaultGates } from './features.js';
import { convertToAPIContainerStatuses, timeOfNanos } from './kubelet-pods-container-statuses.js';
import {
  apiStatus,
  cs,
  makePod,
  nanos,
  podStatusOf,
  running,
  terminated,
  testKernel,
  waiting,
} from './status/testing/fixtures.js';

interface Options {
  readonly containers?: Container[];
  readonly previous?: ContainerStatus[];
  readonly reasons?: Record<string, { reason: string; message: string }>;
  readonly init?: boolean;
  readonly podRestarting?: boolean;
}

function convert(pod: Pod, runtime: Status[], options: Options = {}): ContainerStatus[] {
  return convertToAPIContainerStatuses({
    config: defaultGates,
    kernel: testKernel().kernel,
    reasonCache: { get: (_uid, name) => options.reasons?.[name] },
    pod,
    podStatus: podStatusOf(pod, runtime),
    previous: options.previous,
    containers: options.containers ?? (options.init ? (pod.spec.initContainers ?? []) : pod.spec.containers),
    isInitContainer: options.init ?? false,
    podRestarting: options.podRestarting ?? false,
    supportsRecursiveReadOnly: false,
  });
}
const one = (...args: Parameters<typeof convert>): ContainerStatus => convert(...args)[0] as ContainerStatus;

describe('convertToAPIContainerStatuses', () => {
  it('[1:K01] [2:U-06] nothing seen yet: ContainerCreating, or PodInitializing with init containers', () => {
    expect(one(makePod(), [])).toEqual({
      name: 'app',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: 'busybox',
      imageID: '',
    });
    const pod = makePod({ initContainers: [{ name: 'init' }] });
    expect(one(pod, []).state).toEqual(waiting('PodInitializing'));
    expect(one(pod, [], { init: true }).state).toEqual(waiting('PodInitializing'));
  });

  it('[1:K02] an old terminated status is reused whole; else count and last termination are carried over', () => {
    const old = apiStatus('app', terminated(3), {
      restartCount: 2,
      containerID: 'containerd://x',
      imageID: 'sha256:9',
    });
    expect(one(makePod({ restartPolicy: 'Never' }), [], { previous: [old] })).toEqual(old);
    const waitingBefore = apiStatus('app', waiting('CrashLoopBackOff'), { restartCount: 2, lastState: terminated(3) });
    expect(one(makePod(), [], { previous: [waitingBefore] })).toMatchObject({
      state: waiting('ContainerCreating'),
      restartCount: 2,
      lastState: terminated(3),
    });
  });

  it('[1:K03] [2:U-06] newest is state, second newest is lastState, the rest and strangers are ignored', () => {
    const runtime = [
      cs('app', 'exited', { at: 1, exitCode: 1 }),
      cs('app', 'running', { at: 9, restartCount: 2 }),
      cs('app', 'exited', { at: 5, exitCode: 2, restartCount: 1 }),
      cs('stranger', 'running', { at: 1 }),
    ];
    const list = convert(makePod(), runtime);
    expect(list.map((s) => s.name)).toEqual(['app']);
    expect(list[0]).toMatchObject({
      state: running('2026-01-01T00:00:09Z'),
      restartCount: 2,
      containerID: 'containerd://app-2',
    });
    expect(list[0]?.lastState.terminated).toMatchObject({ exitCode: 2, containerID: 'containerd://app-1' });
  });

  it('[1:K03] regular containers by name, init containers in the order of the spec', () => {
    const pod = makePod({ containers: [{ name: 'z' }, { name: 'a' }], initContainers: [{ name: 'y' }, { name: 'b' }] });
    expect(convert(pod, []).map((s) => s.name)).toEqual(['a', 'z']);
    expect(convert(pod, [], { init: true }).map((s) => s.name)).toEqual(['y', 'b']);
  });

  it('[1:K04] states', () => {
    const pod = makePod({ restartPolicy: 'Never' });
    expect(one(pod, [cs('app', 'created')]).state).toEqual({ waiting: {} });
    expect(one(pod, [cs('app', 'running', { at: 2.5 })]).state).toEqual({
      running: { startedAt: '2026-01-01T00:00:02.5Z' },
    });
    expect(one(pod, [cs('app', 'exited', { exitCode: 2, reason: 'Error', message: 'bye', at: 3 })]).state).toEqual({
      terminated: {
        exitCode: 2,
        reason: 'Error',
        message: 'bye',
        startedAt: '2026-01-01T00:00:03Z',
        finishedAt: '2026-01-01T00:00:04Z',
        containerID: 'containerd://app-0',
      },
    });
    expect(one(pod, [cs('app', 'unknown')]).state).toEqual({ waiting: {} });
    expect(
      one(pod, [cs('app', 'unknown')], { previous: [apiStatus('app', running(), { restartCount: 4 })] }),
    ).toMatchObject({
      state: {
        terminated: {
          exitCode: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was terminated',
        },
      },
      restartCount: 5,
    });
  });

  it('[1:K05] a running container that is lost waits with a last termination of 137', () => {
    const previous = [apiStatus('app', running(), { restartCount: 1 })];
    const lost = {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was deleted.  The container used to be Running',
      startedAt: null,
      finishedAt: null,
    };
    expect(one(makePod(), [], { previous })).toMatchObject({
      state: waiting('ContainerCreating'),
      lastState: { terminated: lost },
      restartCount: 2,
    });
    const deleted = makePod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(one(deleted, [], { previous }).restartCount).toBe(1);
    const withLast = [apiStatus('app', running(), { lastState: terminated(5) })];
    expect(one(makePod(), [], { previous: withLast }).lastState).toEqual(terminated(5));
  });

  it('[1:K06] a container to be restarted shows why its start failed, its end moves to lastState', () => {
    const reasons = { app: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container=app' } };
    const dead = [cs('app', 'exited', { exitCode: 1 })];
    const s = one(makePod(), dead, { reasons });
    expect(s.state).toEqual({
      waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container=app' },
    });
    expect(s.lastState.terminated?.exitCode).toBe(1);
    // No entry, or no restart to come: it stays as it is.
    expect(one(makePod(), dead).state.terminated?.exitCode).toBe(1);
    expect(one(makePod({ restartPolicy: 'Never' }), dead, { reasons }).state.terminated?.exitCode).toBe(1);
    expect(
      one(makePod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), dead, { reasons }).state.terminated?.exitCode,
    ).toBe(1);
    expect(one(makePod(), [], { reasons: { app: { reason: 'ErrImagePull', message: 'no' } } }).state).toEqual({
      waiting: { reason: 'ErrImagePull', message: 'no' },
    });
  });

  it('[1:K07] what runs keeps running, created and unknown would be started', () => {
    const reasons = { app: { reason: 'RunContainerError', message: 'm' } };
    expect(one(makePod(), [cs('app', 'running')], { reasons }).state.running).toBeDefined();
    for (const state of ['created', 'unknown'] as const)
      expect(one(makePod({ restartPolicy: 'Never' }), [cs('app', state)], { reasons }).state.waiting?.reason).toBe(
        'RunContainerError',
      );
    const rule = { action: 'Restart' as const, exitCodes: { operator: 'In' as const, values: [42] } };
    const pod = makePod({
      restartPolicy: 'Never',
      containers: [{ name: 'app', restartPolicy: 'Never', restartPolicyRules: [rule] }],
    });
    expect(one(pod, [cs('app', 'exited', { exitCode: 42 })], { reasons }).state.waiting?.reason).toBe(
      'RunContainerError',
    );
    expect(one(pod, [cs('app', 'exited', { exitCode: 1 })], { reasons }).state.terminated?.exitCode).toBe(1);
  });

  it('[1:K08] a lost init container has completed once a regular container exists; a sidecar has not', () => {
    const pod = makePod({ initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }] });
    const [setup, proxy] = convert(pod, [cs('app', 'running')], { init: true });
    expect(setup?.state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(proxy?.state).toEqual(waiting('PodInitializing'));
    expect(one(pod, [], { init: true }).state).toEqual(waiting('PodInitializing'));
    // One that is known to have succeeded is left alone whatever the reason cache says.
    const reasons = { setup: { reason: 'RunContainerError', message: 'm' } };
    expect(one(pod, [cs('setup', 'exited')], { init: true, reasons }).state.terminated?.exitCode).toBe(0);
  });

  it('[1:K09] a restart of all: removed containers wait, counts never decrease', () => {
    const pod = makePod();
    const removed = one(pod, [], {
      previous: [apiStatus('app', terminated(88), { restartCount: 1 })],
      podRestarting: true,
    });
    expect(removed.state).toEqual({
      waiting: {
        reason: 'RestartingAllContainers',
        message: 'The container is removed because RestartAllContainers in place',
      },
    });
    expect(removed.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'RestartingAllContainers' });
    expect(removed.restartCount).toBe(2);
    // Already waiting: not counted twice.
    expect(one(pod, [], { previous: [removed], podRestarting: true }).restartCount).toBe(2);
    // The new container begins at 0 in the runtime, not here.
    expect(one(pod, [cs('app', 'running')], { previous: [removed] })).toMatchObject({
      restartCount: 2,
      lastState: { terminated: { reason: 'RestartingAllContainers' } },
    });
  });

  it('shows resources, user and mounts as the API does', () => {
    const resources = { requests: { cpu: '100m' }, limits: { memory: '64Mi' } };
    const pod = makePod({
      containers: [
        {
          name: 'app',
          image: 'busybox',
          resources,
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'r', mountPath: '/r', readOnly: true },
          ],
        },
      ],
    });
    const mounts = [
      { name: 'v', mountPath: '/v' },
      { name: 'r', mountPath: '/r', readOnly: true, recursiveReadOnly: 'Disabled' },
    ];
    const before = one(pod, []);
    expect(before).toMatchObject({ volumeMounts: mounts });
    expect(before).not.toHaveProperty('resources');
    const after = one(pod, [cs('app', 'running', { user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } } })], {
      previous: [{ ...before, started: true }],
    });
    expect(Object.keys(after)).toEqual([
      ...['name', 'state', 'lastState', 'ready', 'restartCount', 'image', 'imageID', 'containerID', 'started'],
      ...['allocatedResources', 'resources', 'volumeMounts', 'user'],
    ]);
    expect(after).toMatchObject({
      resources,
      allocatedResources: { cpu: '100m' },
      volumeMounts: mounts,
      user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
    });
    expect(one(makePod(), [cs('app', 'running')]).resources).toEqual({});
  });

  it('writes times with their fraction', () => {
    expect(timeOfNanos(nanos(1.25))).toBe('2026-01-01T00:00:01.25Z');
    expect(timeOfNanos(0n)).toBe('1970-01-01T00:00:00Z');
  });
});
