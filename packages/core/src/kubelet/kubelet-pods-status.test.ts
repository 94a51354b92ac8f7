import { describe, expect, it } from 'vitest';
import type { Pod, PodCondition, PodStatus } from '../api/types.js';
import type { RuntimePodStatus } from './container/types.js';
import { type GenerateAPIPodStatusDeps, generateAPIPodStatus, sortPodIPs } from './kubelet-pods-status.js';
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

interface World {
  old?: PodStatus;
  reasons?: Record<string, { reason: string; message: string }>;
  sandboxChanged?: boolean;
  evict?: string;
  hostIPs?: string[];
}

function generate(pod: Pod, podStatus: RuntimePodStatus, world: World = {}, podIsTerminal = false): PodStatus {
  const deps: GenerateAPIPodStatusDeps = {
    kernel: testKernel().kernel,
    config: { featureGates: {} },
    statusManager: { getPodStatus: () => world.old && structuredClone(world.old) },
    probeManager: {
      updatePodStatus: (_pod, s) => {
        for (const c of [...(s.containerStatuses ?? []), ...(s.initContainerStatuses ?? [])]) {
          c.started = c.state.running !== undefined;
          c.ready = c.started;
        }
      },
    },
    reasonCache: { get: (_uid, name) => world.reasons?.[name] },
    runtime: { podSandboxChanged: () => ({ changed: world.sandboxChanged ?? false, attempt: 0, sandboxID: '' }) },
    podSyncHandlers: world.evict
      ? [{ shouldEvict: () => ({ evict: true, reason: world.evict as string, message: 'too long' }) }]
      : [],
    ...(world.hostIPs ? { hostIPs: () => world.hostIPs as string[] } : {}),
  };
  return generateAPIPodStatus(deps, pod, podStatus, podIsTerminal);
}

const text = (conditions: PodCondition[] | undefined): string[] =>
  (conditions ?? []).map((c) => [c.type, c.status, c.reason, c.message].filter((s) => s !== undefined).join(' '));

describe('generateAPIPodStatus', () => {
  it('[1:C03] a new static pod is Pending, whole as the real kubelet showed it', () => {
    const pod = makePod({ containers: [{ name: 'app', image: 'localhost/busybox:dev' }] }, { source: 'file' });
    const empty = podStatusOf(pod, [], { ips: [], sandboxes: [] });
    const unready = { reason: 'ContainersNotReady', message: 'containers with unready status: [app]' };
    const none = { lastProbeTime: null, lastTransitionTime: null };
    const want = {
      phase: 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False', ...none },
        { type: 'Initialized', status: 'True', ...none },
        { type: 'Ready', status: 'False', ...none, ...unready },
        { type: 'ContainersReady', status: 'False', ...none, ...unready },
        { type: 'PodScheduled', status: 'True', ...none },
      ],
      containerStatuses: [
        {
          name: 'app',
          state: { waiting: { reason: 'ContainerCreating' } },
          lastState: {},
          ready: false,
          restartCount: 0,
          image: 'localhost/busybox:dev',
          imageID: '',
          started: false,
        },
      ],
      qosClass: 'BestEffort',
      resources: {},
    };
    const got = generate(pod, empty, { sandboxChanged: true });
    expect(got).toEqual(want);
    // Also the order of the fields is the API's.
    expect(Object.keys(got)).toEqual(Object.keys(want));
  });

  it('a running static pod, whole as the real kubelet showed it', () => {
    const pod = makePod({ containers: [{ name: 'app', image: 'localhost/busybox:dev' }] }, { source: 'file' });
    const app = cs('app', 'running', {
      image: 'localhost/busybox:dev',
      user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
    });
    expect(generate(pod, podStatusOf(pod, [app], { ips: ['10.89.0.2'] }))).toMatchObject({
      phase: 'Running',
      podIP: '10.89.0.2',
      podIPs: [{ ip: '10.89.0.2' }],
      containerStatuses: [
        {
          name: 'app',
          state: { running: { startedAt: '2026-01-01T00:00:01Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'localhost/busybox:dev',
          imageID: 'sha256:1',
          containerID: 'containerd://app-0',
          resources: {},
          user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
        },
      ],
      qosClass: 'BestEffort',
      resources: {},
    });
  });

  it('a crash loop: Running, waiting with the back-off, the end in lastState', () => {
    const pod = makePod();
    const message = 'back-off 10s restarting failed container=app pod=web_default(uid-web)';
    const s = generate(pod, podStatusOf(pod, [cs('app', 'exited', { exitCode: 1, restartCount: 1 })]), {
      reasons: { app: { reason: 'CrashLoopBackOff', message } },
      old: { phase: 'Running' },
    });
    expect(s.phase).toBe('Running');
    expect(s.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      lastState: { terminated: { exitCode: 1 } },
      restartCount: 1,
    });
    expect(text(s.conditions)[2]).toBe('Ready False ContainersNotReady containers with unready status: [app]');
  });

  it("[1:G05] conditions in order: foreign, DisruptionTarget, then the kubelet's", () => {
    const rule = { action: 'RestartAllContainers' as const, exitCodes: { operator: 'In' as const, values: [88] } };
    const pod = makePod({ containers: [{ name: 'app', restartPolicy: 'Never', restartPolicyRules: [rule] }] });
    pod.status.conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'example.com/ok', status: 'True' },
    ];
    const s = generate(pod, podStatusOf(pod, [cs('app', 'running')]), {
      old: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }] },
    });
    expect(s.conditions?.map((c) => c.type)).toEqual([
      ...[
        'example.com/ok',
        'DisruptionTarget',
        'PodReadyToStartContainers',
        'Initialized',
        'Ready',
        'ContainersReady',
        'PodScheduled',
      ],
      'AllContainersRestarting',
    ]);
  });

  it("[1:G10] a terminal phase is sticky: first the status manager's, then the API's, which wins in the end", () => {
    const pod = makePod();
    const runs = podStatusOf(pod, [cs('app', 'running')]);
    expect(generate(pod, runs, { old: { phase: 'Succeeded' } }).phase).toBe('Succeeded');
    const failed = { ...pod, status: { phase: 'Failed' as const } };
    expect(generate(failed, runs, { old: { phase: 'Running' } }).phase).toBe('Failed');
    expect(generate(failed, runs, { old: { phase: 'Succeeded' } }).phase).toBe('Failed');
  });

  it('[1:G11] reason and message stay with their phase', () => {
    const pod = makePod();
    const runs = podStatusOf(pod, [cs('app', 'running')]);
    expect(generate(pod, runs, { old: { phase: 'Running', reason: 'R', message: 'm' } })).toMatchObject({
      reason: 'R',
      message: 'm',
    });
    const changed = generate(pod, runs, { old: { phase: 'Pending', reason: 'R', message: 'm' } });
    expect(changed).not.toHaveProperty('reason');
    expect(changed).not.toHaveProperty('message');
    const api = { ...pod, status: { phase: 'Running' as const, reason: 'A' } };
    expect(generate(api, runs, { old: { phase: 'Running' } }).reason).toBe('A');
  });

  it('[1:G12] an eviction overrides phase, reason and message', () => {
    const pod = makePod();
    const s = generate(pod, podStatusOf(pod, [cs('app', 'running')]), { evict: 'DeadlineExceeded' });
    expect(s).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' });
    expect(text(s.conditions)).toContain('Ready False PodFailed');
  });

  it('[1:G13] host addresses only with a client; a host-network pod takes them', () => {
    const pod = makePod({ hostNetwork: true });
    const none = podStatusOf(pod, [], { ips: [] });
    expect(generate(pod, none)).not.toHaveProperty('hostIP');
    expect(generate(pod, none, { hostIPs: ['192.168.0.1', 'fd00::1'] })).toMatchObject({
      hostIP: '192.168.0.1',
      hostIPs: [{ ip: '192.168.0.1' }, { ip: 'fd00::1' }],
      podIP: '192.168.0.1',
      podIPs: [{ ip: '192.168.0.1' }, { ip: 'fd00::1' }],
    });
    expect(generate(makePod(), none, { hostIPs: ['192.168.0.1'] })).not.toHaveProperty('podIP');
  });

  it("[1:G13] first the node's family, then the other", () => {
    expect(sortPodIPs(['fd00::2', '10.0.0.1', '10.0.0.2'], [])).toEqual(['10.0.0.1', 'fd00::2']);
    expect(sortPodIPs(['10.0.0.1', 'fd00::2'], ['fd00::1'])).toEqual(['fd00::2', '10.0.0.1']);
    expect(sortPodIPs(['fd00::2'], ['10.0.0.9'])).toEqual(['fd00::2']);
    expect(sortPodIPs([], [])).toEqual([]);
  });

  it('[1:C16] the end of a pod, with exit codes', () => {
    const pod = makePod();
    const dead = podStatusOf(pod, [cs('app', 'exited', { exitCode: 137, at: 5 })]);
    expect(generate(pod, dead, { old: { phase: 'Running' } }, true)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
    const staticPod = makePod({}, { source: 'file' });
    expect(generate(staticPod, dead, { old: { phase: 'Running' } }, true).phase).toBe('Running');
  });

  it('init containers on their way', () => {
    const pod = makePod({ initContainers: [{ name: 'one' }, { name: 'two' }] });
    const old = {
      phase: 'Pending' as const,
      initContainerStatuses: [apiStatus('one', running()), apiStatus('two', waiting('PodInitializing'))],
    };
    const s = generate(
      pod,
      podStatusOf(pod, [cs('two', 'running', { at: 3 }), cs('one', 'exited', { at: 1 })], { active: [] }),
      { old },
    );
    expect(s.phase).toBe('Pending');
    expect(s.initContainerStatuses?.map((c) => Object.keys(c.state)[0])).toEqual(['terminated', 'running']);
    expect(s.containerStatuses?.[0]?.state).toEqual(waiting('PodInitializing'));
    const restarted = generate(pod, podStatusOf(pod, [], { ips: [] }), {
      old: { ...old, initContainerStatuses: [apiStatus('one', terminated(0)), apiStatus('two', waiting())] },
    });
    expect(restarted.initContainerStatuses?.[0]?.state).toEqual(terminated(0));
  });

  it('sums up resources', () => {
    const pod = makePod({
      containers: [
        { name: 'a', resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '64Mi' } } },
        { name: 'b', resources: { requests: { cpu: '900m', memory: '960Mi' } } },
      ],
      initContainers: [{ name: 'big', resources: { requests: { memory: '2Gi' } } }],
    });
    expect(generate(pod, podStatusOf(pod, []))).toMatchObject({
      qosClass: 'Burstable',
      allocatedResources: { cpu: '1', memory: '2Gi' },
      resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '64Mi' } },
    });
  });

  it('takes times from the runtime as they are', () => {
    const pod = makePod();
    const s = generate(pod, podStatusOf(pod, [cs('app', 'running', { startedAt: nanos(1.5) })]));
    expect(s.containerStatuses?.[0]?.state.running?.startedAt).toBe('2026-01-01T00:00:01.5Z');
  });
});
